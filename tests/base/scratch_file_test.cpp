// SPDX-License-Identifier: Apache-2.0
#include "../results/test_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "catch.h"

using namespace ptxlat;

TEST_CASE("a scratch file has what was appended, where append says, and leaves nothing in its folder") {
  const TestFolder folder;
  const auto tables = folder.path / "tables";
  ScratchFile file(tables);
  CHECK(file.append("one ") == 0);
  CHECK(file.append("") == 4);
  CHECK(file.append("two") == 4);
  CHECK(file.text() == "one two");
  CHECK(std::filesystem::is_empty(tables));
  CHECK(ScratchFile(tables).text().empty());
}

TEST_CASE("a scratch file that cannot be made is an error of the disk, with what to do") {
  try {
    const ScratchFile file("/proc/none");
    FAIL("it was made");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    CHECK(std::string(error.what()).find("/proc/none") != std::string::npos);
  }
}
