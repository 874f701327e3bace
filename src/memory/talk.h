// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/machine.h"

// The lines exchanged with a machine in a separate program, or stored in a log (docs/inference.md).
namespace ptxlat::memory {

std::string info_line(const MachineInfo& info);
// Throws std::exception if it does not describe a machine.
MachineInfo info_in(const std::string& line);

inline constexpr std::string_view prepare_request = R"({"prepare": true})";
// {"access": [[0, 128, 4]], "operator": "ca", "sm": 0}
std::string access_request(const std::vector<Addresses>& list, const std::string& with, int sm);

// The same with "touch", whose answer is {}.
std::string touch_request(const std::vector<Addresses>& list, const std::string& with, int sm);

// {"cycles": [4, 4.5]}
std::string cycles_line(const std::vector<double>& cycles);
std::optional<std::vector<double>> cycles_in(std::string_view answer);
// The same, or nothing if they are not as many as the addresses.
std::optional<std::vector<double>> cycles_for(const std::vector<Addresses>& list, std::string_view answer);

}  // namespace ptxlat::memory
