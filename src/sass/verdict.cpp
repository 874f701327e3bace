// SPDX-License-Identifier: Apache-2.0
#include "sass/verdict.h"

#include "base/named_values.h"

namespace ptxlat::sass {

namespace {

constexpr NamedValues<Verdict, 10> verdict_names = {{
    {Verdict::proven, "proven"},
    {Verdict::fused, "fused"},
    {Verdict::elided, "elided"},
    {Verdict::contaminated, "contaminated"},
    {Verdict::unstable, "unstable"},
    {Verdict::unsupported, "unsupported"},
    {Verdict::rejected, "rejected"},
    {Verdict::fault, "fault"},
    {Verdict::timeout, "timeout"},
    {Verdict::no_dependency, "no_dependency"},
}};

}  // namespace

const char* to_string(Verdict verdict) { return name_in(verdict_names, verdict); }
std::optional<Verdict> verdict_from(const std::string& name) { return value_in(verdict_names, name); }

}  // namespace ptxlat::sass
