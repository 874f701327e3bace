// `ptxlat show --table`: what a table knows of one form.
#include "../report/cells.h"
#include "ptxlat_program.h"

using namespace ptxlat;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string table_in(const PtxlatProgram& program) {
  results::Record add = cell_of("add.u32", 3, 4, "IADD3");
  give(add, results::metric::issue, 2);
  add.add_flag(results::flag::spread);
  report::write_table(program.folder() / "tables", table_of({add, cell_of("add.s32", 3, 4, "IADD3")}));
  return "tables/" + run_of().table;
}

}  // namespace

TEST_CASE("show prints every number that the table has of a form, what it was made of, and the machine code") {
  const PtxlatProgram program;
  const auto shown = program.run({"show", "add.u32", "--table", table_in(program)});
  CHECK(shown.status == 0);
  CHECK(has(shown.out, "cycles"));
  CHECK(has(shown.out, "4 cycles  from differential, differential base\n"));
  CHECK(has(shown.out, "2 cycles  from stream, stream twice\n"));
  CHECK(has(shown.out, "flags spread\n"));
  CHECK(has(shown.out, "IADD3 R4, R5, R6"));
}

TEST_CASE("show of a form that the table does not have is an unknown name, and prints nothing") {
  const PtxlatProgram program;
  const auto table = table_in(program);
  const auto other_form = program.run({"show", "add.s64", "--table", table});
  CHECK(other_form.status == 4);
  CHECK(other_form.out.empty());
  CHECK(has(other_form.err, "has no add.s64"));
  CHECK(has(other_form.err, "add.s32"));
  const auto other_level = program.run({"show", "add.u32", "--table", table, "-O", "0"});
  CHECK(other_level.status == 4);
  CHECK(other_level.out.empty());
  CHECK(has(other_level.err, "has no add.u32 at -O 0"));
}
