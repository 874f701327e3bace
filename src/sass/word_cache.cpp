// SPDX-License-Identifier: Apache-2.0
#include "sass/word_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstring>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/hash.h"

namespace ptxlat::sass {

namespace {

// Stall count, yield, scoreboards and wait mask (bits 41-57 of the high half) do not show in the text; operand reuse
// does, in Volta's.
constexpr std::uint64_t scheduling_bits = ((std::uint64_t{1} << 17) - 1) << 41;

constexpr std::size_t most_bytes = 32 << 20;
constexpr std::uint32_t format = 1;

// Before the entries of each block.
struct BlockHead {
  std::uint32_t format = 0;
  std::uint32_t bytes = 0;
  std::uint64_t checksum = 0;
};

// Before the text of each entry.
struct EntryHead {
  std::uint64_t low = 0, high = 0;
  std::int32_t target_distance = 0;
  std::uint16_t length = 0;
  std::uint16_t has_target = 0;
};
static_assert(sizeof(BlockHead) == 16 && sizeof(EntryHead) == 24);

std::uint64_t checksum_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}

template <class Head>
Head head_at(std::string_view content, std::size_t at) {
  Head head;
  std::memcpy(&head, content.data() + at, sizeof head);
  return head;
}

template <class Head>
void append(std::string& content, const Head& head) {
  content.append(reinterpret_cast<const char*>(&head), sizeof head);
}

// Nobody else may put words into it.
bool is_own_folder(const std::filesystem::path& folder) {
  struct stat status {};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder.parent_path(), failed);
  mkdir(folder.c_str(), S_IRWXU);
  return is_own_folder(folder);
}

}  // namespace

InstructionWord disassembly_key(const InstructionWord& word) { return {word.low, word.high & ~scheduling_bits}; }

std::size_t DisassemblyKeyHash::operator()(const InstructionWord& key) const noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>((key.low * odd) ^ ((key.high * odd) >> 7));
}

WordCache::WordCache(const std::filesystem::path& folder, const std::filesystem::path& disassembler, int sm) {
  if (folder.empty() || !make_folder(folder)) return;
  try {
    file_ = folder / fmt::format("{:016x}-sm{}.words", checksum_of(read_file(disassembler)), sm);
    std::error_code failed;
    if (std::filesystem::file_size(file_, failed) <= most_bytes && !failed) content_ = read_file(file_);
  } catch (const std::exception&) {
    content_.clear();
  }
  read();
}

void WordCache::read() {
  for (std::size_t at = 0; at + sizeof(BlockHead) <= content_.size();) {
    const auto block = head_at<BlockHead>(content_, at);
    const auto begin = at + sizeof block, end = begin + block.bytes;
    if (block.format != format || end > content_.size() ||
        checksum_of(std::string_view(content_).substr(begin, block.bytes)) != block.checksum)
      return;
    for (auto entry = begin; entry + sizeof(EntryHead) <= end;) {
      const auto head = head_at<EntryHead>(content_, entry);
      if (entry + sizeof head + head.length > end) return;
      places_[{head.low, head.high}] = entry;
      entry += sizeof head + head.length;
    }
    at = whole_ = end;
  }
}

std::optional<WordText> WordCache::find(const InstructionWord& key) const {
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  const auto head = head_at<EntryHead>(content_, found->second);
  return WordText{content_.substr(found->second + sizeof head, head.length), head.has_target != 0,
                  head.target_distance};
}

void WordCache::add(const std::vector<std::pair<InstructionWord, WordText>>& answers) const {
  if (file_.empty()) return;
  std::string entries;
  for (const auto& [key, text] : answers) {
    if (text.text.empty() || text.text.size() > UINT16_MAX) continue;
    append(entries, EntryHead{key.low, key.high, text.target_distance, static_cast<std::uint16_t>(text.text.size()),
                              static_cast<std::uint16_t>(text.has_target)});
    entries += text.text;
  }
  if (entries.empty()) return;
  std::string block;
  append(block, BlockHead{format, static_cast<std::uint32_t>(entries.size()), checksum_of(entries)});
  block += entries;
  const Descriptor file(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (file.number() < 0 || flock(file.number(), LOCK_EX | LOCK_NB) != 0) return;
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  // What was damaged when it was read, or has become too long, begins anew.
  const bool is_damaged = whole_ < content_.size() && size == content_.size();
  if ((is_damaged || size + block.size() > most_bytes) && ftruncate(file.number(), 0) != 0) return;
  if (block.size() <= most_bytes) write_all(file.number(), block);
}

}  // namespace ptxlat::sass
