// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>

#include "assemble/toolkit.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/print_cell.h"
#include "cli/print_text.h"
#include "cli/selection.h"
#include "cli/toolchains.h"
#include "isa/form.h"
#include "line/line.h"
#include "opcodes/throughput.h"
#include "snippet/cuda_source.h"
#include "snippet/flow.h"
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
  if (!snippet.ends_with(".ptx")) return {snippet, "snippet"};
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
  snippet::Measured measured{toolchain.name, target.name(), gpu.device ? gpu.device->name : "", {}, {}, {}};
  measured.snippet = &snippet;
  std::vector<snippet::PairAtLevel> pairs;
  std::vector<line::Cell> cells;
  for (const int level : options.selection.levels) {
    for (const auto& pair : plan.pairs) {
      if (pair.whole.form == nullptr) continue;
      constexpr std::size_t kernel_bytes = 20'000;  // approximate, of all its kernels
      cells.push_back({pairs.size(), level, kernel_bytes, {}});
      pairs.push_back({&pair, level});
    }
  }
  std::vector<results::Record> made;
  const int threads = std::min(assembling_threads(0), std::max(1, static_cast<int>(options.selection.levels.size())));
  sass::Nvdisasm disassembler(assemble::nvdisasm_for(target), sass::nvdisasm_pace(threads));
  line::Line line{.toolchain = toolchain, .target = target, .disassembler = disassembler};
  if (gpu.worker) line.workers = {&*gpu.worker};
  line.launches = options.launches;
  line.interrupted = &heed_interrupts();
  line.on_finished = [&](std::vector<results::Record> records) {
    std::move(records.begin(), records.end(), std::back_inserter(made));
  };
  const auto assemblers =
      make_kernel_assemblers(toolchain, target, worker_options(options.device.value_or(0)), threads);
  if (!cells.empty() && !run_line(line, snippet::SnippetMethod(loaded, snippet, pairs), assemblers, cells))
    throw Error(ExitCode::interrupted, "interrupted");
  for (const int level : options.selection.levels) {
    for (const auto& pair : plan.pairs) {
      const auto found = std::find_if(made.begin(), made.end(), [&](const results::Record& record) {
        return record.level == level && record.operand == pair.source && record.input == pair.result;
      });
      measured.records.push_back(found == made.end() ? snippet::without_dependence(pair, level) : *found);
    }
  }
  return measured;
}

// The throughput of the whole snippet on an SM with enough warps: copies of its machine code in a loop, as for
// `opcodes`.
std::vector<results::Record> throughput_with(const assemble::Toolchain& toolchain, const isa::Target& target,
                                             const ptx::LoadedCatalogue& loaded, const snippet::Plan& plan,
                                             const MeasureOptions& options) {
  // It runs patched code, so it serves nothing else. A loop of copies takes milliseconds at most.
  auto of_worker = worker_options(options.device.value_or(0));
  of_worker.kernel_deadline = scaled_deadline(std::chrono::milliseconds(500));
  worker::Worker worker(of_worker);
  sass::Nvdisasm disassembler(assemble::nvdisasm_for(target));
  std::vector<results::Record> made;
  for (const int level : options.selection.levels) {
    const auto planned = opcodes::plan_throughput(loaded, {&plan.forms.front()->form}, level);
    const std::vector<line::Cell> cells{{0, level, planned.front().ptx_bytes, {}}};
    line::Line line{.toolchain = toolchain, .target = target, .disassembler = disassembler};
    line.workers = {&worker};
    line.interrupted = &heed_interrupts();
    line.on_finished = [&](std::vector<results::Record> records) {
      std::move(records.begin(), records.end(), std::back_inserter(made));
    };
    if (!run_line(line, opcodes::ThroughputMethod(loaded, planned),
                  make_kernel_assemblers(toolchain, target, worker_options(options.device.value_or(0)), 1), cells))
      throw Error(ExitCode::interrupted, "interrupted");
  }
  return made;
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
  planned.snippet = snippet::understand(snippet::parse(text, name), name, syntaxes, catalogue, marks);
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

void measure(const MeasureOptions& options) {
  const auto marks = marks_of(options);
  const auto loaded = load_catalogue_for(options.selection);
  std::optional<snippet::CudaText> cuda;
  std::optional<Planned> ptx;
  Given given;
  if (options.cuda.empty()) {
    given = given_text(options.snippet);
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
    if (options.has_throughput && gpu.device)
      measured.back().throughput = throughput_with(toolchain, target, loaded, planned.plan, options);
  }
  write(options, given.text, measured);
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
  command
      ->add_option("--toolchain", options->selection.toolchain,
                   "The assembler: driver, ptxas, nvjitlink, or a specific version (ptxas-12.4); several, separated by "
                   "commas, are measured one after another. Default: driver; without a GPU the newest ptxas.")
      ->type_name("NAMES");
  command
      ->add_option(
          "--target", options->selection.target,
          "Assemble for this architecture and do not use a GPU: the numbers come from the schedule. Default: the "
          "GPU's, or sm_90a without a GPU.")
      ->type_name("SM");
  command->add_flag("--static", options->is_static, "Do not use a GPU: the numbers come from the schedule.");
  command->add_option("--device", options->device, "The GPU's number in the driver's order. Default: 0.")
      ->check(CLI::Range(0, 1023));
  command
      ->add_option("--launches", options->launches,
                   "Launches of each kernel; the mode of their cycles counts. Default: 9.")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--throughput", options->has_throughput,
                    "Also measure how many executions of the whole snippet per cycle an SM reaches with enough warps.");
  command->add_flag("--code", options->has_code,
                    "After the table, print every number with the machine code behind it, as `ptxlat show` does.");
  command->add_option("--format", options->format, "text, csv or json. Default: text.")
      ->check(CLI::IsMember({"text", "csv", "json"}));
  add_catalogue(*command, options->selection);
  command->callback([options] {
    if (options->snippet.empty() && options->cuda.empty())
      throw Error(ExitCode::usage, "there is no snippet", "ptxlat measure 'mad.lo.u32 d, a, b, c; popc.b32 d, d'");
    measure(*options);
  });
}

}  // namespace ptxlat::cli
