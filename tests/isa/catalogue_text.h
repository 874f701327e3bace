// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "isa/catalogue.h"

namespace ptxlat {

// A catalogue folder that holds one file with this text, and is gone after the test.
class CatalogueText {
 public:
  explicit CatalogueText(const std::string& text) : folder_(make_folder()) { write("a.toml", text); }
  ~CatalogueText() { std::filesystem::remove_all(folder_); }
  CatalogueText(const CatalogueText&) = delete;
  CatalogueText& operator=(const CatalogueText&) = delete;

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  const std::filesystem::path& folder() const { return folder_; }
  isa::Catalogue load() const { return isa::load_catalogue({folder_}); }

  // What load_catalogue says about it, the folder's own name taken out; "" if it says nothing.
  std::string mistakes() const {
    try {
      load();
      return {};
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string prefix = folder_.string() + "/";
      for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
      return text;
    }
  }

 private:
  static std::filesystem::path make_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ptxlat-isa-XXXXXX").string();
    return mkdtemp(pattern.data());
  }

  std::filesystem::path folder_;
};

// The five lines that every catalogue below needs and no test is about; an entry after them begins at line 6.
inline const std::string preamble = R"(chapter = "test"
consumer = [{name = "eat", types = ["u32", "s32", "f32"], result = "u32", text = "mov.u32 {q}, {a};"}]
[default]
u32 = ["9 .. 71", "5 .. 67", "3 .. 65"]
f32 = ["1.0 .. 2.0", "1.5"]
)";

inline std::vector<std::string> spellings(const isa::Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const isa::Form& form : catalogue.forms) names.push_back(form.ptx);
  return names;
}

inline const isa::Form& form_called(const isa::Catalogue& catalogue, const std::string& ptx) {
  const auto found = std::find_if(catalogue.forms.begin(), catalogue.forms.end(),
                                  [&](const isa::Form& form) { return form.ptx == ptx; });
  if (found == catalogue.forms.end()) throw std::runtime_error("no form " + ptx);
  return *found;
}

}  // namespace ptxlat
