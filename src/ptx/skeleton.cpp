// SPDX-License-Identifier: Apache-2.0
#include "ptx/skeleton.h"

#include <fmt/format.h>

#include <sstream>

#include "base/error.h"
#include "base/file.h"

namespace ptxlat::ptx {

Skeleton load_skeleton(const std::filesystem::path& file) {
  std::istringstream in(read_file(file, ExitCode::catalogue, "is the ptx_templates folder complete?"));
  Skeleton skeleton{file, {}};
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    for (const char c : line) {
      // ptxas rejects anything else, in comments too (method.md, trap 24).
      if (static_cast<unsigned char>(c) > 127) {
        throw Error(ExitCode::catalogue,
                    fmt::format("{}:{}: not ASCII, which PTX assemblers reject", file.string(), number));
      }
    }
    if (line.starts_with("//")) continue;
    skeleton.text += line + '\n';
  }
  return skeleton;
}

Skeletons load_skeletons(const std::filesystem::path& folder) {
  const auto from = [&](const char* name) {
    return load_skeleton(folder / "skeletons" / (std::string(name) + ".ptx"));
  };
  return {from("frame"),        from("subroutine"),        from("memory"),  from("overhead"),   from("bracket"),
          from("differential"), from("differential_base"), from("chain"),   from("chain_loop"), from("bridge"),
          from("stream"),       from("saturated"),         from("aligned"), from("every_sm"),   from("sm_clock")};
}

std::string fill(const Skeleton& skeleton, const std::map<std::string, std::string>& fillings) {
  std::string text;
  std::size_t at = 0;
  for (;;) {
    const auto open = skeleton.text.find("{{", at);
    if (open == std::string::npos) return text + skeleton.text.substr(at);
    const auto close = skeleton.text.find("}}", open);
    if (close == std::string::npos) {
      throw Error(ExitCode::catalogue, skeleton.file.string() + ": a hole is opened with {{ and never closed");
    }
    const auto name = skeleton.text.substr(open + 2, close - open - 2);
    const auto filling = fillings.find(name);
    if (filling == fillings.end()) {
      throw Error(ExitCode::catalogue,
                  fmt::format("{}: nothing fills the hole {{{{{}}}}}", skeleton.file.string(), name));
    }
    text += skeleton.text.substr(at, open - at) + filling->second;
    at = close + 2;
  }
}

}  // namespace ptxlat::ptx
