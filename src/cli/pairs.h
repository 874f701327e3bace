// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ptxlat::cli {

// The rows in which the opcode is the producer, nearest consumer first, and then those in which it is the consumer.
// Error{unknown_name} if the table has none.
void show_pairs(const std::filesystem::path& table, const std::string& opcode);

}  // namespace ptxlat::cli
