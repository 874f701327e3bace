// SPDX-License-Identifier: Apache-2.0
#include "tables/overview.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace ptxlat::tables {

namespace {

struct Question {
  const char* name;
  std::vector<std::string> forms;
};

const std::vector<Question>& questions() {
  static const std::vector<Question> asked = {
      {"integer",
       {"add.s32", "mad.lo.s32", "mul.hi.u32", "min.s32", "lop3.b32", "shl.b32", "popc.b32", "add.s64", "mad.lo.s64",
        "dp4a.s32.s32", "div.s32"}},
      {"single precision", {"add.f32", "mul.f32", "fma.rn.f32", "div.rn.f32", "sqrt.rn.f32"}},
      {"half precision", {"add.f16", "fma.rn.f16", "fma.rn.f16x2", "fma.rn.bf16x2"}},
      {"double precision", {"add.f64", "mul.f64", "fma.rn.f64", "div.rn.f64"}},
      {"special functions",
       {"rcp.approx.ftz.f32", "rsqrt.approx.ftz.f32", "sqrt.approx.ftz.f32", "ex2.approx.ftz.f32", "lg2.approx.ftz.f32",
        "sin.approx.ftz.f32", "tanh.approx.f32"}},
      {"conversion", {"cvt.rn.f32.s32", "cvt.rni.s32.f32", "cvt.rn.f16.f32", "cvt.f32.f16", "cvt.rn.f64.f32"}},
      {"loads and stores",
       {"ld.shared.u32", "ld.global.u32", "ld.const.u32", "ld.local.u32", "ld.shared::cluster.u32", "tex.2d.v4.f32.f32",
        "st.shared.u32"}},
      {"atomics", {"atom.shared.add.u32", "atom.global.add.u32"}},
      {"in a warp", {"shfl.sync.idx.b32", "vote.sync.ballot.b32", "redux.sync.add.s32"}},
      {"matrices",
       {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16"}},
  };
  return asked;
}

bool is_usual(const std::string& input) {
  static const std::set<std::string> usual = {"", "near", "far", "L1 hit", "L2 hit", "L2 hit, near", "L2 hit, far"};
  return usual.contains(input);
}

// Compilers emit these all the time, in any of their types.
bool is_common_opcode(const std::string& opcode) {
  static const std::set<std::string> common = {"abs",  "add",  "and",  "atom", "cvt",  "div",   "fma",  "ld",
                                               "lop3", "mad",  "max",  "min",  "mma",  "mov",   "mul",  "neg",
                                               "not",  "or",   "prmt", "rcp",  "rem",  "rsqrt", "selp", "setp",
                                               "shf",  "shfl", "shl",  "shr",  "sqrt", "st",    "sub",  "xor"};
  return common.contains(opcode);
}

// Hardly any program has these.
bool is_rare_opcode(const std::string& opcode) {
  static const std::set<std::string> rare = {"bmsk", "cnot", "fns",  "getctarank", "isspacep", "mapa",
                                             "sad",  "set",  "slct", "szext",      "testp"};
  return rare.contains(opcode);
}

// Up, down or towards zero: only interval arithmetic rounds like that.
bool has_directed_rounding(const std::string& ptx) {
  return ptx.find(".rm.") != std::string::npos || ptx.find(".rp.") != std::string::npos ||
         ptx.find(".rz.") != std::string::npos;
}

bool is_asked_first(const std::string& ptx) {
  return std::any_of(questions().begin(), questions().end(), [&](const Question& question) {
    return std::find(question.forms.begin(), question.forms.end(), ptx) != question.forms.end();
  });
}

}  // namespace

double commonness_of(const results::Record& record) {
  const auto names = [&](const char* word) { return record.chapter.find(word) != std::string::npos; };
  if (is_asked_first(record.ptx)) return 8;
  if (names("CUDA C")) return names("mathematical functions") ? 0.5 : 1;
  const auto opcode = record.ptx.substr(0, record.ptx.find('.'));
  if (names("video") || names("extended-precision") || is_rare_opcode(opcode)) return 0.5;
  if (has_directed_rounding(record.ptx)) return 1;
  return is_common_opcode(opcode) ? 4 : 2;
}

std::vector<OverviewGroup> overview_of(const Table& table) {
  std::unordered_map<std::string_view, std::vector<const Cell*>> cells;
  for (const Question& question : questions()) {
    for (const std::string& form : question.forms) cells[form];
  }
  for (const Cell& cell : table.cells) {
    const auto asked = cells.find(cell.record.ptx);
    if (asked != cells.end() && is_usual(cell.record.input)) asked->second.push_back(&cell);
  }
  std::vector<OverviewGroup> groups;
  for (const Question& question : questions()) {
    OverviewGroup group{question.name, {}};
    for (const std::string& form : question.forms) {
      std::set<std::string> inputs;
      for (Row& row : rows_of(cells[form])) {
        if (inputs.insert(row.highest().record.input).second) group.rows.push_back(std::move(row));
      }
    }
    if (!group.rows.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace ptxlat::tables
