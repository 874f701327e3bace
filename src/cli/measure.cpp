// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/gpus.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/snippets.h"
#include "cli/table_names.h"
#include "cli/toolchains.h"
#include "isa/form.h"
#include "run/nearest_card.h"
#include "run/provenance.h"
#include "run/snippets.h"
#include "snippet/choices.h"
#include "snippet/flow.h"
#include "snippet/method.h"
#include "snippet/module.h"
#include "snippet/text.h"
#include "snippet/write.h"

namespace ptxlat::cli {

namespace {

struct MeasureOptions {
  Selection selection;
  std::vector<std::string> snippets;  // PTX, or names of files
  std::vector<std::string> cuda;      // and CUDA C
  std::string lines;                  // of the file
  std::vector<std::string> sources, results, types;
  snippet::Choices choices;
  std::optional<int> device;
  std::string card;
  int launches = 9;
  bool is_static = false;
  bool has_throughput = false;
  bool has_code = false;
  std::string format = "text";
};

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

// A toolchain and its tools, which serve all snippets.
struct Tools {
  Tools(assemble::Toolchain with, const isa::Target& to, const MeasureOptions& options, const Gpu& gpu)
      : toolchain(std::move(with)), target(to) {
    const auto device = worker_options(options.device.value_or(0));
    const int threads = std::min(assembling_threads(0), std::max(1, static_cast<int>(options.selection.levels.size())));
    const bool has_headline = options.format == "text";
    if (!gpu.worker || has_headline) card = chosen_card(options.card, target);
    if (card && has_headline) rates = run::OpcodeRates(*card, target);
    if (gpu.worker) card.reset();  // its estimates are for schedules
    disassembler.emplace(assemble::nvdisasm_for(target), sass::nvdisasm_pace(threads), cache_folder());
    assemblers = make_kernel_assemblers(toolchain, target, device, threads);
    printed(run::warnings_about_code(assemblers.front()->origin(), toolchain));
    if (gpu.device) printed(run::warnings_about_target(target.name(), *gpu.device));
  }

  assemble::Toolchain toolchain;
  isa::Target target;
  std::optional<line::NearestCard> card;
  run::OpcodeRates rates;
  std::optional<sass::Nvdisasm> disassembler;
  std::vector<std::unique_ptr<line::KernelAssembler>> assemblers;
};

// All pairs at all levels, for one toolchain.
snippet::Measured measure_with(Tools& tools, const PlannedSnippet& planned, const MeasureOptions& options, Gpu& gpu) {
  run::SnippetJob job{.toolchain = tools.toolchain,
                      .target = tools.target,
                      .loaded = planned.loaded,
                      .snippet = planned.snippet,
                      .plan = planned.plan,
                      .levels = options.selection.levels,
                      .launches = options.launches,
                      .worker = gpu.worker ? &*gpu.worker : nullptr,
                      .card = tools.card ? &*tools.card : nullptr,
                      .disassembler = *tools.disassembler,
                      .assemblers = tools.assemblers,
                      .interrupted = &heed_interrupts()};
  snippet::Measured measured{
      tools.toolchain.name, tools.target.name(), gpu.device ? gpu.device->name : "", planned.nvrtc, {}, {}};
  measured.snippet = &planned.snippet;
  if (tools.card) measured.card = tools.card->table;
  measured.conditions = snippet::conditions_of(planned.snippet, options.choices);
  measured.records = run::measure_snippet(job);
  measured.limits = run::limits_of(tools.rates, measured.records);
  if (options.has_throughput && gpu.device) {
    auto patched = worker_options(options.device.value_or(0));  // a loop of copies takes milliseconds at most
    patched.kernel_deadline = scaled_deadline(std::chrono::milliseconds(500));
    worker::Worker worker(patched);
    job.worker = &worker;
    measured.throughput = run::measure_throughput(job);
  }
  return measured;
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

// Writes what was measured of the snippets, one after another.
class Output {
 public:
  explicit Output(const MeasureOptions& options) : options_(options) {}

  void write(const std::string& text, const std::vector<snippet::Measured>& measured) {
    ++count_;
    const bool is_first = !std::exchange(has_written_, true);
    if (options_.format == "json")
      return print_text([&](std::ostream& out) { snippet::write_json(out, text, run::tool_version(), measured); });
    if (options_.format == "csv") {
      return print_text([&](std::ostream& out) {
        if (is_first) snippet::write_csv_header(out);
        snippet::write_csv(out, measured, count_);
      });
    }
    if (!is_first) say("\n");
    print_text([&](std::ostream& out) { snippet::write_text(out, measured); });
    if (!options_.has_code) return;
    for (const auto& one : measured) {
      say("\n{}\n", one.toolchain);
      for (const auto& record : one.records) print_cell(record);
    }
  }

  void write_error(const std::string& text, const Error& error) {
    ++count_;
    if (options_.format == "json")
      print_text([&](std::ostream& out) { snippet::write_json_error(out, text, run::tool_version(), error.what()); });
  }

 private:
  const MeasureOptions& options_;
  std::size_t count_ = 0;     // of all snippets,
  bool has_written_ = false;  // any of them
};

// What measures the snippets: the GPU, and for each toolchain its tools.
struct Bench {
  const MeasureOptions& options;
  SnippetRequest request;
  Gpu gpu;
  std::vector<std::unique_ptr<Tools>> tools = {};

  void find_tools() {
    find_gpu(options, gpu);
    if (options.has_throughput && !gpu.device) say(stderr, "no throughput: it can only be measured on a GPU\n");
    const auto& wanted = options.selection.toolchain;
    const auto& target_name = options.selection.target;
    for (const auto& toolchain :
         gpu.device ? toolchains_for(wanted, *gpu.device) : chosen_toolchains(wanted, std::nullopt)) {
      require_levels(options.selection.levels, toolchain.kind);
      const auto target = gpu.device ? target_of(toolchain, *gpu.device)
                                     : target_of(toolchain, target_from(target_name.empty() ? "sm_90a" : target_name));
      tools.push_back(std::make_unique<Tools>(toolchain, target, options, gpu));
    }
  }

  void measure(GivenSnippet given, Output& output) {
    const auto read = read_snippet(std::move(given), request);
    if (read.ptx) print_remarks(read.ptx->snippet);
    if (tools.empty()) find_tools();  // a mistake in the text is found without them
    std::vector<std::shared_ptr<const PlannedSnippet>> planned;
    std::vector<snippet::Measured> measured;
    for (const auto& one : tools) {
      planned.push_back(planned_for(read, request, one->toolchain, one->target));
      if (!read.ptx) print_remarks(planned.back()->snippet);
      measured.push_back(measure_with(*one, *planned.back(), options, gpu));
    }
    output.write(measured_text(read, request, *planned.front()), measured);
    if (const auto why = failure_of(measured); !why.empty()) throw Error(ExitCode::failure, why);
  }
};

std::vector<GivenSnippet> given_snippets(const MeasureOptions& options) {
  std::vector<GivenSnippet> given;
  for (const auto& snippet : options.snippets) given.push_back(given_snippet(snippet));
  for (const auto& cuda : options.cuda) given.push_back({GivenSnippet::Kind::expression, cuda, "CUDA C"});
  return given;
}

void measure(const MeasureOptions& options) {
  auto given = given_snippets(options);
  Bench bench{
      .options = options,
      .request = {.selection = options.selection,
                  .lines = options.lines.empty() ? std::nullopt : std::optional(snippet::lines_from(options.lines)),
                  .marks = marks_from(options.sources, options.results, options.types),
                  .choices = options.choices,
                  .is_for_several = given.size() > 1},
      .gpu = {}};
  Output output(options);
  if (given.size() == 1) return bench.measure(std::move(given.front()), output);
  // What is wrong with one snippet does not end the others.
  std::optional<Error> first;
  for (auto& one : given) {
    const auto text = one.text;
    try {
      bench.measure(std::move(one), output);
    } catch (const Error& error) {
      if (error.exit_code != ExitCode::usage && error.exit_code != ExitCode::failure) throw;
      if (error.exit_code == ExitCode::usage) output.write_error(text, error);
      say(stderr, error);
      if (!first) first = error;
    }
  }
  if (first) throw CLI::RuntimeError(static_cast<int>(first->exit_code));
}

// What is measured: the snippets, and their registers.
void add_snippets(CLI::App* command, const std::shared_ptr<MeasureOptions>& options) {
  auto* ptx = command->add_option("snippet", options->snippets,
                                  "Snippets, each measured by itself: PTX instructions, separated by semicolons "
                                  "('mad.lo.u32 d, a, b, c; popc.b32 d, d'); a file of them, whose name "
                                  "ends in .ptx; a file of CUDA C (.cu); or - for standard input.");
  ptx->type_name("PTX");
  command
      ->add_option("--lines", options->lines,
                   "Only these lines of the file, both included: of a kernel's PTX, or of CUDA C. Default: all of its "
                   "only kernel.")
      ->type_name("FIRST:LAST");
  auto* cuda = command->add_option("--cuda", options->cuda,
                                   "CUDA C instead: an expression ('__sinf(x) * y'), or assignments separated by "
                                   "semicolons. Needs an NVRTC. Can be repeated.");
  cuda->type_name("TEXT")->allow_extra_args(false);
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
}

// How it is measured.
void add_choices(CLI::App* command, const std::shared_ptr<MeasureOptions>& options) {
  command
      ->add_option("--consumer", options->choices.consumer,
                   "What waits for the result: a consumer of the catalogue (xor.b32). Default: the first that fits.")
      ->type_name("NAME");
  command->add_flag("--chain", options->choices.prefers_chain,
                    "Give the time of a step in a chain of copies where there is one. Default: the headline as in a "
                    "table.");
  command
      ->add_option("--input", options->choices.input,
                   "A class of input values (denormal), as the column `input` of a table names it. Default: the usual "
                   "values.")
      ->type_name("CLASS");
  command
      ->add_option_function<std::string>(
          "--lanes", [options](const std::string& lanes) { options->choices.same_lanes = lanes == "same"; },
          "Whether the lanes of a warp have the same or different values and addresses. Default: different.")
      ->check(CLI::IsMember({"same", "different"}))
      ->type_name("WORD");
  command
      ->add_option_function<std::string>(
          "--cache", [options](const std::string& cache) { options->choices.loads_from_l2 = cache == "l2"; },
          "Where plain loads of global memory hit; for l2 they get the cache operator .cg. Default: l1.")
      ->check(CLI::IsMember({"l1", "l2"}))
      ->type_name("WORD");
}

}  // namespace

void add_measure(CLI::App& program) {
  auto* command = program.add_subcommand(
      "measure",
      "Measure any snippet of PTX: latency from each source to each result, and its issue cost (docs/measure.md).");
  auto options = std::make_shared<MeasureOptions>();
  options->selection.levels = {0, 3};
  add_snippets(command, options);
  add_choices(command, options);
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
    if (options->snippets.empty() && options->cuda.empty())
      throw Error(ExitCode::usage, "there is no snippet", "ptxlat measure 'mad.lo.u32 d, a, b, c; popc.b32 d, d'");
    measure(*options);
  });
}

}  // namespace ptxlat::cli
