// SPDX-License-Identifier: Apache-2.0
#include "sass/disassembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <utility>

#include "base/environment.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/process.h"
#include "sass/opcodes.h"

namespace ptxlat::sass {

namespace {

// For each of three instructions: one cycle, no yield, no scoreboards. Different values would make nvdisasm mark pairs
// that issue together.
constexpr std::uint64_t plain_control = 0x7f1ull | 0x7f1ull << 21 | 0x7f1ull << 42;

// Instructions as they are in memory. Maxwell's last group is padded with its first instruction.
std::vector<std::uint64_t> image_of(CodeLayout layout, const std::vector<InstructionWord>& words) {
  std::vector<std::uint64_t> image;
  for (const auto& word : words) {
    if (layout == CodeLayout::maxwell && image.size() % 4 == 0) image.push_back(plain_control);
    image.push_back(word.low);
    if (layout == CodeLayout::volta) image.push_back(word.high);
  }
  image.resize(size_of_code(layout, words.size()) / sizeof(image[0]), words.front().low);
  return image;
}

constexpr int threads_per_batch_thread = 2;

// The last word of an instruction; nvdisasm writes a target before the image as -0xb0.
std::string_view last_word(std::string_view text) { return text.substr(text.rfind(' ') + 1); }

// Instructions whose last operand is an address in the kernel.
bool has_code_address(std::string_view text) {
  return has(opcode_of(text), Trait::code_address) &&
         (last_word(text).starts_with("0x") || last_word(text).starts_with("-0x"));
}

// One line of nvdisasm: "        /*00f0*/                   CS2R.32 R8, SR_CLOCKLO ;"
bool read_line(const std::string& line, int& offset, std::string& text) {
  const auto open = line.find("/*");
  const auto close = line.find("*/");
  if (open == std::string::npos || close == std::string::npos || line.find_first_not_of(' ') != open) return false;
  const auto [end, error] = std::from_chars(line.data() + open + 2, line.data() + close, offset, 16);
  if (error != std::errc{} || end != line.data() + close) return false;
  const auto start = line.find_first_not_of(' ', close + 2);
  const auto stop = line.rfind(';');
  if (start == std::string::npos || stop == std::string::npos || stop < start) return false;
  text = line.substr(start, stop - start);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return true;
}

// The text of the instruction at an offset, with a target relative to it.
WordText word_text(std::string text, int offset) {
  if (!has_code_address(text)) return {std::move(text), false, 0};
  const auto target = last_word(text);
  const bool is_negative = target.front() == '-';
  const auto digits = target.substr(is_negative ? 3 : 2);
  constexpr std::int64_t farthest = std::int64_t{1} << 30;
  std::int64_t address = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  // 32 bits with a sign, as in WARPSYNC 0xffffffff, whose operand is a mask up to sm_80.
  const bool fits = error == std::errc{} && end == digits.data() + digits.size() && address <= 0xffffffff;
  address = static_cast<std::int32_t>(is_negative ? -address : address);
  if (!fits || address > farthest || address < -farthest)
    throw Error(ExitCode::failure, fmt::format("it wrote a target that is not an address: {}", text));
  const auto before = text.size() - target.size();
  const auto distance = static_cast<int>(address) - offset;
  text.resize(before);
  return {std::move(text), true, distance};
}

}  // namespace

std::vector<WordText> words_in_listing(const std::string& listing, CodeLayout layout, std::size_t count) {
  std::map<int, std::size_t> index_at;  // offset → position
  for (std::size_t i = 0; i < count; ++i) index_at[offset_of(layout, i)] = i;
  std::vector<WordText> texts(count);
  for (std::size_t start = 0; start < listing.size();) {
    const auto end = std::min(listing.find('\n', start), listing.size());
    int offset = 0;
    std::string text;
    const bool is_instruction = read_line(listing.substr(start, end - start), offset, text);
    start = end + 1;
    const auto index = is_instruction ? index_at.find(offset) : index_at.end();
    if (index != index_at.end()) texts[index->second] = word_text(text, offset);
  }
  const bool is_listing = listing.find(".headerflags") != std::string::npos;
  for (auto& text : texts) {
    if (!text.text.empty()) continue;
    if (!is_listing) throw Error(ExitCode::failure, "it wrote no listing");
    text.text = unknown_instruction;
  }
  return texts;
}

std::string text_at(const WordText& text, int offset) {
  return text.has_target ? text.text + fmt::format("{:#x}", std::int64_t{offset} + text.target_distance) : text.text;
}

NvdisasmPace nvdisasm_pace(int threads) {
  constexpr int threads_per_process = 32;
  NvdisasmPace pace;
  pace.processes = std::max(1, threads / threads_per_process);
  pace.batch_threads = std::max(1, threads / threads_per_batch_thread);
  return pace;
}

Nvdisasm::Nvdisasm(std::filesystem::path nvdisasm, const NvdisasmPace& pace, std::filesystem::path cache)
    : nvdisasm_(std::move(nvdisasm)), pace_(pace), cache_folder_(std::move(cache)) {}

void Nvdisasm::begin_thread() {
  const std::scoped_lock lock(mutex_);
  ++threads_;
}

void Nvdisasm::end_thread() {
  const std::scoped_lock lock(mutex_);
  --threads_;
  answered_.notify_all();  // fewer are worth waiting for
}

bool Nvdisasm::are_enough_waiting() const {
  const int half = std::max(1, threads_ / threads_per_batch_thread);
  return asking_threads_ >= (threads_ == 0 ? pace_.batch_threads : std::min(pace_.batch_threads, half));
}

WordText Nvdisasm::known(const InstructionWord& key) {
  const std::scoped_lock lock(mutex_);
  return texts_.at(key);
}

void Nvdisasm::learn(const InstructionWord& key, WordText text) {
  const std::scoped_lock lock(mutex_);
  auto& known = texts_[key];
  if (known.text.empty()) known = std::move(text);
}

void Nvdisasm::disassemble(int sm, const std::vector<Instruction*>& instructions) {
  // A chunk has tens of thousands of instructions and a tenth as many words. All that a hundred threads do with each
  // instruction is outside of the lock.
  std::unordered_map<InstructionWord, const WordText*, DisassemblyKeyHash> texts;
  std::vector<std::pair<InstructionWord, const WordText**>> words;
  for (const auto* instruction : instructions) {
    const auto [place, is_new] = texts.try_emplace(disassembly_key(instruction->word));
    if (is_new) words.emplace_back(instruction->word, &place->second);
  }
  std::vector<const WordText*> unknown;
  std::unique_lock lock(mutex_);
  if (!cache_) cache_.emplace(cache_folder_, nvdisasm_, sm);
  const auto wanted_before = wanted_.size();
  for (const auto& [word, text] : words) {
    const auto [place, is_new] = texts_.try_emplace(disassembly_key(word));
    if (is_new) {
      if (auto kept = cache_->find(place->first)) {
        place->second = std::move(*kept);
      } else {
        wanted_.push_back(word);
      }
    }
    *text = &place->second;  // elements of a map stay where they are
    unknown.push_back(*text);
  }
  if (wanted_before == 0) first_wanted_ = std::chrono::steady_clock::now();
  if (wanted_.size() > wanted_before) ++asking_threads_;
  for (;;) {
    std::erase_if(unknown, [](const WordText* text) { return !text->text.empty(); });
    if (failure_ || unknown.empty()) break;
    if (wanted_.empty() || running_ == pace_.processes) {
      answered_.wait(lock);
    } else if (const auto latest = first_wanted_ + pace_.max_wait;
               are_enough_waiting() || std::chrono::steady_clock::now() >= latest) {
      ask_for_wanted(sm, lock);
    } else {
      answered_.wait_until(lock, latest);
    }
  }
  if (failure_) std::rethrow_exception(failure_);
  lock.unlock();  // known texts no longer change
  for (auto* instruction : instructions)
    instruction->text = text_at(*texts.at(disassembly_key(instruction->word)), instruction->offset);
}

// Passes all wanted words to one process, with the lock released while it runs.
void Nvdisasm::ask_for_wanted(int sm, std::unique_lock<std::mutex>& lock) {
  const auto words = std::exchange(wanted_, {});
  asking_threads_ = 0;
  ++running_;
  lock.unlock();
  std::vector<WordText> texts;
  std::exception_ptr failure;
  try {
    texts = ask(sm, words);
    std::vector<std::pair<InstructionWord, WordText>> answers;
    for (std::size_t i = 0; i < texts.size(); ++i) answers.emplace_back(disassembly_key(words[i]), texts[i]);
    cache_->add(answers);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  --running_;
  for (std::size_t i = 0; i < texts.size(); ++i) texts_[disassembly_key(words[i])] = std::move(texts[i]);
  if (failure) failure_ = failure;
  answered_.notify_all();
}

std::vector<WordText> Nvdisasm::ask(int sm, const std::vector<InstructionWord>& words) const {
  const auto layout = layout_of(sm);
  const TemporaryFolder folder;
  const auto image = folder.path() / "words.bin";
  {
    const auto code = image_of(layout, words);
    std::ofstream out(image, std::ios::binary);
    out.write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size() * sizeof(code[0])));
    out.flush();
    if (!out) throw Error(ExitCode::storage, "cannot write " + image.string(), "is the disk full?");
  }
  const auto deadline = scaled_deadline(std::chrono::seconds(60));
  const auto outcome = run_program(nvdisasm_, {"-ndf", "-b", fmt::format("SM{}", sm), image.string()}, folder.path(),
                                   deadline, {most_assembler_bytes, most_assembled_bytes});
  if (!outcome.ok()) {
    constexpr std::size_t most_words = 1000;
    throw Error(ExitCode::missing_tool,
                fmt::format("{} {}{}{}", nvdisasm_.string(), describe(outcome, deadline),
                            outcome.output.empty() ? "" : ": ", outcome.output.substr(0, most_words)),
                outcome.ended() ? "run " + toolkits_script() + " to get one that knows this architecture"
                                : "it may be broken: " + toolkits_script() + " tries it and downloads it again");
  }
  try {
    return words_in_listing(outcome.output, layout, words.size());
  } catch (const Error& error) {
    throw Error(ExitCode::missing_tool, fmt::format("{} for sm_{}: {}", nvdisasm_.string(), sm, error.what()),
                "run " + toolkits_script() + " to get a newer one");
  }
}

}  // namespace ptxlat::sass
