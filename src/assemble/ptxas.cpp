// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include "assemble/log_lines.h"
#include "assemble/toolchain.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/process.h"

namespace ptxlat::assemble {
namespace {

// One program run per module, in this assembler's own folder. The file names are relative and always the same, so that
// logs are equal in every run.
class Ptxas : public Assembler {
 public:
  Ptxas(std::filesystem::path program, std::chrono::milliseconds deadline)
      : program_(std::move(program)), deadline_(deadline) {}

  ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) override {
    write_input(ptx);
    const std::filesystem::path cubin_path = folder_.path() / "module.cubin";
    std::filesystem::remove(cubin_path);
    const ProcessOutcome process = run_program(
        program_, {"-arch", target.name(), "-O" + std::to_string(level), "module.ptx", "-o", "module.cubin"},
        folder_.path(), deadline_, {most_assembler_bytes, most_assembled_bytes});

    ModuleOutcome outcome;
    outcome.log = process.output;
    if (process.ok()) {
      Bytes cubin = read(cubin_path);
      if (!cubin.empty()) {
        outcome.cubin = std::move(cubin);
        return outcome;
      }
    }
    require_space(ptx.size());
    if (lacks_memory(outcome.log)) {
      outcome.assembler_failed = outcome.lacked_memory = true;
      outcome.log = lacked_memory("ptxas");
      return outcome;
    }
    // ptxas rejects with status 1 or 255.
    const bool rejected = process.ended() && process.exit_status != 0 && blames_ptx(outcome.log);
    if (!rejected) {
      outcome.assembler_failed = true;
      outcome.log += failure_words("ptxas " + (process.ok() ? "wrote no cubin" : describe(process, deadline_))) + "\n";
    }
    return outcome;
  }

  CodeOrigin origin() override { return origin_of_ptxas(); }

 private:
  void write_input(const std::string& ptx) {
    const std::filesystem::path path = folder_.path() / "module.ptx";
    std::ofstream file(path, std::ios::binary);
    file << ptx;
    file.close();
    if (!file) throw_no_space("cannot write " + path.string());
  }

  static Bytes read(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) ||
        std::filesystem::file_size(path, error) > most_assembled_bytes)
      return {};
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
  }

  // On a full disk ptxas fails and removes the partial cubin, and every kernel would count as rejected. A cubin is a
  // few times the size of its PTX.
  void require_space(std::size_t ptx_size) const {
    const std::uintmax_t enough = (1U << 20) + 16 * ptx_size;
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(folder_.path(), error);
    if (!error && space.available < enough) throw_no_space("no space left in " + folder_.path().string());
  }

  [[noreturn]] static void throw_no_space(const std::string& message) {
    throw Error(ExitCode::storage, message, "free some space, or set TMPDIR to a folder on a disk that has some");
  }

  std::filesystem::path program_;
  std::chrono::milliseconds deadline_;
  TemporaryFolder folder_;
};

}  // namespace

std::unique_ptr<Assembler> make_ptxas(const Toolchain& toolchain, std::chrono::milliseconds deadline) {
  return std::make_unique<Ptxas>(toolchain.path, deadline);
}

}  // namespace ptxlat::assemble
