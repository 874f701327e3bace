// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ptxlat {

// A library of the toolkit, opened at run time and never closed.
class OpenLibrary {
 public:
  // `name`: what the library should be, "NVRTC". Error{missing_tool} if it cannot be opened.
  OpenLibrary(std::string name, std::filesystem::path path);

  // Points `function` to the library's export `symbol`. Error{missing_tool} if there is none.
  template <typename Function>
  void load(Function& function, const char* symbol) const {
    function = reinterpret_cast<Function>(find(symbol));
  }

 private:
  void* find(const std::string& symbol) const;

  std::string name_;
  std::filesystem::path path_;
  void* handle_;
};

}  // namespace ptxlat
