// SPDX-License-Identifier: Apache-2.0
#include "results/source_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>

#include "base/error.h"
#include "results/store_file.h"

namespace ptxlat::results {

namespace {

namespace fs = std::filesystem;

constexpr int busy_timeout_ms = 10'000;

fs::path beside(const fs::path& file, const char* suffix) { return file.string() + suffix; }

// Where SQLite keeps what is not yet in the store, or what it takes back: the second where it cannot have the first.
constexpr std::array log_suffixes{"-wal", "-journal"};

std::unique_ptr<SQLite::Database> open_read_only(const fs::path& file, const char* parameters) {
  std::string uri = "file:";
  for (const char c : fs::absolute(file).string()) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return std::make_unique<SQLite::Database>(uri + parameters, SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                                            busy_timeout_ms);
}

// Whether one of them has something in it.
bool has_log(const fs::path& file) {
  return std::any_of(log_suffixes.begin(), log_suffixes.end(), [&](const char* suffix) {
    std::error_code none;
    const auto bytes = fs::file_size(beside(file, suffix), none);
    return !none && bytes > 0;
  });
}

// Whether the store can be read through the files that SQLite has beside one in use.
bool is_readable_in_place(const fs::path& file) {
  return ::access(beside(file, "-wal").c_str(), R_OK) == 0 && ::access(beside(file, "-shm").c_str(), R_OK | W_OK) == 0;
}

fs::file_time_type written_at(const fs::path& file) {
  std::error_code none;
  const auto time = fs::last_write_time(file, none);
  return none ? fs::file_time_type::min() : time;
}

}  // namespace

SourceStore::SourceStore(const fs::path& file) : file_(file) {
  open();
  limit_records(*connection_);
}

void SourceStore::open() {
  if (has_log(file_) && is_readable_in_place(file_)) {
    connection_ = open_read_only(file_, "?mode=ro");
    return;
  }
  state_.emplace_back(file_, written_at(file_));
  for (const char* suffix : log_suffixes) state_.emplace_back(beside(file_, suffix), written_at(beside(file_, suffix)));
  if (has_log(file_)) {
    copy();
  } else {
    connection_ = open_read_only(file_, "?immutable=1");
  }
}

SourceStore::~SourceStore() = default;

void SourceStore::copy() {
  copied_ = std::make_unique<TemporaryFolder>();
  const auto copied = copied_->path() / "store";
  const auto copy_part = [&](const char* suffix) {
    std::error_code error;
    const auto part = beside(copied, suffix);
    if (!fs::exists(beside(file_, suffix), error)) return;
    fs::copy_file(beside(file_, suffix), part, error);
    // A copy has the permissions of what it is made of.
    if (!error) fs::permissions(part, fs::perms::owner_read | fs::perms::owner_write, error);
    if (!error) return;
    throw Error(
        ExitCode::storage, fmt::format("cannot copy {} to a temporary folder: {}", file_.string(), error.message()),
        "It was not closed by the run that wrote it, and cannot be read where it is. Free some space in $TMPDIR, "
        "or copy it, with the files beside it, to a folder that can be written.");
  };
  copy_part("");
  for (const char* suffix : log_suffixes) copy_part(suffix);
  // Writing, since a journal has to be taken back first.
  connection_ = std::make_unique<SQLite::Database>(copied.string(), SQLite::OPEN_READWRITE, busy_timeout_ms);
}

void SourceStore::require_unchanged() const {
  for (const auto& [part, before] : state_) {
    if (written_at(part) == before) continue;
    throw Error(ExitCode::storage, fmt::format("{} was written to while it was read", file_.string()),
                "Nothing was merged: run the same command again.");
  }
}

}  // namespace ptxlat::results
