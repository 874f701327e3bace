#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "assemble/process.h"

namespace ptxlat {

// A folder of toolkits made of shell scripts, for what must hold for any ptxas, broken ones included.
class FakeToolkits {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

  // toolkits/<name>/bin/<program>, a script with this body.
  std::filesystem::path add_program(const std::string& name, const std::string& program, const std::string& body) {
    const std::filesystem::path file = path() / name / "bin" / program;
    write(file, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

  std::filesystem::path add_version(const std::string& name, const std::string& program, const std::string& version) {
    return add_program(name, program, "echo '" + banner(version) + "'");
  }

  std::filesystem::path add_nvjitlink(const std::string& name, const std::string& version) {
    const std::filesystem::path file = path() / name / "lib" / "libnvJitLink.so.13";
    write(file, std::string("\x7f"
                            "ELF\0\0junk\0",
                            11) +
                    banner(version) + std::string("\0more", 5));
    return file;
  }

  static std::string banner(const std::string& version) {
    return "Cuda compilation tools, release " + version.substr(0, version.rfind('.')) + ", V" + version;
  }

 private:
  static void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

  TemporaryFolder folder_;
};

}  // namespace ptxlat
