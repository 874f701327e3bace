// SPDX-License-Identifier: Apache-2.0
#include "base/beneath.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace ptxlat {

namespace {

constexpr int open_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// Takes the first component off a name.
std::string_view take_component(std::string_view& name) {
  const auto slash = name.find('/');
  const auto component = name.substr(0, slash);
  name.remove_prefix(slash == std::string_view::npos ? name.size() : slash + 1);
  return component;
}

void require_name_beneath(std::string_view name) {
  if (!is_name_beneath(name))
    throw Error(ExitCode::storage, fmt::format("\"{}\" cannot be the name of a file below a folder", printable(name)));
}

Error not_a_folder(int parent, const std::string& component, const std::filesystem::path& path, int error_number) {
  struct stat state {};
  if (::fstatat(parent, component.c_str(), &state, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(state.st_mode)) {
    return Error(ExitCode::storage, fmt::format("{} is a link", printable(path.string())),
                 "Links are not followed here: remove it, or name another folder.");
  }
  return file_error(path, "open the folder", error_number);
}

Descriptor open_named(const std::filesystem::path& folder, Missing missing) {
  if (missing == Missing::make) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw file_error(folder, "make the folder", error.value());
  }
  Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), open_flags));
  if (opened.number() < 0 && (missing == Missing::make || errno != ENOENT))
    throw file_error(folder, "open the folder", errno);
  return opened;
}

}  // namespace

bool is_name_beneath(std::string_view name) {
  if (name.empty() || name.back() == '/') return false;
  while (!name.empty()) {
    const auto component = take_component(name);
    if (component.empty() || component == "." || component == ".." || component.size() > NAME_MAX) return false;
    if (component.find('\0') != std::string_view::npos) return false;
  }
  return true;
}

Place place_of(const Folder& folder, std::string_view name) {
  require_name_beneath(name);
  const auto slash = name.rfind('/');
  if (slash == std::string_view::npos) return {folder, std::string(name)};
  const auto parent = name.substr(0, slash);
  const auto below = folder.below.empty() ? std::string(parent) : fmt::format("{}/{}", folder.below, parent);
  return {{folder.named, below}, std::string(name.substr(slash + 1))};
}

Descriptor open_folder(const Folder& folder, Missing missing) {
  if (!folder.below.empty()) require_name_beneath(folder.below);
  Descriptor opened = open_named(folder.named, missing);
  auto path = folder.named;
  for (std::string_view rest = folder.below; opened.number() >= 0 && !rest.empty();) {
    const std::string component(take_component(rest));
    path /= component;
    const auto open_component = [&] {
      return Descriptor(::openat(opened.number(), component.c_str(), open_flags | O_NOFOLLOW));
    };
    auto next = open_component();
    if (next.number() < 0 && errno == ENOENT && missing == Missing::make) {
      if (::mkdirat(opened.number(), component.c_str(), 0777) != 0 && errno != EEXIST)
        throw file_error(path, "make the folder", errno);
      next = open_component();
    }
    if (next.number() < 0 && (missing == Missing::make || errno != ENOENT))
      throw not_a_folder(opened.number(), component, path, errno);
    opened = std::move(next);
  }
  return opened;
}

}  // namespace ptxlat
