#include "measure/line.h"

#include <filesystem>

#include "catch.h"
#include "isa/catalogue.h"
#include "measure/chunks.h"

using namespace ptxlat;

namespace {

// Refuses every kernel and counts the modules.
class RefusingAssembler : public KernelAssembler {
 public:
  explicit RefusingAssembler(int& modules) : modules_(modules) {}
  BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int /*level*/) override {
    ++modules_;
    BatchOutcome outcome;
    for (const auto& kernel : kernels) outcome.kernels.push_back({std::nullopt, kernel.name, "refused"});
    return outcome;
  }

 private:
  int& modules_;
};

class NothingToDisassemble : public Disassembler {
 public:
  void disassemble(int /*sm*/, const std::vector<Instruction*>& instructions) override {
    REQUIRE(instructions.empty());
  }
};

// Cells that are too long to share a chunk of the line.
struct LongCells {
  std::filesystem::path templates = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates";
  Catalogue catalogue = load_catalogue({templates / "isa"});
  Skeletons skeletons = load_skeletons(templates);
  NothingToDisassemble disassembler;
  Line line{catalogue, skeletons, {}, {90, "a"}, disassembler, nullptr, 0, {}, nullptr, nullptr};
  std::vector<CellPlan> cells;

  LongCells() {
    line.toolchain.ptx_major = 9;
    std::vector<const Form*> forms;
    for (const auto& form : catalogue.forms) {
      if (form.ptx == "add.u32" || form.ptx == "sub.u32" || form.ptx == "fma.rn.f32") forms.push_back(&form);
    }
    cells = plan_cells(catalogue, skeletons, forms, {3});
    for (auto& cell : cells) cell.ptx_bytes = most_text_per_chunk;
  }
};

}  // namespace

TEST_CASE("the line cuts what is too long for one module, and leaves a chunk whole that is one already") {
  LongCells some;
  REQUIRE(some.cells.size() == 7);
  int modules_of_line = 0, modules_of_chunk = 0;
  std::size_t finished = 0;
  some.line.on_finished = [&](const std::vector<CellRecord>& cells) { finished += cells.size(); };
  std::vector<std::unique_ptr<KernelAssembler>> assemblers;
  assemblers.push_back(std::make_unique<RefusingAssembler>(modules_of_line));
  CHECK(run_line(some.line, assemblers, some.cells));
  CHECK(finished == some.cells.size());
  CHECK(modules_of_line >= 7);

  RefusingAssembler assembler(modules_of_chunk);
  const auto records = make_cells(some.line, assembler, some.cells);
  CHECK(records.size() == some.cells.size());
  for (const auto& record : records) CHECK(record.verdict == Verdict::rejected);
  CHECK(finished == some.cells.size());
  // Once with the first consumers and once with all others.
  CHECK(modules_of_chunk <= 2);
}
