// SPDX-License-Identifier: Apache-2.0
#include "script.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "isa/toml.h"

namespace standin {
namespace {

// The low nine bits of the opcodes of sm_70 and newer; the remaining three say where the operands come from.
const std::map<std::string, unsigned> mnemonics = {
    {"IADD3", 0x010}, {"LOP3", 0x012}, {"SHF", 0x019},  {"FMUL", 0x020}, {"FADD", 0x021}, {"FFMA", 0x023},
    {"IMAD", 0x024},  {"DMUL", 0x028}, {"DADD", 0x029}, {"DFMA", 0x02b}, {"MUFU", 0x108}, {"POPC", 0x109},
    {"S2R", 0x119},   {"LDG", 0x181},  {"LDC", 0x182},  {"LDS", 0x184},  {"STG", 0x186},  {"SHFL", 0x189}};

// The attributes that ptxlat or its tests ask for, by CUdevice_attribute; sm, sms and clocks are set apart.
const std::map<ptxlat::gpu::CUdevice_attribute, int> default_attributes = {
    {1, 1024},                 // threads of a CTA
    {8, 48 * 1024},            // shared memory of a CTA
    {10, 32},                  // lanes of a warp
    {37, 6144},                // bits of the memory's bus
    {38, 50 * 1024 * 1024},    // L2 cache
    {39, 2048},                // threads of an SM
    {81, 228 * 1024},          // shared memory of an SM
    {97, 227 * 1024},          // shared memory of a CTA that requests it
    {108, 32 * 1024 * 1024},   // L2 cache for persisting lines
    {109, 128 * 1024 * 1024},  // window of persisting lines
};

// One table of the script; every mistake in it is thrown with its line.
class Table {
 public:
  Table(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  [[noreturn]] void reject(const toml::node& at, const std::string& words) const {
    throw std::runtime_error(file_ + ":" + std::to_string(at.source().begin.line) + ": " + words);
  }
  [[noreturn]] void reject(const std::string& words) const { reject(table_, words); }

  void allow(const std::set<std::string_view>& keys) const {
    for (const auto& [key, node] : table_)
      if (!keys.contains(key.str())) reject(node, "unknown key \"" + std::string(key.str()) + "\"");
  }

  const toml::node* get(const char* key) const { return table_.get(key); }

  // All `…_of` leave `value` unchanged if the key is missing.
  template <typename Integer>
  void integer_of(const char* key, Integer& value, std::int64_t most = std::numeric_limits<Integer>::max()) const {
    if (const auto* node = get(key)) value = static_cast<Integer>(integer(*node, key, 0, most));
  }
  void string_of(const char* key, std::string& value) const {
    const auto* node = get(key);
    if (node == nullptr) return;
    if (!node->is_string()) reject(*node, std::string(key) + " must be a string");
    value = node->as_string()->get();
  }
  // An integer, or a list of them.
  void integers_of(const char* key, std::vector<std::int64_t>& values) const {
    const auto* node = get(key);
    if (node == nullptr) return;
    if (!node->is_array()) return values.push_back(integer(*node, key, 0, most_integer));
    for (const auto& item : list(*node, key)) values.push_back(integer(item, key, 0, most_integer));
  }

  std::int64_t integer(const toml::node& node, const std::string& key, std::int64_t least, std::int64_t most) const {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < least || number->get() > most)
      reject(node, key + " must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
    return number->get();
  }
  const toml::array& list(const toml::node& node, const std::string& key) const {
    if (!node.is_array() || node.as_array()->empty()) reject(node, key + " must be a list that is not empty");
    return *node.as_array();
  }
  std::vector<std::uint32_t> words(const toml::node& node, const std::string& key) const {
    std::vector<std::uint32_t> words;
    for (const auto& item : list(node, key))
      words.push_back(static_cast<std::uint32_t>(integer(item, key, 0, std::numeric_limits<std::uint32_t>::max())));
    return words;
  }

  static constexpr std::int64_t most_integer = std::numeric_limits<std::int64_t>::max();

 private:
  const toml::table& table_;
  const std::string& file_;
};

std::array<unsigned char, 16> read_uuid(const Table& table, const toml::node& node, std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '-'), text.end());
  if (text.size() != 32 || text.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    table.reject(node, "uuid must have 32 hexadecimal digits");
  std::array<unsigned char, 16> uuid{};
  for (std::size_t i = 0; i < uuid.size(); ++i)
    uuid[i] = static_cast<unsigned char>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  return uuid;
}

Device read_device(const Table& table, std::size_t ordinal) {
  table.allow({"name", "sm", "sms", "clock_khz", "memory_clock_khz", "memory", "uuid", "attributes"});
  Device device;
  int sms = 132, clock_khz = 1980000, memory_clock_khz = 3201000;
  table.string_of("name", device.name);
  table.integer_of("sm", device.sm);
  table.integer_of("sms", sms);
  table.integer_of("clock_khz", clock_khz);
  table.integer_of("memory_clock_khz", memory_clock_khz);
  table.integer_of("memory", device.memory, Table::most_integer);
  device.number = static_cast<int>(ordinal);
  device.uuid[0] = static_cast<unsigned char>(ordinal);
  std::string uuid;
  table.string_of("uuid", uuid);
  if (const auto* node = table.get("uuid")) device.uuid = read_uuid(table, *node, uuid);

  device.attributes = default_attributes;
  device.attributes[ptxlat::gpu::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = device.sm / 10;
  device.attributes[ptxlat::gpu::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = device.sm % 10;
  device.attributes[ptxlat::gpu::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = sms;
  device.attributes[ptxlat::gpu::CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = clock_khz;
  device.attributes[ptxlat::gpu::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] = memory_clock_khz;
  if (const auto* node = table.get("attributes")) {
    if (!node->is_table()) table.reject(*node, "attributes must be a table");
    for (const auto& [key, value] : *node->as_table()) {
      const std::string number(key.str());
      if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos)
        table.reject(value, "attributes are named by their numbers and not \"" + number + "\"");
      device.attributes[std::stoi(number)] = static_cast<int>(
          table.integer(value, number, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    }
  }
  return device;
}

Opcode read_opcode(const Table& table, const toml::node& node) {
  if (node.is_integer()) return {static_cast<unsigned>(table.integer(node, "code", 0, 0xfff)), 0xfff};
  const auto* name = node.as_string();
  const auto found = name == nullptr ? mnemonics.end() : mnemonics.find(name->get());
  if (found != mnemonics.end()) return {found->second, 0x1ff};
  std::string known;
  for (const auto& [mnemonic, bits] : mnemonics) known += (known.empty() ? "" : ", ") + mnemonic;
  table.reject(node, "code must be the 12 bits of an opcode or one of " + known);
}

Operand read_operand(const Table& rule, const toml::node& node, const std::string& file) {
  if (!node.is_table()) rule.reject(node, "operand must be a table");
  const Table table(*node.as_table(), file);
  table.allow({"index", "bits", "lane"});
  if (table.get("bits") == nullptr) rule.reject(node, "operand needs bits");
  Operand operand;
  table.integer_of("index", operand.index, 7);
  // TOML has signed integers only: bits from 2^63 are written as the negative number.
  operand.bits = static_cast<std::uint64_t>(
      table.integer(*table.get("bits"), "bits", std::numeric_limits<std::int64_t>::min(), Table::most_integer));
  if (const auto* lane = table.get("lane"))
    operand.lane = static_cast<unsigned>(table.integer(*lane, "lane", 0, 1 << 30));
  return operand;
}

Death read_death(const Table& table, const toml::node& node) {
  static const std::map<std::string, Death> deaths = {{"fault", Death::fault}, {"hang", Death::hang},
                                                      {"exit", Death::exit},   {"crash", Death::crash},
                                                      {"kill", Death::kill},   {"gpu", Death::gpu}};
  const auto found = node.is_string() ? deaths.find(node.as_string()->get()) : deaths.end();
  if (found == deaths.end())
    table.reject(node, "die must be \"fault\", \"hang\", \"exit\", \"crash\", \"kill\" or \"gpu\"");
  return found->second;
}

Answer read_words(const Table& table, const toml::node& node) {
  const auto* bytes = table.get("thread_bytes");
  const toml::array& words = table.list(node, "words");
  if (!words.front().is_array()) {
    if (bytes != nullptr) table.reject(*bytes, "thread_bytes needs words of each thread");
    return Words{table.words(node, "words")};
  }
  ThreadWords answer;
  table.integer_of("thread_bytes", answer.thread_bytes, 1 << 20);
  for (const auto& item : words) {
    answer.by_thread.push_back(table.words(item, "words"));
    if (sizeof(std::uint32_t) * answer.by_thread.back().size() > answer.thread_bytes)
      table.reject(item, "more words than fit in thread_bytes");
  }
  return answer;
}

Answer read_answer(const Table& table) {
  std::vector<const char*> given;
  for (const char* key : {"cycles", "spread", "lanes", "words", "die", "out_of_memory"})
    if (table.get(key) != nullptr) given.push_back(key);
  if (given.size() != 1)
    table.reject("a rule needs exactly one of cycles, spread, lanes, words, die and out_of_memory");
  const std::string key = given.front();
  const toml::node& node = *table.get(given.front());
  if (key != "words" && table.get("thread_bytes") != nullptr)
    table.reject(*table.get("thread_bytes"), "thread_bytes needs words of each thread");
  if (key == "words") return read_words(table, node);
  if (key == "spread") return Cycles{table.words(node, key)};
  if (key == "lanes") return LaneCycles{table.words(node, key)};
  if (key == "die") return read_death(table, node);
  if (key == "out_of_memory") {
    if (!node.is_boolean() || !node.as_boolean()->get()) table.reject(node, "out_of_memory can only be true");
    return OutOfMemory{};
  }
  Cycles answer{{0}};
  table.integer_of("cycles", answer.by_launch.front());
  return answer;
}

Rule read_rule(const Table& table, const std::string& file) {
  table.allow({"kernel", "code", "launch", "process", "device", "threads", "operand", "cycles", "spread", "lanes",
               "words", "thread_bytes", "die", "out_of_memory"});
  Rule rule;
  std::string kernel;
  table.string_of("kernel", kernel);
  if (const auto* node = table.get("kernel")) {
    try {
      rule.kernel = std::regex(kernel);
    } catch (const std::regex_error&) {
      table.reject(*node, "kernel is not a regular expression");
    }
  }
  if (const auto* node = table.get("code")) rule.code = read_opcode(table, *node);
  table.integers_of("launch", rule.launches);
  table.integers_of("process", rule.processes);
  table.integers_of("device", rule.devices);
  table.integers_of("threads", rule.threads);
  if (const auto* node = table.get("operand")) rule.operand = read_operand(table, *node, file);
  rule.answer = read_answer(table);
  return rule;
}

// Calls `read` with each table of the list under `key`.
template <typename Read>
void each_table(const toml::table& root, const char* key, const std::string& file, const Read& read) {
  const toml::node* node = root.get(key);
  if (node == nullptr) return;
  const Table at_root(root, file);
  for (const toml::node& item : at_root.list(*node, key)) {
    if (!item.is_table()) at_root.reject(item, std::string(key) + " must be a list of tables");
    read(Table(*item.as_table(), file));
  }
}

// The first number without a device hides the rest.
std::vector<Device> visible(const std::vector<Device>& devices) {
  const char* wanted = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!wanted) return devices;
  std::vector<Device> found;
  std::istringstream in(wanted);
  for (std::string word; std::getline(in, word, ',');) {
    const auto number = static_cast<std::size_t>(std::atoi(word.c_str()));
    if (number >= devices.size()) break;
    found.push_back(devices[number]);
  }
  return found;
}

Script environment_script() {
  const char* path = std::getenv("PTXLAT_STANDIN_SCRIPT");
  const toml::table nothing;
  if (!path || !*path) return {{read_device(Table(nothing, ""), 0)}, {}, true};
  try {
    return read_script(path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stand-in driver: %s\n", error.what());
    return {{}, {}, false};
  }
}

}  // namespace

Script read_script(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) throw std::runtime_error(path + ": cannot be read");
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(path + ":" + std::to_string(error.source().begin.line) + ": " +
                             std::string(error.description()));
  }
  Table(root, path).allow({"device", "rule"});
  Script script;
  each_table(root, "device", path,
             [&](const Table& table) { script.devices.push_back(read_device(table, script.devices.size())); });
  each_table(root, "rule", path, [&](const Table& table) { script.rules.push_back(read_rule(table, path)); });
  if (script.devices.empty()) script.devices.push_back(read_device(Table(toml::table(), path), 0));
  return script;
}

const Script& script() {
  static const Script read = [] {
    auto script = environment_script();
    script.devices = visible(script.devices);
    return script;
  }();
  return read;
}

}  // namespace standin
