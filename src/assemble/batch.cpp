// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "assemble/assembler.h"
#include "assemble/log_lines.h"

namespace ptxlat::assemble {
namespace {

using Indices = std::vector<std::size_t>;

// The text of a module and the line where each of its kernels starts.
struct Module {
  std::string ptx;
  Indices kernels;
  std::vector<std::size_t> first_lines;  // of each kernel, from 1

  // The position in `kernels` of the kernel that a line belongs to; kernels.size() for the header.
  std::size_t position_of_line(std::size_t line) const {
    const auto after = std::upper_bound(first_lines.begin(), first_lines.end(), line);
    return after == first_lines.begin() ? kernels.size() : static_cast<std::size_t>(after - first_lines.begin()) - 1;
  }
};

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Module make_module(const std::string& header, const std::vector<KernelText>& kernels, const Indices& chosen) {
  Module module{header + "\n", chosen, {}};
  std::size_t line = count_lines(module.ptx) + 1;
  for (const std::size_t index : chosen) {
    module.first_lines.push_back(line);
    module.ptx += kernels[index].body + "\n";
    line += count_lines(kernels[index].body) + 1;
  }
  return module;
}

// The kernels that the log of a rejected module names, by index into all kernels.
//   named       each has its own error; the values are the texts
//   candidates  a syntax error was noticed in them, or an error without a line names them: each is tried alone, because
//   a missing brace in one kernel is noticed in the next
struct Culprits {
  std::map<std::size_t, std::string> named;
  std::set<std::size_t> candidates;
};

std::string in_own_words(const Diagnostic& diagnostic, std::size_t first_line) {
  return "line " + std::to_string(diagnostic.line - first_line + 1) + ": " +
         (diagnostic.fatal ? "fatal: " : "error: ") + diagnostic.message + "\n";
}

Culprits find_culprits(const std::string& log, const Module& module, const std::vector<KernelText>& kernels) {
  Culprits culprits;
  for (const Diagnostic& diagnostic : diagnostics_in(log)) {
    if (diagnostic.line == 0) {
      for (const std::size_t index : module.kernels) {
        if (diagnostic.message.find("'" + kernels[index].name + "'") != std::string::npos)
          culprits.candidates.insert(index);
      }
      continue;
    }
    const std::size_t position = module.position_of_line(diagnostic.line);
    if (position == module.kernels.size()) continue;
    const std::size_t index = module.kernels[position];
    if (diagnostic.fatal) {
      culprits.candidates.insert(index);
    } else {
      culprits.named[index] += in_own_words(diagnostic, module.first_lines[position]);
    }
  }
  for (const auto& [index, words] : culprits.named) culprits.candidates.erase(index);
  return culprits;
}

// The log of a module with one kernel, with the lines counted from `first_line`.
std::string words_about_single(const std::string& log, std::size_t first_line) {
  std::string words;
  for (const Diagnostic& diagnostic : diagnostics_in(log)) {
    words += diagnostic.line >= first_line ? in_own_words(diagnostic, first_line)
                                           : (diagnostic.fatal ? "fatal: " : "error: ") + diagnostic.message + "\n";
  }
  return words.empty() ? log : words;
}

// ptxas rejects such characters even in comments (method.md, trap 24), and only gives the line in the module.
std::string rejected_characters(const std::string& body) {
  std::size_t line = 1;
  for (const char c : body) {
    if (c == '\n') ++line;
    if (static_cast<unsigned char>(c) >= 0x80) {
      return "line " + std::to_string(line) + ": error: PTX must be ASCII, comments included\n";
    }
  }
  return {};
}

// The log becomes a part of a record.
void shorten(std::string& log) {
  constexpr std::size_t most = 64 << 10;
  if (log.size() <= most) return;
  log.resize(most);
  log += "\n…\n";
}

// The state of one call of assemble_batch.
class Bisection {
 public:
  Bisection(Assembler& assembler, const std::string& header, const std::vector<KernelText>& kernels,
            const isa::Target& target, int level)
      : assembler_(assembler), header_(header), kernels_(kernels), target_(target), level_(level) {
    outcome_.kernels.resize(kernels.size());
  }

  BatchOutcome run() {
    Indices ascii;
    for (std::size_t index = 0; index < kernels_.size(); ++index) {
      outcome_.kernels[index].log = rejected_characters(kernels_[index].body);
      if (outcome_.kernels[index].log.empty()) ascii.push_back(index);
    }
    pending_.push_back(std::move(ascii));
    while (!pending_.empty()) {
      const Indices group = std::move(pending_.back());
      pending_.pop_back();
      if (!group.empty()) try_group(group);
    }
    for (auto& kernel : outcome_.kernels) shorten(kernel.log);
    return std::move(outcome_);
  }

 private:
  // Settles the whole group, or a part, and leaves the rest in pending_.
  void try_group(const Indices& group) {
    const Module module = make_module(header_, kernels_, group);
    ModuleOutcome assembled = assembler_.assemble(module.ptx, target_, level_);
    if (assembled.cubin) {
      accept(group, *std::move(assembled.cubin));
    } else if (group.size() == 1) {
      reject(group.front(), words_about_single(assembled.log, module.first_lines.front()), assembled.assembler_failed);
    } else {
      separate(group, find_culprits(assembled.log, module, kernels_), assembled.assembler_failed);
    }
  }

  void reject(std::size_t index, const std::string& words, bool assembler_failed) {
    outcome_.kernels[index].log = words;
    outcome_.kernels[index].assembler_failed = assembler_failed;
  }

  void separate(const Indices& group, const Culprits& culprits, bool assembler_failed) {
    if (culprits.named.empty() && culprits.candidates.empty() && !header_accepted()) {
      for (const std::size_t index : group) reject(index, header_log_, failed_at_header_);
      return;
    }
    for (const auto& [index, words] : culprits.named) reject(index, words, assembler_failed);
    bool found_one = !culprits.named.empty();
    for (const std::size_t index : culprits.candidates) {
      try_group({index});
      found_one = found_one || !outcome_.kernels[index].cubin;
    }
    Indices rest;
    for (const std::size_t index : group) {
      if (!culprits.named.contains(index) && !culprits.candidates.contains(index)) rest.push_back(index);
    }
    // ptxas does not report every error of a large module: the rest may well be rejected again.
    if (found_one) {
      pending_.push_back(std::move(rest));
      return;
    }
    const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(rest.size() / 2);
    pending_.emplace_back(middle, rest.end());
    pending_.emplace_back(rest.begin(), middle);
  }

  void accept(const Indices& group, Bytes cubin) {
    for (const std::size_t index : group) {
      outcome_.kernels[index].cubin = outcome_.cubins.size();
      outcome_.kernels[index].symbol = kernels_[index].name;
    }
    outcome_.cubins.push_back(std::move(cubin));
  }

  // One correct kernel, instead of every kernel in turn, shows whether the assembler rejects everything (wrong target
  // or version, broken, hanging).
  bool header_accepted() {
    if (!header_tried_) {
      header_tried_ = true;
      const std::string ptx = header_ + "\n.visible .entry ptxlat_nothing() { ret; }\n";
      const ModuleOutcome assembled = assembler_.assemble(ptx, target_, level_);
      if (!assembled.cubin) header_log_ = words_about_single(assembled.log, 1);
      failed_at_header_ = assembled.assembler_failed;
      header_accepted_ = assembled.cubin.has_value();
    }
    return header_accepted_;
  }

  Assembler& assembler_;
  const std::string& header_;
  const std::vector<KernelText>& kernels_;
  const isa::Target& target_;
  int level_;
  BatchOutcome outcome_;
  std::vector<Indices> pending_;
  bool header_tried_ = false;
  bool header_accepted_ = false;
  std::string header_log_;
  bool failed_at_header_ = false;
};

}  // namespace

BatchOutcome assemble_batch(Assembler& assembler, const std::string& header, const std::vector<KernelText>& kernels,
                            const isa::Target& target, int level) {
  return Bisection(assembler, header, kernels, target, level).run();
}

}  // namespace ptxlat::assemble
