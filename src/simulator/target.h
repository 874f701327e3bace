// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptxlat::simulator {

// Where a query looks.
enum class Source {
  form,    // rows of the latency table: those of a PTX spelling
  sass,    // rows of the latency table: those whose machine code is one opcode alone
  opcode,  // opcodes.csv
  fact,    // facts.csv
  run,     // run.json: a field, "device.sm_count"
};

// Which of several rows gives the figure. It is always that of a row: the median of two is the smaller one.
enum class Aggregate { only, min, max, median };  // only: all rows must have the same figure

// A question to a table, with one figure or word as its answer (docs/export.md).
//   name       in the option's value: {latency}
//   wanted     spellings, opcodes (globs), quantities, or one field of run.json
//   metric     column of the row, for the first three sources
//   unit       that the row must have; empty: any
//   level      of the latency table's row
//   operand    one that the row must have; empty: any
//   input      the row's class of inputs; empty: ordinary ones
//   probe      of a fact; empty: any
//   condition  of a fact
//   words      what the simulator calls the fact's words
struct Query {
  std::string name;
  Source source = Source::form;
  std::vector<std::string> wanted;
  std::string metric, unit;
  int level = 3;
  std::string operand, input, probe, condition;
  Aggregate aggregate = Aggregate::only;
  std::map<std::string, std::string> words = {};
};

// The query as a data file has it, for people: fact = "l1.ways", condition = "carveout=102400".
std::string text_of(const Query& query);

// One option of a simulator.
//   value   text with expressions of the queries' names in braces, "{sets}:{line}:{ways}", and for each part that no
//           query gives a star, which stands for that part of a configuration that is there already: up to the next
//           colon or comma, or at the end for all that follows
//   digits  after the point, of each expression
struct Option {
  std::string name, value;
  int digits = 0;
  std::vector<Query> queries;
};

// A group of options in a file: `line` has {option} and {value}.
struct Section {
  std::string head, line, tail;
  std::vector<Option> options;
};

//   name     its path in the folder of the export
//   comment  what begins a comment
//   is_laid_over  its lines are "option value", and so those of a configuration that is there already
struct OutputFile {
  std::string name, comment;
  bool is_laid_over = false;
  std::vector<Section> sections;
};

// The options that a simulator reads: a data file of the folder simulators/. `sentence` names the simulator.
struct Target {
  std::string name, sentence;
  std::vector<OutputFile> files;
};

// Error{catalogue} with file and line of the first mistake.
Target read_target(const std::filesystem::path& file);

// The folder simulators/: $PTXLAT_SIMULATORS, or share/ptxlat/ of the installation, or above the program.
// Error{catalogue} if there is none.
std::filesystem::path targets_folder();

// The target of this name in that folder, or a data file of any name. Error{unknown_name} if there is none.
Target find_target(const std::string& name_or_file);

}  // namespace ptxlat::simulator
