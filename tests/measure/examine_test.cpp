#include "measure/examine.h"

#include "catch.h"
#include "tiny_cubin.h"

using namespace ptxlat;

namespace {

// Makes one cubin of whatever it is asked for.
struct OneCubin : KernelAssembler {
  Bytes cubin;
  explicit OneCubin(Bytes bytes) : cubin(std::move(bytes)) {}
  BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int) override {
    BatchOutcome outcome{{cubin}, {}};
    for (const auto& kernel : kernels) outcome.kernels.push_back({0, kernel.name, {}});
    return outcome;
  }
};

struct NoDisassembler : Disassembler {
  void disassemble(int, const std::vector<Instruction*>& instructions) override { CHECK(instructions.empty()); }
};

// What an assembler's cubin says of a kernel.
Specimen specimen_of(const Bytes& cubin, int sm = 90) {
  Experiment experiment;
  experiment.kernels[Role::bracket].text = ".visible .entry {{name}}() { ret; }";
  Batch batch;
  batch.add(experiment, "add.u32");
  OneCubin assembler(cubin);
  NoDisassembler disassembler;
  batch.assemble(assembler, disassembler, sm, 3);
  return batch.specimens().at(0);
}

}  // namespace

TEST_CASE("a cubin that cannot be read costs its kernels and not the run") {
  const auto good = standin::tiny_cubin({{"another_kernel", {}}});
  const auto cut_short = Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(good.size() / 2));
  for (const auto& [cubin, reason] : {std::pair{Bytes{'g', 'a', 'r', 'b', 'a', 'g', 'e'}, "not a readable cubin"},
                                      {cut_short, "not a readable cubin: it ends early"},
                                      {good, "its cubin does not have this kernel"}}) {
    const auto specimen = specimen_of(cubin);
    CHECK_FALSE(specimen.cubin);
    CHECK_FALSE(specimen.window);
    CHECK_THAT(specimen.log, Catch::Contains(reason));
  }
}

TEST_CASE("a cubin for another architecture is no machine code of this one") {
  const auto specimen = specimen_of(standin::tiny_cubin({{"bracket_add_u32_0", {}}}), 100);
  CHECK_FALSE(specimen.cubin);
  CHECK_THAT(specimen.log, Catch::Contains("its cubin is for sm_90"));
}
