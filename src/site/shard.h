// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/json.h"

namespace ptxlat::site {

// A piece of the site's data as a script, `ptxlatShard("name","…");`. A page that was opened from a disk may not fetch
// files, but it may load scripts. The text is the JSON, compressed (zlib) and in base64: nothing that a table says can
// end a string or a script. Bytes that are not UTF-8 become U+FFFD. Equal values give equal bytes. `name` is ours,
// never a text of a table.
std::string shard(const std::string& name, const results::Json& value);

std::string base64(const std::string& bytes);

}  // namespace ptxlat::site
