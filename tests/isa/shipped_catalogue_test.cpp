// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "catalogue_text.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::isa;
using Names = std::vector<std::string>;

namespace {

const Catalogue& shipped() {
  static const Catalogue catalogue = load_catalogue({std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates/isa"});
  return catalogue;
}

// Those of `wanted` that the catalogue lacks.
Names missing(const Names& wanted) {
  const Names names = spellings(shipped());
  const std::set<std::string> present(names.begin(), names.end());
  Names absent;
  for (const std::string& name : wanted) {
    if (!present.contains(name)) absent.push_back(name);
  }
  return absent;
}

Names with_types(const Names& stems, const Names& types) {
  Names names;
  for (const std::string& stem : stems) {
    for (const std::string& type : types) names.push_back(stem + "." + type);
  }
  return names;
}

Names input_names(const std::string& ptx) {
  Names names;
  for (const Input& input : form_called(shipped(), ptx).inputs) names.push_back(input.name);
  return names;
}

}  // namespace

TEST_CASE("the shipped catalogue loads, and each of its spellings is one form") {
  const Names names = spellings(shipped());
  CHECK(names.size() > 2500);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

// Arafa et al., "Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs", Table II, row by row.
TEST_CASE("every row of Arafa's Table II has its forms") {
  const Names all_integers = {"u16", "u32", "u64", "s16", "s32", "s64"};
  const Names words = {"u32", "s32"};
  const Names bits = {"b16", "b32", "b64"};
  const Names f32_roundings = {"rn", "rz", "rm", "rp"};
  CHECK(missing(with_types({"add", "sub", "min", "max"}, all_integers)).empty());
  CHECK(missing(with_types({"mul.lo", "mad.lo", "mul.hi", "mad.hi"}, all_integers)).empty());
  CHECK(missing(with_types({"div", "rem", "sad"}, all_integers)).empty());
  CHECK(missing(with_types({"abs"}, {"s16", "s32", "s64"})).empty());
  CHECK(missing(with_types({"mul24.lo", "mul24.hi", "mad24.lo", "mad24.hi"}, words)).empty());
  CHECK(missing(with_types({"and", "or", "not", "xor", "cnot", "shl", "shr"}, bits)).empty());
  CHECK(missing(with_types({"add", "sub", "min", "max", "mul"}, {"f32", "f64"})).empty());
  CHECK(missing(with_types({"mad.rn", "fma.rn", "div.rn"}, {"f32", "f64"})).empty());
  CHECK(missing(with_types({"add", "sub", "mul", "fma.rn"}, {"f16", "f16x2", "bf16", "bf16x2"})).empty());
  CHECK(missing(with_types({"add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc"}, words)).empty());
  CHECK(missing(with_types({"mad.lo.cc", "mad.hi.cc", "madc.lo", "madc.hi", "madc.lo.cc"}, words)).empty());
  CHECK(
      missing({"rcp.approx.f32", "rcp.rn.f32", "rcp.rn.f64", "sqrt.rn.f32", "sqrt.rn.f64", "sqrt.approx.f32"}).empty());
  CHECK(missing({"rsqrt.approx.f32", "rsqrt.approx.f64", "sin.approx.f32", "cos.approx.f32"}).empty());
  CHECK(missing({"lg2.approx.f32", "ex2.approx.f32", "copysign.f32", "copysign.f64"}).empty());
  CHECK(missing(with_types({"popc", "clz", "brev", "bfi"}, {"b32", "b64"})).empty());
  CHECK(missing(with_types({"bfind", "bfe"}, {"u32", "u64", "s32", "s64"})).empty());
}

TEST_CASE("every type, rounding and modifier of a few opcodes is there") {
  std::map<std::string, std::size_t> counts;
  for (const Form& form : shipped().forms) {
    if (has_target(form.requirement, {90, ""})) ++counts[form.section + " " + form.opcode];
  }
  // As many as ptxas 13.0 accepts for sm_90.
  CHECK(counts["9.7.1.1 add"] == 9);
  CHECK(counts["9.7.1.3 mul"] == 16);
  CHECK(counts["9.7.3.3 add"] == 25);
  CHECK(counts["9.7.3.6 fma"] == 20);
  CHECK(counts["9.7.3.8 div"] == 16);
  CHECK(counts["9.7.4.4 fma"] == 26);
  CHECK(counts["9.7.4.7 min"] == 24);
  CHECK(counts["9.7.8.9 shr"] == 9);
  CHECK(counts["9.7.9.7 prmt"] == 7);
  CHECK(counts["9.7.9.6 shfl.sync"] == 8);  // with and without the predicate
  CHECK(counts["9.7.9.21 cvt"] == 856);
}

// PTX ISA 9.7.9.8 and 9.7.9.11: each line of the grammar has its hints, with every type.
TEST_CASE("loads and stores of every ordering take each hint with every scalar type") {
  const Names types = {"b8",  "b16", "b32", "b64", "b128", "u8",  "u16", "u32",
                       "u64", "s8",  "s16", "s32", "s64",  "f32", "f64"};
  const Names prefetches = {"L2::64B", "L2::128B", "L2::256B"};
  Names hints = {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                 "L1::evict_last",   "L1::no_allocate",     "L2::cache_hint"};
  CHECK(
      missing(with_types(with_types({"st.global", "st.relaxed.gpu.global", "st.release.sys"}, hints), types)).empty());
  hints.insert(hints.end(), prefetches.begin(), prefetches.end());
  CHECK(
      missing(with_types(with_types({"ld.global", "ld.relaxed.gpu.global", "ld.acquire.sys"}, hints), types)).empty());
  CHECK(missing(with_types(with_types({"ld.volatile.global", "ld.volatile"}, prefetches), types)).empty());
  CHECK(
      missing(with_types(with_types({"ld.param::func", "ld.weak.param::func"}, {"ca", "cg", "cs", "lu", "cv"}), types))
          .empty());
}

// The spellings of CCCL's headers, libcudacxx/include/cuda/__ptx/instructions/generated/{ld,st}.h.
TEST_CASE("vectors of 256 bits take a hint for L1 together with a cache policy") {
  const Names stems =
      with_types({"ld.global", "ld.global.nc", "st.global"}, {"L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  CHECK(missing(with_types(stems, {"L2::cache_hint.v4.b64"})).empty());
}

TEST_CASE("instructions that cost more for some values have a class for them") {
  const Names divisors = {"", "power of two", "known power of two", "known"};
  CHECK(input_names("div.s32") == divisors);
  CHECK(input_names("rem.u64") == divisors);
  CHECK(input_names("div.rn.f32") == Names{"", "power of two", "known power of two", "known", "denormal", "slow path"});
  CHECK(input_names("sin.approx.f32") == Names{"", "denormal", "slow path"});
  CHECK(input_names("sqrt.rn.f64") == Names{"", "denormal", "slow path"});
  CHECK(input_names("add.u32") == Names{""});
  CHECK(input_names("ld.global.b32") == Names{"L1 hit", "L2 hit", "cold"});
  CHECK(input_names("tex.2d.v4.f32.f32") == Names{"", "divergent", "L2 hit"});
}

TEST_CASE("operands that the machine takes from uniform registers are uniform, and per lane in a separate class") {
  const auto uniform_names = [](const std::string& ptx, std::size_t input) {
    const Form& form = form_called(shipped(), ptx);
    Names names;
    for (const Operand& operand : form.operands) {
      const bool is_source = !operand.is_result || operand.is_inout;
      if (is_source && value_of(shipped(), form, form.inputs.at(input), operand).is_uniform)
        names.push_back(operand.name);
    }
    return names;
  };
  const std::string bulk = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
  CHECK(uniform_names(bulk, 0) == Names{"to", "from", "m"});
  CHECK(input_names(bulk) == Names{"16 B", "256 B", "4 KiB", "64 KiB", "16 B, divergent"});
  CHECK(uniform_names(bulk, 4).empty());
  const std::string tensor = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
  CHECK(uniform_names(tensor, 0) == Names{"to", "map", "c", "m"});
  CHECK(uniform_names(tensor, 1) == Names{"map"});
  for (const char* ptx :
       {"tex.1d.v4.f32.f32", "suld.b.1d.b32.trap", "txq.width.b32", "mbarrier.arrive_drop.shared.b64"}) {
    INFO(ptx);
    CHECK(uniform_names(ptx, 0) == Names{"a"});
    CHECK(input_names(ptx) == Names{"", "divergent"});
    CHECK(uniform_names(ptx, 1).empty());
  }
  CHECK(uniform_names("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", 0) == Names{"a", "b"});
}

TEST_CASE("local memory is at one offset in all lanes, as a spill is, and read back as local memory") {
  for (const char* ptx : {"ld.local.b32", "st.local.b32"}) {
    const Form& form = form_called(shipped(), ptx);
    CHECK(input_names(ptx) == Names{"", "divergent"});
    const auto address = std::find_if(form.operands.begin(), form.operands.end(),
                                      [](const Operand& operand) { return operand.name == "a"; });
    CHECK(value_of(shipped(), form, form.inputs.at(0), *address).last == "0");
    CHECK(value_of(shipped(), form, form.inputs.at(1), *address).last == "124");
  }
  CHECK(form_called(shipped(), "st.local.b32").inputs.front().completion.find("ld.local.b32") == 0);
}

TEST_CASE("each operand that can carry a dependence does") {
  CHECK(form_called(shipped(), "fma.rn.f32").dependence == Names{"a", "b", "c"});
  CHECK(form_called(shipped(), "selp.b32").dependence == Names{"a", "b", "c"});
  CHECK(form_called(shipped(), "madc.hi.cc.u32").dependence == Names{"a", "b", "c", "cc"});
  CHECK(form_called(shipped(), "shfl.sync.bfly.b32").dependence == Names{"a", "b"});
}

TEST_CASE("every value of the shipped catalogue has bits in every lane, and those that no entry names differ there") {
  for (const Form& form : shipped().forms) {
    for (const Variant& variant : variants_of(form)) {
      for (const Operand& operand : form.operands) {
        const bool is_source = !operand.is_result || operand.is_inout;
        if (!is_source) continue;
        const Object* object = object_of(shipped(), *variant.input, operand);
        const std::string type = object == nullptr ? operand.type : object->register_type;
        const Value value = value_of(shipped(), form, *variant.input, operand);
        const bool is_spread = lane_bits(value, type, 0) != lane_bits(value, type, 31);
        const bool is_named = variant.input->values.contains(operand.name);
        if (is_named || type == "imm" || (object != nullptr && object->offset != Offset::per_lane)) continue;
        INFO(form.ptx << " " << operand.name);
        CHECK(is_spread);
      }
    }
  }
}

TEST_CASE("no default integer divisor is a power of two in any lane") {
  for (const char* type : {"u16", "u32", "u64", "s16", "s32", "s64"}) {
    const Value& divisor = shipped().defaults.at(type).at(1);
    for (int lane = 0; lane < 32; ++lane) {
      const std::uint64_t bits = lane_bits(divisor, type, lane);
      INFO(type << " lane " << lane);
      CHECK((bits & (bits - 1)) != 0);
    }
  }
}

TEST_CASE("every result type has more than one consumer, because ptxas merges some pairs") {
  for (const char* type : {"u16", "u32", "u64", "s16", "s32", "s64", "b16", "b32", "b64", "f16", "f16x2", "bf16",
                           "bf16x2", "f32", "f64", "tf32", "pred"}) {
    const auto takes = [&](const Consumer& consumer) {
      return std::find(consumer.types.begin(), consumer.types.end(), type) != consumer.types.end();
    };
    INFO(type);
    CHECK(std::count_if(shipped().consumers.begin(), shipped().consumers.end(), takes) > 1);
  }
}

TEST_CASE("every completion of the shipped catalogue says correctly whether it reads back, uses the result or waits") {
  std::map<Completion, int> completions;
  for (const Form& form : shipped().forms) {
    for (const Input& input : form.inputs) {
      if (input.completion.empty()) continue;
      INFO(form.ptx << ": " << input.completion);
      const bool loads = input.completion.starts_with("ld.") || input.completion.starts_with("suld.");
      const bool converts = input.completion.starts_with("cvt.");
      CHECK(input.completion_is == (loads ? Completion::read_back : converts ? Completion::use : Completion::wait));
      ++completions[input.completion_is];
    }
  }
  CHECK(completions.size() == 3);
}

TEST_CASE("a part of the catalogue has the forms that the whole has of these opcodes") {
  const std::filesystem::path folder = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates/isa";
  const std::set<std::string> opcodes = {"add", "cvt", "bar", "mma", "ld"};
  const auto part = load_catalogue({folder}, opcodes);
  std::vector<const Form*> wanted;
  for (const auto& form : shipped().forms) {
    // `ptxlat measure` and `show` look for a form by the beginning of its spelling.
    const auto stem = form.ptx.substr(0, form.ptx.find_first_of(". "));
    if (stem != form.opcode.substr(0, form.opcode.find('.'))) FAIL(form.ptx);
    if (opcodes.contains(stem)) wanted.push_back(&form);
  }
  REQUIRE(part.forms.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(part.forms[i].ptx == wanted[i]->ptx);
    CHECK(part.forms[i].core == wanted[i]->core);
    CHECK(part.forms[i].inputs.size() == wanted[i]->inputs.size());
  }
  CHECK(part.consumers.size() == shipped().consumers.size());
}
