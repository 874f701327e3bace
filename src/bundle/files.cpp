// SPDX-License-Identifier: Apache-2.0
#include "bundle/files.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/file.h"
#include "bundle/bytes.h"
#include "bundle/compress.h"

namespace ptxlat::bundle {

namespace fs = std::filesystem;

void add_folder(Files& files, const std::string& name, const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".toml" && extension != ".ptx") continue;
    files[name + "/" + entry.path().filename().string()] = read_file(entry.path(), ExitCode::catalogue, "");
  }
}

void write_folder(const Files& files, const std::string& name, const fs::path& folder) {
  const auto prefix = name + "/";
  for (const auto& [path, text] : files) {
    if (!path.starts_with(prefix)) continue;
    const auto file = folder / path.substr(prefix.size());
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw Error(ExitCode::storage, "cannot write " + file.string(), "is the disk full?");
  }
}

Bytes encode_files(const Files& files) {
  ByteWriter frame;
  for (const auto& [path, text] : files) {
    frame.put_text(path);
    frame.put_text(text);
  }
  return compress(frame.take());
}

Files decode_files(const Bytes& section) {
  const auto frame = decompress(section.data(), section.size());
  Files files;
  for (ByteReader reader(frame); reader.rest() > 0;) {
    const auto path = reader.get_text();
    if (!stays_inside(path))
      throw Error(ExitCode::storage, "the bundle has a file that points outside its folder: " + path);
    files[path] = reader.get_text();
  }
  return files;
}

}  // namespace ptxlat::bundle
