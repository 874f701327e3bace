#include <algorithm>
#include <filesystem>
#include <set>

#include "catch.h"
#include "error.h"
#include "isa/catalogue.h"
#include "measure/worker.h"
#include "ptx/experiment.h"

using namespace ptxlat;

namespace {

struct Shipped {
  Catalogue catalogue;
  Skeletons skeletons;
};

const Shipped& shipped() {
  static const auto folder = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates";
  static const Shipped loaded{load_catalogue({folder / "isa"}), load_skeletons(folder)};
  return loaded;
}

std::vector<std::pair<const char*, const Kernel*>> kernels_of(const Experiment& experiment) {
  return {{"overhead", &experiment.overhead},
          {"bracket", &experiment.bracket},
          {"differential", &experiment.differential},
          {"differential base", &experiment.differential_base},
          {"chain", &experiment.chain},
          {"chain twice", &experiment.chain_twice},
          {"bridge", &experiment.bridge}};
}

// Calls `visit` with every experiment that the shipped catalogue can make, but for forms without a dependence.
template <typename Visit>
void for_each_experiment(const Visit& visit) {
  for (const auto& form : shipped().catalogue.forms) {
    if (!form.no_dependency.empty()) continue;
    for (const auto& variant : variants_of(form)) {
      for (const auto* consumer : consumers_for(shipped().catalogue, form)) {
        visit(variant, *consumer, expand(shipped().catalogue, shipped().skeletons, variant, *consumer));
      }
    }
  }
}

// The first thing that is wrong with a kernel's text, or nothing.
std::string mistake_in(const Kernel& kernel) {
  const auto& text = kernel.text;
  const auto name = text.find("{{name}}");
  if (name == std::string::npos) return "no place for the name";
  if (text.find("{{", name + 2) != std::string::npos) return "a hole of the skeleton is left";
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 126; }))
    return "not ASCII";
  for (const char* hole :
       {"{a}", "{b}", "{c}", "{d}", "{k}", "{q}", "{t0}", "{t1}", "{u0}", "{u1}", "{p0}", "{from}", "{to}"}) {
    if (text.find(hole) != std::string::npos) return std::string("the hole is left: ") + hole;
  }
  std::size_t clocks = 0, loads = 0;
  for (auto at = text.find("%clock;"); at != std::string::npos; at = text.find("%clock;", at + 1)) ++clocks;
  for (auto at = text.find("ld.volatile.global"); at != std::string::npos; at = text.find("ld.volatile.global", at + 1))
    ++loads;
  if (clocks != 2) return "not two clock reads";
  if (loads > static_cast<std::size_t>(operands_per_slot)) return "more than 8 operands";
  if (kernel.lanes != 1 && kernel.lanes != 32 && kernel.lanes != 128) return "an odd number of lanes";
  return {};
}

}  // namespace

TEST_CASE(
    "every experiment of the shipped catalogue is complete PTX: no hole left, ASCII, two clocks, at most 8 operands") {
  std::size_t experiments = 0;
  for_each_experiment([&](const Variant& variant, const Consumer& consumer, const Experiment& experiment) {
    ++experiments;
    for (const auto& [role, kernel] : kernels_of(experiment)) {
      if (kernel->text.empty()) continue;
      const auto mistake = mistake_in(*kernel);
      if (!mistake.empty())
        FAIL(variant.form->ptx << ", operand " << variant.operand << ", " << consumer.name << ", " << role << ": "
                               << mistake);
      if (kernel->input.size() != 32u * operands_per_slot && kernel->lanes <= 32)
        FAIL(variant.form->ptx << " has values for other lanes");
    }
  });
  CHECK(experiments > 1000);
}

TEST_CASE("every form that has a dependence has a consumer that takes its result") {
  for (const auto& form : shipped().catalogue.forms) {
    if (form.no_dependency.empty() && consumers_for(shipped().catalogue, form).empty()) FAIL(form.ptx << " has none");
  }
}

TEST_CASE("every variant has what the four witnesses need") {
  for_each_experiment([&](const Variant& variant, const Consumer&, const Experiment& experiment) {
    for (const auto& [role, kernel] : kernels_of(experiment)) {
      const bool may_be_missing = kernel == &experiment.bridge || variant.operand.empty();
      if (kernel->text.empty() && !may_be_missing) FAIL(variant.form->ptx << " has no " << role);
    }
    if (experiment.differential == experiment.differential_base)
      FAIL(variant.form->ptx << ": the instruction is not in its window");
  });
}

TEST_CASE("expanding twice gives the same kernels") {
  for (const auto& form : shipped().catalogue.forms) {
    if (!form.no_dependency.empty()) continue;
    const auto variant = variants_of(form).front();
    const auto& consumer = *consumers_for(shipped().catalogue, form).front();
    const auto once = expand(shipped().catalogue, shipped().skeletons, variant, consumer);
    const auto twice = expand(shipped().catalogue, shipped().skeletons, variant, consumer);
    if (!(once.differential == twice.differential && once.chain == twice.chain && once.bridge == twice.bridge))
      FAIL(form.ptx);
  }
}

TEST_CASE("lanes do not agree in an operand that the compiler shall not take for uniform") {
  const auto& form = *std::find_if(shipped().catalogue.forms.begin(), shipped().catalogue.forms.end(),
                                   [](const Form& f) { return f.ptx == "add.u32"; });
  const auto experiment = expand(shipped().catalogue, shipped().skeletons, variants_of(form).front(),
                                 *consumers_for(shipped().catalogue, form).front());
  for (std::size_t operand = 0; operand < 2; ++operand) {
    std::set<std::uint64_t> values;
    for (std::size_t lane = 0; lane < 32; ++lane)
      values.insert(experiment.differential.input[lane * operands_per_slot + operand]);
    CHECK(values.size() == 32);
  }
}

TEST_CASE("a hole without a filling names the skeleton and the hole") {
  try {
    fill({"my.ptx", "a {{missing}} b"}, {});
    FAIL("filled");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::catalogue);
    CHECK(std::string(error.what()) == "my.ptx: nothing fills the hole {{missing}}");
  }
  CHECK_THROWS_AS(fill({"my.ptx", "a {{open"}, {}), Error);
  CHECK(fill({"my.ptx", "a {{x}} b"}, {{"x", "1"}, {"unused", "2"}}) == "a 1 b");
}

TEST_CASE("a missing skeleton is an error of the catalogue") {
  try {
    load_skeletons("/nonexistent");
    FAIL("loaded");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::catalogue);
    CHECK(std::string(error.what()).find("frame.ptx") != std::string::npos);
  }
}
