#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infer/machine.h"

// The lines that a machine in another program, or in a log, is spoken to with (docs/inference.md).
namespace ptxlat::infer {

std::string info_line(const MachineInfo& info);
// Throws std::exception where it does not say what a machine is.
MachineInfo info_in(const std::string& line);

inline constexpr std::string_view prepare_request = R"({"prepare": true})";
// {"access": [[0, 128, 4]], "operator": "ca", "sm": 0}
std::string access_request(const std::vector<Addresses>& list, const std::string& with, int sm);

// The same with "touch", which is answered with {}.
std::string touch_request(const std::vector<Addresses>& list, const std::string& with, int sm);

// {"cycles": [4, 4.5]}
std::string cycles_line(const std::vector<double>& cycles);
std::optional<std::vector<double>> cycles_in(std::string_view answer);

}  // namespace ptxlat::infer
