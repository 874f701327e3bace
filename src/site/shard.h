// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "results/json.h"

namespace ptxlat::site {

// A piece of the site's data as a script, `ptxlatShard("name","…");`. A page that was opened from a disk may not fetch
// files, but it may load scripts. The text is the JSON, compressed (zlib) and in base 85: nothing that a table says can
// end a string or a script. Bytes that are not UTF-8 become U+FFFD. Equal values give equal bytes. `name` is ours,
// never a text of a table.
std::string shard(const std::string& name, const results::Json& value);

// Four bytes in five digits, the first the highest, as in Ascii85: a sixteenth less text than base 64. Of a last group
// of n bytes, which zeros fill up, there are n + 1 digits. None of them means anything in a script's string or in HTML.
inline constexpr std::string_view base85_digits =
    "!#%()*+,-./0123456789:;=@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
static_assert(base85_digits.size() == 85);
std::string base85(const std::string& bytes);

}  // namespace ptxlat::site
