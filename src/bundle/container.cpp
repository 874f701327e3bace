// SPDX-License-Identifier: Apache-2.0
#include "bundle/container.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "base/limits.h"

namespace ptxlat::bundle {

namespace {

// The first bytes of every bundle, whatever its format.
struct Header {
  std::array<char, 8> magic = {'p', 't', 'x', 'l', 'a', 't', '\x1a', '\n'};
  std::uint32_t format = bundle_format;
  std::uint32_t checksum = 0;
};

// Precedes each payload. The checksum covers kind, size and payload.
struct SectionHeader {
  SectionKind kind = SectionKind::end;
  std::uint32_t checksum = 0;
  std::uint64_t size = 0;
};

std::uint32_t crc(std::uint32_t start, const void* data, std::size_t size) {
  if (size == 0) return start;  // zlib returns the initial checksum for no data
  return static_cast<std::uint32_t>(crc32_z(start, static_cast<const Bytef*>(data), size));
}

std::uint32_t checksum_of(const Header& header) { return crc(0, &header, offsetof(Header, checksum)); }

std::uint32_t checksum_of(const SectionHeader& header) {
  return crc(crc(0, &header.kind, sizeof header.kind), &header.size, sizeof header.size);
}

[[noreturn]] void reject(const std::filesystem::path& file, const std::string& what, const std::string& advice) {
  throw Error(ExitCode::storage, file.string() + " " + what, advice);
}

// A file that is read once from beginning to end.
class Scan {
 public:
  explicit Scan(const std::filesystem::path& file) : file_(file) {
    std::error_code error;
    // Checked before opening: opening a pipe waits for a writer.
    const bool is_file = std::filesystem::is_regular_file(file, error);
    if (is_file) {
      size_ = std::filesystem::file_size(file, error);
      in_.open(file, std::ios::binary);
    }
    if (!in_.is_open() || error) reject(file, "cannot be read", "does it exist, and is it a file that you may read?");
  }

  std::uint64_t rest() const { return size_ - position_; }
  std::uint64_t position() const { return position_; }
  std::uint32_t checksum() const { return checksum_; }

  // Call with size ≤ rest().
  void read(void* data, std::size_t size) {
    in_.read(static_cast<char*>(data), static_cast<std::streamsize>(size));
    if (!in_) reject(file_, "cannot be read to its end", "is the disk damaged?");
    position_ += size;
    checksum_ = crc(checksum_, data, size);
  }

  // The checksum of the next `size` bytes, continuing from `start`.
  std::uint32_t read_over(std::uint64_t size, std::uint32_t start) {
    Bytes buffer(std::min<std::uint64_t>(size, 1U << 20));
    while (size > 0) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size, buffer.size()));
      read(buffer.data(), part);
      start = crc(start, buffer.data(), part);
      size -= part;
    }
    return start;
  }

 private:
  const std::filesystem::path& file_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
  std::uint32_t checksum_ = 0;
};

void read_header(Scan& scan, const std::filesystem::path& file) {
  Header header;
  if (scan.rest() < sizeof header) reject(file, "is not a ptxlat bundle", "`ptxlat assemble` makes one");
  scan.read(&header, sizeof header);
  if (header.magic != Header{}.magic) reject(file, "is not a ptxlat bundle", "`ptxlat assemble` makes one");
  if (header.checksum != checksum_of(header)) reject(file, "was altered in its first 16 bytes", again);
  if (header.format > bundle_format) {
    reject(file, fmt::format("is a bundle of format {}; this ptxlat knows up to {}", header.format, bundle_format),
           "use the ptxlat that made it, or a newer one");
  }
}

}  // namespace

Contents read_contents(const std::filesystem::path& file) {
  Scan scan(file);
  read_header(scan, file);
  Contents contents;
  contents.end = scan.position();
  while (true) {
    SectionHeader header;
    if (scan.rest() >= sizeof header)
      scan.read(&header, sizeof header);
    else
      header.size = scan.rest() + 1;
    if (header.size > scan.rest()) {
      contents.problem = fmt::format("is truncated or altered after its first {} bytes", contents.end);
      return contents;
    }
    const Section section{header.kind, scan.position(), header.size};
    if (scan.read_over(header.size, checksum_of(header)) != header.checksum) {
      contents.problem = fmt::format("was altered between its bytes {} and {}", contents.end, scan.position());
      return contents;
    }
    if (header.kind == SectionKind::end) break;
    contents.end = scan.position();
    contents.sections.push_back(section);
  }
  if (scan.rest() > 0) contents.problem = fmt::format("has {} bytes after its end", scan.rest());
  contents.checksum = scan.checksum();
  return contents;
}

Bytes read_section(const std::filesystem::path& file, const Section& section) {
  if (section.size > most_file_bytes)
    reject(file, fmt::format("has a section of {} bytes, more than any that ptxlat makes", section.size), again);
  std::ifstream in(file, std::ios::binary);
  Bytes payload(section.size);
  in.seekg(static_cast<std::streamoff>(section.offset));
  in.read(reinterpret_cast<char*>(payload.data()), static_cast<std::streamsize>(payload.size()));
  if (!in) reject(file, "cannot be read any more", "was it changed since the run began?");
  return payload;
}

namespace {

// Whether a file may be renamed to this path, which replaces whatever is there, even a device.
bool is_free_or_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

}  // namespace

BundleWriter::BundleWriter(const std::filesystem::path& file) : file_(file), part_(file.string() + ".part") {
  for (const auto& path : {file_, part_}) {
    if (!is_free_or_file(path)) reject(path, "exists and is not a file", "name another file with -o");
  }
  descriptor_ = open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    reject(part_, fmt::format("cannot be written: {}", std::strerror(errno)),
           "does the folder exist, and may you write to it?");
  }
  // The previous owner may have renamed it to its final name in the meantime.
  struct stat held {
  }, named{};
  const bool is_ours = flock(descriptor_, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor_, &held) == 0 &&
                       stat(part_.c_str(), &named) == 0 && held.st_ino == named.st_ino;
  if (is_ours) return;
  close(descriptor_);
  reject(part_, "is being written by another ptxlat", "wait for it, or name another file with -o");
}

std::filesystem::path BundleWriter::leftover() const {
  return std::filesystem::file_size(part_) > 0 ? part_ : std::filesystem::path{};
}

void BundleWriter::begin(std::uint64_t keep) {
  if (ftruncate(descriptor_, static_cast<off_t>(keep)) != 0 || lseek(descriptor_, 0, SEEK_END) < 0)
    reject(part_, fmt::format("cannot be written: {}", std::strerror(errno)), "is it a file?");
  if (keep > 0) return;
  Header header;
  header.checksum = checksum_of(header);
  write(&header, sizeof header);
}

BundleWriter::~BundleWriter() { close(descriptor_); }

void BundleWriter::add(SectionKind kind, const Bytes& payload) {
  SectionHeader header{kind, 0, payload.size()};
  header.checksum = crc(checksum_of(header), payload.data(), payload.size());
  write(&header, sizeof header);
  write(payload.data(), payload.size());
}

void BundleWriter::finish() {
  add(SectionKind::end, {});
  const bool is_safe = settle(descriptor_) && rename(part_.c_str(), file_.c_str()) == 0;
  if (!is_safe) reject(file_, fmt::format("cannot be written: {}", std::strerror(errno)), "is the disk full?");
}

void BundleWriter::write(const void* data, std::size_t size) {
  if (!write_all(descriptor_, {static_cast<const char*>(data), size})) {
    reject(part_, fmt::format("cannot be written: {}", std::strerror(errno)),
           "free some space; rerun the same command to continue");
  }
}

}  // namespace ptxlat::bundle
