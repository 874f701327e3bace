// SPDX-License-Identifier: Apache-2.0
#include "snippet/flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "isa/types.h"
#include "snippet/types.h"

namespace ptxlat::snippet {

namespace {

std::string stem_of(const Instruction& instruction) { return stem_of(*instruction.statement); }

bool is_address(const Bound& bound) { return isa::find_type(bound.type) == nullptr; }

// Why an instruction cannot be part of a snippet; empty if it can.
std::string why_not_in_a_snippet(const Instruction& instruction, const isa::Catalogue& catalogue) {
  const auto& form = *instruction.form;
  const auto& input = form.inputs.front();
  if (!form.not_measurable.empty()) return form.not_measurable;
  if (form.threads != 32 || form.cluster != 1)
    return fmt::format("it needs {} threads and {} CTAs, but a snippet runs in one warp", form.threads, form.cluster);
  for (const auto& operand : form.operands) {
    const auto object = catalogue.objects.find(operand.type);
    if (object != catalogue.objects.end() && !object->second.is_address)
      return fmt::format("its operand {} is a {}, which only `ptxlat show {}` can set up", operand.name, operand.type,
                         form.ptx);
  }
  if (!input.around.empty() || !input.prepare.empty() || !form.cleanup.empty() || !form.directives.empty())
    return "a snippet cannot contain what it needs before or after it";
  const bool has_register = std::any_of(instruction.operands.begin(), instruction.operands.end(),
                                        [](const Bound& b) { return !b.is_literal; });
  if (!has_register && instruction.operands.empty()) return "it has no registers: a synchronization or a fence";
  const bool has_result =
      std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const Bound& b) { return b.is_result; });
  if (!has_result && !instruction.writes_carry && !stores(instruction))
    return "it produces no value and stores none: nothing can wait for it";
  return {};
}

// Gives each register its values, instruction by instruction.
class Numbering {
 public:
  explicit Numbering(Snippet& snippet) : snippet_(snippet) {}

  void number() {
    for (std::size_t i = 0; i < snippet_.instructions.size(); ++i) number(i);
    for (std::size_t i = 0; i < snippet_.instructions.size(); ++i) forget_overwritten(i);
  }
  const std::map<std::string, std::size_t>& last() const { return current_; }

 private:
  std::size_t add(const std::string& name, std::optional<std::size_t> definition, Place place) {
    snippet_.values.push_back({name, {}, definition, place});
    return snippet_.values.size() - 1;
  }

  std::size_t read(const std::string& name, Place place) {
    if (const auto known = current_.find(name); known != current_.end()) return known->second;
    return current_[name] = add(name, std::nullopt, place);
  }

  void number(std::size_t index) {
    const auto& instruction = snippet_.instructions[index];
    const auto& statement = *instruction.statement;
    Flow flow;
    if (statement.guard) {
      flow.guard = read(statement.guard->name.text, statement.guard->name.place);
      flow.reads.push_back(*flow.guard);
    }
    for (const auto& bound : instruction.operands) {
      if (bound.is_literal || bound.is_result) continue;
      const auto& token = statement.operands[bound.token];
      flow.of_token[bound.token] = read(token.text, token.place);
      flow.reads.push_back(flow.of_token[bound.token]);
    }
    if (instruction.reads_carry) flow.reads.push_back(read(carry_name, statement.place));
    add_memory(index, flow);
    for (const auto& bound : instruction.operands) {
      if (!bound.is_result || bound.is_sink) continue;
      const auto& token = statement.operands[bound.token];
      write(token.text, token.place, index, bound.is_inout || statement.guard.has_value(), flow, bound.token);
    }
    if (instruction.writes_carry)
      write(carry_name, statement.place, index, statement.guard.has_value(), flow, std::nullopt);
    snippet_.flows.push_back(std::move(flow));
  }

  void write(const std::string& name, Place place, std::size_t index, bool keeps_old, Flow& flow,
             std::optional<std::size_t> token) {
    std::optional<std::size_t> old;
    if (keeps_old) flow.reads.push_back(*(old = read(name, place)));
    const auto made = add(name, index, place);
    if (old) flow.ties.emplace_back(made, *old);
    if (token) flow.of_token[*token] = made;
    flow.writes.push_back(made);
    current_[name] = made;
  }

  // `@p mov d, x; @!p mov d, y`: one of the two writes d, so what it was before does not matter.
  void forget_overwritten(std::size_t second) {
    for (const auto& [made, old] : snippet_.flows[second].ties) {
      const auto first = snippet_.values[old].definition;
      const auto& reads = snippet_.flows[second].reads;
      const bool is_operand_too = std::count(reads.begin(), reads.end(), old) > 1;
      if (!first || is_operand_too || !are_complementary(*first, second) || readers_of(old) != 1) continue;
      auto& flow = snippet_.flows[*first];
      const auto tie = std::find_if(flow.ties.begin(), flow.ties.end(),
                                    [&, kept = old](const auto& one) { return one.first == kept; });
      if (tie == flow.ties.end()) continue;
      flow.reads.erase(std::find(flow.reads.begin(), flow.reads.end(), tie->second));
      flow.ties.erase(tie);
    }
  }

  bool are_complementary(std::size_t first, std::size_t second) const {
    const auto& one = snippet_.instructions[first].statement->guard;
    const auto& other = snippet_.instructions[second].statement->guard;
    return one && other && one->is_negated != other->is_negated &&
           snippet_.flows[first].guard == snippet_.flows[second].guard;
  }

  std::ptrdiff_t readers_of(std::size_t value) const {
    return std::count_if(snippet_.flows.begin(), snippet_.flows.end(), [&](const Flow& flow) {
      return std::find(flow.reads.begin(), flow.reads.end(), value) != flow.reads.end();
    });
  }

  // The address of an access, as the text has it: "%p+4" of shared memory.
  struct Access {
    std::size_t instruction;
    std::string space;
    std::size_t base;
    std::string offset;
  };

  void add_memory(std::size_t index, Flow& flow) {
    const auto& instruction = snippet_.instructions[index];
    for (const auto& bound : instruction.operands) {
      if (!is_address(bound) || bound.is_literal) continue;
      const auto& tokens = instruction.statement->operands;
      Access access{index, bound.type, flow.of_token[bound.token], {}};
      for (auto at = bound.token + 1; at < tokens.size() && tokens[at].text != "]"; ++at)
        access.offset += tokens[at].text;
      for (const auto& store : stores_) {
        const bool is_read = loads(instruction) && store.space == access.space;
        if (!is_read) continue;
        if (store.base != access.base) {
          fail(
              snippet_.name, instruction.statement->place,
              fmt::format("whether {} reads what the store at {}:{} wrote is not known: their addresses are different "
                          "registers",
                          instruction.statement->opcode, snippet_.instructions[store.instruction].statement->place.line,
                          snippet_.instructions[store.instruction].statement->place.column),
              "use one register for both addresses, or leave out the store");
        }
        if (store.offset == access.offset) flow.stores.push_back(store.instruction);
      }
      if (stores(instruction)) stores_.push_back(access);
    }
  }

  Snippet& snippet_;
  std::map<std::string, std::size_t> current_;
  std::vector<Access> stores_;
};

bool is_read(const Snippet& snippet, std::size_t value) {
  return std::any_of(snippet.flows.begin(), snippet.flows.end(), [&](const Flow& flow) {
    return std::find(flow.reads.begin(), flow.reads.end(), value) != flow.reads.end();
  });
}

void find_sources(Snippet& snippet, const std::vector<NamedRegister>& marked) {
  for (std::size_t i = 0; i < snippet.values.size(); ++i) {
    if (snippet.values[i].definition || !is_read(snippet, i)) continue;
    const auto& value = snippet.values[i];
    const bool is_marked =
        std::any_of(marked.begin(), marked.end(), [&](const NamedRegister& one) { return one.name == value.name; });
    if (!marked.empty() && !is_marked && value.name != carry_name) {
      fail(snippet.name, value.place,
           fmt::format("{} is read here, and it is neither written before nor marked as a source", value.name));
    }
    snippet.sources.push_back(i);
  }
  if (!marked.empty()) {
    const auto rank = [&](std::size_t value) {
      return std::find_if(marked.begin(), marked.end(),
                          [&](const NamedRegister& one) { return one.name == snippet.values[value].name; }) -
             marked.begin();
    };
    std::stable_sort(snippet.sources.begin(), snippet.sources.end(),
                     [&](std::size_t x, std::size_t y) { return rank(x) < rank(y); });
  }
  for (const auto& one : marked) {
    const auto is_this = [&](std::size_t value) { return snippet.values[value].name == one.name; };
    if (std::none_of(snippet.sources.begin(), snippet.sources.end(), is_this))
      snippet.remarks.push_back(
          fmt::format("source {} is not used: no instruction reads it before it is written", one.name));
  }
}

// Whether a value only goes to memory, from which no later instruction reads it: then it is a result of the snippet.
bool is_only_stored(const Snippet& snippet, std::size_t value) {
  bool is_stored = false;
  for (std::size_t i = 0; i < snippet.flows.size(); ++i) {
    const auto& flow = snippet.flows[i];
    if (std::find(flow.reads.begin(), flow.reads.end(), value) == flow.reads.end()) continue;
    const auto& instruction = snippet.instructions[i];
    const auto is_operand = [&](const Bound& bound) {
      const auto token = flow.of_token.find(bound.token);
      return token != flow.of_token.end() && token->second == value;
    };
    const bool is_data = std::all_of(instruction.operands.begin(), instruction.operands.end(),
                                     [&](const Bound& bound) { return !is_operand(bound) || !is_address(bound); });
    const bool is_guard = flow.guard == value;
    const bool is_read_back = std::any_of(snippet.flows.begin(), snippet.flows.end(), [&](const Flow& other) {
      return std::find(other.stores.begin(), other.stores.end(), i) != other.stores.end();
    });
    if (!stores(instruction) || !flow.writes.empty() || !is_data || is_guard || is_read_back) return false;
    is_stored = true;
  }
  return is_stored;
}

// If the user named none: the last value of each register, if nothing in the snippet reads it, if it is stored, or if
// the rest of its kernel reads it.
void find_results(Snippet& snippet, const std::map<std::string, std::size_t>& last,
                  const std::vector<NamedRegister>& marked) {
  for (const auto& one : marked) {
    const auto found = last.find(one.name);
    if (found == last.end() || !snippet.values[found->second].definition)
      fail(snippet.name, one.place, fmt::format("no instruction writes the result {}", one.name));
    snippet.results.push_back(found->second);
  }
  if (!marked.empty()) return;
  std::vector<std::size_t> unread;
  for (std::size_t i = 0; i < snippet.values.size(); ++i) {
    const auto& value = snippet.values[i];
    const bool is_last = value.definition && last.at(value.name) == i;
    if (!is_last || value.name == carry_name || snippet.text.not_results.contains(value.name)) continue;
    if (snippet.text.read_elsewhere.contains(value.name) || is_only_stored(snippet, i)) {
      snippet.results.push_back(i);
    } else if (!is_read(snippet, i)) {
      unread.push_back(i);
    }
  }
  if (snippet.text.is_of_kernel && !snippet.results.empty()) return;
  snippet.results.insert(snippet.results.end(), unread.begin(), unread.end());
  std::sort(snippet.results.begin(), snippet.results.end());  // as in the text
}

void find_live(Snippet& snippet) {
  auto needed = needed_for(snippet, snippet.results);
  for (std::size_t i = 0; i < snippet.instructions.size(); ++i) {
    if (!stores(snippet.instructions[i])) continue;
    needed.insert(i);
    for (const auto value : snippet.flows[i].reads) {
      const auto more = needed_for(snippet, {value});
      needed.insert(more.begin(), more.end());
    }
  }
  for (std::size_t i = 0; i < snippet.instructions.size(); ++i) {
    snippet.live.push_back(needed.contains(i));
    const bool is_measured_alone = snippet.results.empty() && snippet.instructions.size() == 1;
    if (snippet.live.back() || is_measured_alone) continue;
    const auto& statement = *snippet.instructions[i].statement;
    snippet.remarks.push_back(fmt::format("{}:{}: {} feeds no result and is left out", statement.place.line,
                                          statement.place.column, statement.opcode));
  }
  for (const auto source : snippet.sources) {
    const bool is_used = std::any_of(needed.begin(), needed.end(), [&](std::size_t i) {
      const auto& reads = snippet.flows[i].reads;
      return std::find(reads.begin(), reads.end(), source) != reads.end();
    });
    if (!is_used)
      snippet.remarks.push_back(
          fmt::format("nothing that leads to a result reads source {}", snippet.values[source].name));
  }
}

}  // namespace

bool stores(const Instruction& instruction) {
  const auto stem = stem_of(instruction);
  return stem == "st" || stem == "red" || stem == "atom";
}

bool loads(const Instruction& instruction) {
  const auto stem = stem_of(instruction);
  return stem == "ld" || stem == "ldu" || stem == "atom";
}

std::set<std::size_t> needed_for(const Snippet& snippet, const std::vector<std::size_t>& values) {
  std::set<std::size_t> needed;
  std::vector<std::size_t> open;
  const auto add = [&](std::size_t value) {
    const auto& definition = snippet.values[value].definition;
    if (definition && needed.insert(*definition).second) open.push_back(*definition);
  };
  for (const auto value : values) add(value);
  while (!open.empty()) {
    const auto& flow = snippet.flows[open.back()];
    open.pop_back();
    for (const auto value : flow.reads) add(value);
    for (const auto store : flow.stores) {
      if (needed.insert(store).second) open.push_back(store);
    }
  }
  return needed;
}

bool makes_constant(const Snippet& snippet, std::size_t instruction) {
  const auto needed = needed_for(snippet, snippet.flows[instruction].writes);
  return std::all_of(needed.begin(), needed.end(), [&](std::size_t i) {
    const auto& flow = snippet.flows[i];
    const auto& tokens = snippet.instructions[i].statement->operands;
    // A name that is no register is a special register, or a symbol.
    bool has_other_names = false;
    for (std::size_t token = 0; token < tokens.size(); ++token)
      has_other_names |= tokens[token].kind == Token::Kind::name && !flow.of_token.contains(token);
    const bool reads_source = std::any_of(flow.reads.begin(), flow.reads.end(),
                                          [&](std::size_t value) { return !snippet.values[value].definition; });
    return stem_of(snippet.instructions[i]) == "mov" && !has_other_names && !reads_source;
  });
}

std::vector<std::size_t> path(const Snippet& snippet, std::size_t source, std::size_t result) {
  std::set<std::size_t> values{source}, reached;
  for (std::size_t i = 0; i < snippet.instructions.size(); ++i) {
    const auto& flow = snippet.flows[i];
    const bool depends =
        std::any_of(flow.reads.begin(), flow.reads.end(), [&](std::size_t value) { return values.contains(value); }) ||
        std::any_of(flow.stores.begin(), flow.stores.end(), [&](std::size_t store) { return reached.contains(store); });
    if (!depends) continue;
    reached.insert(i);
    values.insert(flow.writes.begin(), flow.writes.end());
  }
  std::vector<std::size_t> both;
  for (const auto i : needed_for(snippet, {result})) {
    if (reached.contains(i)) both.push_back(i);
  }
  const auto& definition = snippet.values[result].definition;
  const bool reaches = definition && reached.contains(*definition);
  return reaches ? both : std::vector<std::size_t>{};
}

Snippet understand(Text text, const std::string& name, const Syntaxes& syntaxes, const isa::Catalogue& catalogue,
                   const Marks& marks) {
  Snippet snippet;
  snippet.name = name;
  snippet.text = std::move(text);
  snippet.remarks = snippet.text.remarks;
  if (snippet.text.statements.empty()) fail(name, {}, "there is no instruction here");
  for (const auto& statement : snippet.text.statements) snippet.instructions.push_back(syntaxes.read(statement, name));
  const bool is_alone = snippet.instructions.size() == 1 && !snippet.text.statements.front().guard;
  for (const auto& instruction : snippet.instructions) {
    const auto reason = is_alone ? instruction.form->not_measurable : why_not_in_a_snippet(instruction, catalogue);
    if (!reason.empty())
      fail(name, instruction.statement->place,
           fmt::format("{} cannot be measured here: {}", instruction.statement->opcode, reason));
  }
  Numbering numbering(snippet);
  numbering.number();
  find_sources(snippet, marks.sources.empty() ? snippet.text.sources : marks.sources);
  find_results(snippet, numbering.last(), marks.results.empty() ? snippet.text.results : marks.results);
  find_live(snippet);
  for (const auto& one : marks.types) {
    const auto is_this = [&](const Value& value) { return value.name == one.name; };
    if (std::none_of(snippet.values.begin(), snippet.values.end(), is_this))
      throw Error(ExitCode::usage, fmt::format("--type {}={}: there is no register {}", one.name, one.type, one.name));
  }
  find_types(snippet, marks);
  return snippet;
}

}  // namespace ptxlat::snippet
