// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/gpus.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/toolchains.h"
#include "isa/form.h"
#include "run/nearest_card.h"
#include "run/snippets.h"
#include "snippet/cuda_source.h"
#include "snippet/cuda_types.h"
#include "snippet/flow.h"
#include "snippet/inline_assembly.h"
#include "snippet/method.h"
#include "snippet/text.h"
#include "snippet/write.h"

namespace ptxlat::cli {

namespace {

struct MeasureOptions {
  Selection selection;
  std::string snippet;  // PTX, or the name of a PTX file
  std::string cuda;     // or CUDA C
  std::vector<std::string> sources, results, types;
  std::optional<int> device;
  std::string card;
  int launches = 9;
  bool is_static = false;
  bool has_throughput = false;
  bool has_code = false;
  std::string format = "text";
};

// The snippet's text and its name in messages.
struct Given {
  std::string text, name;
};

Given given_text(const std::string& snippet) {
  if (snippet == "-") {
    std::string text(snippet::most_text_bytes + 1, '\0');  // one more is too long
    std::cin.read(text.data(), std::ssize(text));
    text.resize(static_cast<std::size_t>(std::cin.gcount()));
    return {text, "standard input"};
  }
  if (!snippet.ends_with(".ptx")) {
    std::error_code none;
    const bool may_be_name = snippet.size() < 4096 && snippet.find_first_of(";\n") == std::string::npos;
    if (may_be_name && std::filesystem::is_regular_file(snippet, none))
      throw Error(ExitCode::usage, snippet + " is a file whose name does not end in .ptx",
                  "a snippet is PTX, or a file of PTX with such a name; a cubin is not one");
    return {snippet, "snippet"};
  }
  return {read_file(snippet, ExitCode::usage, "a snippet is PTX, or a file whose name ends in .ptx"), snippet};
}

// "a", "a=f32".
std::vector<snippet::NamedRegister> named_registers(const std::vector<std::string>& options, const char* option) {
  std::vector<snippet::NamedRegister> named;
  for (const auto& text : options) {
    const auto equals = std::min(text.find('='), text.size());
    snippet::NamedRegister one{text.substr(0, equals), equals < text.size() ? text.substr(equals + 1) : "", {}};
    if (one.type.starts_with('.')) one.type.erase(0, 1);
    if (!one.type.empty() && isa::register_bits(one.type) == 0)
      throw Error(ExitCode::usage, fmt::format("{} {}: there is no register type {}", option, text, one.type),
                  "types are spelled as in PTX: u32, s64, f16x2, pred");
    named.push_back(std::move(one));
  }
  return named;
}

snippet::Marks marks_of(const MeasureOptions& options) {
  snippet::Marks marks{named_registers(options.sources, "--source"), named_registers(options.results, "--result"),
                       named_registers(options.types, "--type")};
  for (const auto& one : marks.types) {
    if (one.type.empty())
      throw Error(ExitCode::usage, "--type " + one.name + " does not name a type", "write a type like --type a=f32");
  }
  return marks;
}

// The GPU, if there is one and it is requested.
struct Gpu {
  std::optional<worker::Worker> worker;
  std::optional<gpu::DeviceInfo> device;
};

// Without a GPU, the numbers come from the schedule, unless the GPU or its driver's JIT was requested.
void find_gpu(const MeasureOptions& options, Gpu& gpu) {
  if (options.is_static || !options.selection.target.empty()) return;
  try {
    gpu.worker.emplace(worker_options(options.device.value_or(0)));
    gpu.device = gpu.worker->device_info();
  } catch (const Error& error) {
    if (error.exit_code != ExitCode::no_gpu || options.device ||
        options.selection.toolchain.find("driver") != std::string::npos)
      throw;
    gpu.worker.reset();
    say(stderr, "no GPU ({}): the numbers come from the schedule\n", error.what());
  }
}

// All pairs at all levels, for one toolchain.
snippet::Measured measure_with(const assemble::Toolchain& toolchain, const isa::Target& target,
                               const ptx::LoadedCatalogue& loaded, const snippet::Snippet& snippet,
                               const snippet::Plan& plan, const MeasureOptions& options, Gpu& gpu) {
  const auto device = worker_options(options.device.value_or(0));
  const int threads = std::min(assembling_threads(0), std::max(1, static_cast<int>(options.selection.levels.size())));
  const auto card = gpu.worker ? std::nullopt : run::chosen_card(options.card, target);
  sass::Nvdisasm disassembler(assemble::nvdisasm_for(target), sass::nvdisasm_pace(threads));
  run::SnippetJob job{.toolchain = toolchain,
                      .target = target,
                      .loaded = loaded,
                      .snippet = snippet,
                      .plan = plan,
                      .levels = options.selection.levels,
                      .launches = options.launches,
                      .worker = gpu.worker ? &*gpu.worker : nullptr,
                      .card = card ? &*card : nullptr,
                      .disassembler = disassembler,
                      .assemblers = make_kernel_assemblers(toolchain, target, device, threads),
                      .interrupted = &heed_interrupts()};
  printed(run::warnings_about_code(job.assemblers.front()->origin(), toolchain));
  snippet::Measured measured{toolchain.name, target.name(), gpu.device ? gpu.device->name : "", {}, {}, {}};
  measured.snippet = &snippet;
  if (card) measured.card = card->table;
  measured.records = run::measure_snippet(job);
  if (options.has_throughput && gpu.device) {
    auto patched = device;  // a loop of copies takes milliseconds at most
    patched.kernel_deadline = scaled_deadline(std::chrono::milliseconds(500));
    worker::Worker worker(patched);
    job.worker = &worker;
    measured.throughput = run::measure_throughput(job);
  }
  return measured;
}

void write(const MeasureOptions& options, const std::string& text, const std::vector<snippet::Measured>& measured) {
  if (options.format == "json") return print_text([&](std::ostream& out) { snippet::write_json(out, text, measured); });
  if (options.format == "csv") return print_text([&](std::ostream& out) { snippet::write_csv(out, measured); });
  print_text([&](std::ostream& out) { snippet::write_text(out, measured); });
  if (!options.has_code) return;
  for (const auto& one : measured) {
    say("\n{}\n", one.toolchain);
    for (const auto& record : one.records) print_cell(record);
  }
}

// A snippet after analysis, and its pairs.
struct Planned {
  snippet::Snippet snippet;
  snippet::Plan plan;
  std::string nvrtc;
};

Planned planned_ptx(const std::string& text, const std::string& name, const isa::Catalogue& catalogue,
                    const snippet::Marks& marks) {
  Planned planned;
  const snippet::Syntaxes syntaxes(catalogue);
  const auto inner = snippet::ptx_of_inline_assembly(text);
  planned.snippet = snippet::understand(snippet::parse(inner.value_or(text), name), name, syntaxes, catalogue, marks);
  planned.plan = snippet::plan(planned.snippet, catalogue);
  return planned;
}

// By the NVRTC that goes with the toolchain.
cuda::CudaFunctions compiled(const std::vector<isa::Form>& forms, const assemble::Toolchain& toolchain,
                             const isa::Target& target) {
  std::vector<const isa::Form*> pointers;
  for (const auto& form : forms) pointers.push_back(&form);
  auto functions = compile_cuda(pointers, toolchain, target);
  if (functions.compiler.empty())
    throw Error(ExitCode::missing_tool, functions.functions.empty() ? "no NVRTC" : functions.functions.front().problem);
  return functions;
}

Planned planned_cuda(snippet::CudaText text, const isa::Catalogue& catalogue, const assemble::Toolchain& toolchain,
                     const isa::Target& target) {
  const auto is_untyped = [](const snippet::NamedRegister& one) { return one.type.empty(); };
  if (std::any_of(text.results.begin(), text.results.end(), is_untyped))
    snippet::take_types(compiled(snippet::type_questions(text), toolchain, target).functions, text);
  std::vector<isa::Form> forms{snippet::function_of(text)};
  const auto functions = compiled(forms, toolchain, target);
  Planned planned;
  planned.nvrtc = functions.compiler;
  const snippet::Syntaxes syntaxes(catalogue);
  if (auto understood = snippet::understand_compiled(text, functions.functions.front(), syntaxes, catalogue)) {
    planned.snippet = std::move(*understood);
    planned.plan = snippet::plan(planned.snippet, catalogue);
  } else {
    cuda::apply_compiled(forms, functions);
    planned.snippet = snippet::names_of(text);
    planned.plan = snippet::plan_together(text, forms.front());
  }
  return planned;
}

void print_remarks(const snippet::Snippet& snippet) {
  for (const auto& remark : snippet.remarks) say(stderr, "{}\n", remark);
}

// What befell the whole snippet, if it gave no number anywhere; empty if it did.
std::string failure_of(const std::vector<snippet::Measured>& measured) {
  std::string why;
  for (const auto& one : measured) {
    for (const auto& record : one.records) {
      if (record.verdict == sass::Verdict::proven) return {};
      if (why.empty() && snippet::befalls_the_whole(record.verdict))
        why = fmt::format("{}: {}", to_string(record.verdict), record.note);
    }
  }
  return why;
}

void measure(const MeasureOptions& options) {
  const auto marks = marks_of(options);
  const auto loaded = load_catalogue_for(options.selection);
  std::optional<snippet::CudaText> cuda;
  std::optional<Planned> ptx;
  Given given;
  const bool is_ptx = options.cuda.empty() || snippet::ptx_of_inline_assembly(options.cuda);
  if (is_ptx) {
    given = options.cuda.empty() ? given_text(options.snippet) : Given{options.cuda, "asm"};
    ptx = planned_ptx(given.text, given.name, loaded.catalogue, marks);
    print_remarks(ptx->snippet);
  } else {
    given = {options.cuda, "CUDA C"};
    cuda = snippet::read_cuda(given.text, given.name, loaded.catalogue, marks);
  }
  Gpu gpu;
  find_gpu(options, gpu);
  if (options.has_throughput && !gpu.device) say(stderr, "no throughput: it can only be measured on a GPU\n");
  const auto wanted = options.selection.toolchain.empty() && gpu.device ? "driver" : options.selection.toolchain;
  const auto driver = gpu.device ? std::optional(driver_toolchain(*gpu.device)) : std::nullopt;
  std::vector<snippet::Measured> measured;
  std::vector<std::unique_ptr<Planned>> of_toolchains;  // for CUDA C, each toolchain has its own
  for (const auto& toolchain : chosen_toolchains(wanted, driver)) {
    require_levels(options.selection.levels, toolchain.kind);
    const auto& target_name = options.selection.target;
    const auto target = gpu.device ? target_of(toolchain, *gpu.device)
                                   : target_of(toolchain, target_from(target_name.empty() ? "sm_90a" : target_name));
    if (cuda) {
      of_toolchains.push_back(std::make_unique<Planned>(planned_cuda(*cuda, loaded.catalogue, toolchain, target)));
      print_remarks(of_toolchains.back()->snippet);
    }
    const auto& planned = cuda ? *of_toolchains.back() : *ptx;
    measured.push_back(measure_with(toolchain, target, loaded, planned.snippet, planned.plan, options, gpu));
    measured.back().nvrtc = planned.nvrtc;
  }
  write(options, given.text, measured);
  if (const auto why = failure_of(measured); !why.empty()) throw Error(ExitCode::failure, why);
}

}  // namespace

void add_measure(CLI::App& program) {
  auto* command = program.add_subcommand(
      "measure",
      "Measure any snippet of PTX: latency from each source to each result, and its issue cost (docs/measure.md).");
  auto options = std::make_shared<MeasureOptions>();
  options->selection.levels = {0, 3};
  auto* ptx = command->add_option(
      "snippet", options->snippet,
      "PTX instructions, separated by semicolons ('mad.lo.u32 d, a, b, c; popc.b32 d, d'); a file of them, whose name "
      "ends in .ptx; or - for standard input.");
  ptx->type_name("PTX");
  auto* cuda = command->add_option("--cuda", options->cuda,
                                   "CUDA C instead: an expression ('__sinf(x) * y'), or assignments separated by "
                                   "semicolons. Needs an NVRTC.");
  cuda->type_name("TEXT")->excludes(ptx);
  command
      ->add_option(
          "--source", options->sources,
          "Registers that are ready before the snippet, separated by commas. Default: those that are read before "
          "they are written.")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command
      ->add_option("--result", options->results,
                   "Registers whose last value is a result. Default: those whose last value nothing reads.")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command
      ->add_option("--type", options->types,
                   "A register's type (a=f32), if the instructions leave it open; several, separated by commas. "
                   "Default: from the instructions.")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME=TYPE");
  add_levels(*command, options->selection.levels, "0,3");
  add_toolchain(*command, options->selection.toolchain, Toolchains::several, "driver; without a GPU the newest ptxas",
                "are measured one after another");
  add_target(*command, options->selection.target,
             "Assemble for this architecture and do not use a GPU: the numbers come from the schedule. Default: the "
             "GPU's, or sm_90a without a GPU.");
  command->add_flag("--static", options->is_static, "Do not use a GPU: the numbers come from the schedule.");
  add_card(*command, options->card);
  add_device(*command, options->device);
  add_launches(*command, options->launches);
  command->add_flag("--throughput", options->has_throughput,
                    "Also measure how many executions of the whole snippet per cycle an SM reaches with enough warps.");
  command->add_flag("--code", options->has_code,
                    "After the table, print every number with the machine code behind it, as `ptxlat show` does.");
  add_format(*command, options->format, {"text", "csv", "json"});
  add_catalogue(*command, options->selection);
  command->callback([options] {
    if (options->snippet.empty() && options->cuda.empty())
      throw Error(ExitCode::usage, "there is no snippet", "ptxlat measure 'mad.lo.u32 d, a, b, c; popc.b32 d, d'");
    measure(*options);
  });
}

}  // namespace ptxlat::cli
