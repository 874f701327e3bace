// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "results/record.h"
#include "results/run.h"

namespace ptxlat::pages {

// A window for people: role, verdict, schedule, cycles, and its machine code with control words, one instruction per
// line. Begins with an empty line.
std::string window_text(const results::WindowRecord& window);

// A fact and the probe that it was found by; views into the records.
struct FoundFact {
  const results::Record* probe = nullptr;
  const results::Fact* fact = nullptr;
};
// The facts of this quantity, with all pairs "key=value" of the condition.
std::vector<FoundFact> find_facts(const std::vector<results::Record>& records, const std::string& quantity,
                                  const std::string& condition);
// The quantities of the records' facts, each once.
std::vector<std::string> quantities_of(const std::vector<results::Record>& records);

// For people: the evidence for facts of one probe of the table in `folder`. For each fact, its fields and the file of
// the dialogue that it was inferred from; then the probe's run and, if it has series that the facts are about, each of
// them with the points that the facts predict. `facts` is not empty.
void write_evidence(std::ostream& out, const std::filesystem::path& folder, const std::vector<FoundFact>& facts,
                    const std::vector<results::Run>& runs);

// The windows that the facts were measured with: those of unrelated points are left out, if any others remain.
std::vector<const results::WindowRecord*> windows_behind(const std::vector<FoundFact>& facts);

}  // namespace ptxlat::pages
