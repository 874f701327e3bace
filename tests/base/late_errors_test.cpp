// SPDX-License-Identifier: Apache-2.0

// A network file system may take every byte and report only later that it could not keep them: when the system is told
// to put them on the disk, or when the file is closed. Here fsync and close are ours.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "../results/test_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "catch.h"

using namespace ptxlat;

namespace {

enum class Reports { never, fsync, close } reports = Reports::never;

// Of files that can be written: those that a folder is listed with are closed, too.
bool fails(int descriptor, Reports where) {
  if (reports != where || (::fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) return false;
  errno = EDQUOT;
  return true;
}

template <typename Work>
void check_refused(Work work) {
  try {
    work();
    FAIL("it was taken for whole");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    CHECK(std::string(error.what()).find("quota") != std::string::npos);
    CHECK_FALSE(error.advice.empty());
  }
}

}  // namespace

extern "C" int fsync(int descriptor) {
  return fails(descriptor, Reports::fsync) ? -1 : static_cast<int>(::syscall(SYS_fsync, descriptor));
}
extern "C" int close(int descriptor) {
  const bool failed = fails(descriptor, Reports::close);
  const auto status = static_cast<int>(::syscall(SYS_close, descriptor));
  if (failed) errno = EDQUOT;
  return failed ? -1 : status;
}

TEST_CASE("a file whose bytes are refused late does not replace the old one") {
  const TestFolder folder;
  const auto file = folder.path / "latency.csv";
  replace_file(file, "old");
  reports = GENERATE(Reports::fsync, Reports::close);
  check_refused([&] { replace_file(file, "new"); });
  reports = Reports::never;
  CHECK(read_file(file) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("a scratch file whose bytes are refused late is not read") {
  const TestFolder folder;
  ScratchFile file(folder.path);
  file.append("text");
  reports = GENERATE(Reports::fsync, Reports::close);
  check_refused([&] { file.text(); });
  reports = Reports::never;
}
