// SPDX-License-Identifier: Apache-2.0
#include "results/merge.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

#include "results/json.h"
#include "results/source_store.h"
#include "results/store_file.h"

namespace ptxlat::results {

namespace {

constexpr int busy_timeout_ms = 10'000;

// The records of a source with the target's run ids. A run that began after its store's runs were read is not in
// run_ids: its records are left for the next merge.
constexpr const char* their_records =
    "SELECT r.table_name, r.kind, r.chapter, r.ptx, r.operand, r.input, r.opt, r.recipe, run_ids.mine, "
    "CASE WHEN r.run_id IS NULL THEN r.record ELSE json_set(r.record, '$.run', run_ids.mine) END "
    "FROM main.records AS r LEFT JOIN temp.run_ids ON run_ids.theirs = r.run_id "
    "WHERE r.run_id IS NULL OR run_ids.mine IS NOT NULL ORDER BY r.rowid";

// A row of records, as their_records selects it.
struct Row {
  std::string table, kind, chapter, ptx, operand, input;
  int level = 0;
  std::string recipe;
  std::optional<int> run;
  std::string record;
};

Row row_of(SQLite::Statement& select) {
  Row row;
  int column = 0;
  for (auto* text : {&row.table, &row.kind, &row.chapter, &row.ptx, &row.operand, &row.input})
    *text = select.getColumn(column++).getString();
  row.level = select.getColumn(column++).getInt();
  row.recipe = select.getColumn(column++).getString();
  if (const auto run = select.getColumn(column++); !run.isNull()) row.run = run.getInt();
  row.record = select.getColumn(column).getString();
  return row;
}

// A run's text at its start, which identifies it: the rest is recorded when it ends.
std::string identity_of(Run run) {
  run.id = 0;
  run.finished_utc.clear();
  run.was_interrupted = false;
  run.sm_clock_mhz.reset();
  run.nvrtc.clear();
  run.cupti.clear();
  run.warnings.clear();
  run.station_seconds.clear();
  return to_line(to_json(run));
}

// One run of one or several stores.
//   text  the newest that any of them has
//   id    in the target; 0: not there yet
struct KnownRun {
  Run run;
  std::string text;
  int id = 0;
  bool is_changed = true;  // in the target
};
using KnownRuns = std::map<std::string, KnownRun>;  // by identity

//   runs  by their ids in the store
struct Source {
  std::filesystem::path file;
  std::map<int, const KnownRun*> runs;
};

std::tuple<const std::string&, const std::string&> end_of(const KnownRun& known) {
  return {known.run.finished_utc, known.text};
}

// Runs `work` and turns SQLite's exceptions into an Error with advice.
template <class Work>
auto with_advice(const std::filesystem::path& file, Work work) {
  const auto damaged = [&](const std::exception& error) {
    return Error(ExitCode::storage, fmt::format("store {} contains a damaged record: {}", file.string(), error.what()),
                 "Leave it out, or delete it and run again.");
  };
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    throw storage_error(file, error);
  } catch (const std::invalid_argument& error) {
    throw damaged(error);
  } catch (const Json::exception& error) {
    throw damaged(error);
  }
}

std::map<int, const KnownRun*> read_runs(SQLite::Database& connection, KnownRuns& known, bool is_target) {
  std::map<int, const KnownRun*> runs;
  SQLite::Statement select(connection, "SELECT id, run FROM runs");
  while (select.executeStep()) {
    KnownRun found;
    found.text = select.getColumn(1).getString();
    found.run = run_from_json(parse_json(found.text));
    const int id = select.getColumn(0).getInt();
    const auto [place, is_new] = known.emplace(identity_of(found.run), found);
    auto& best = place->second;
    runs[id] = &best;
    const auto text_here = found.text;
    if (end_of(best) < end_of(found)) {
      best.run = std::move(found.run);
      best.text = std::move(found.text);
    }
    if (is_target) {
      best.id = id;
      best.is_changed = best.text != text_here;
    }
  }
  return runs;
}

// A store that is only read. Empty for an empty file: the store of a run that was killed as it began.
std::optional<Source> open_source(const std::filesystem::path& file, KnownRuns& known) {
  if (!std::filesystem::is_regular_file(file))
    throw Error(ExitCode::storage, fmt::format("there is no store {}", file.string()), "Check its name.");
  reject_shorter_than_a_header(file);
  return with_advice(file, [&]() -> std::optional<Source> {
    SourceStore source(file);
    if (owner_of(source.connection(), file) == Owner::nobody) return std::nullopt;
    return Source{file, read_runs(source.connection(), known, false)};
  });
}

// In the order of their start, so that their ids do not depend on the order of the sources.
std::size_t save_runs(SQLite::Database& target, KnownRuns& known) {
  std::vector<KnownRun*> changed;
  for (auto& [identity, run] : known) {
    if (run.is_changed) changed.push_back(&run);
  }
  std::stable_sort(changed.begin(), changed.end(),
                   [](const KnownRun* a, const KnownRun* b) { return a->run.started_utc < b->run.started_utc; });
  std::size_t added = 0;
  for (auto* run : changed) {
    SQLite::Statement save(target, run->id == 0 ? "INSERT INTO runs (table_name, run) VALUES (?, ?)"
                                                : "UPDATE runs SET table_name = ?, run = ? WHERE id = ?");
    save.bind(1, run->run.table);
    save.bind(2, run->text);
    if (run->id != 0) save.bind(3, run->id);
    save.exec();
    if (run->id != 0) continue;
    run->id = static_cast<int>(target.getLastInsertRowid());
    ++added;
  }
  return added;
}

// "method 17" is newer than "method 9".
int number_of_method(const std::string& method) {
  int number = 0;
  const auto digits = method.find_first_of("0123456789");
  if (digits != std::string::npos) std::from_chars(method.data() + digits, method.data() + method.size(), number);
  return number;
}

// One of two records of a cell, with its precedence as merge_stores defines it. The texts decide between records of
// equal precedence.
struct Candidate {
  Record record;
  std::string text;
  std::tuple<int, bool, bool, std::string, std::string> rank;
};

//   run  that made it; null if it names none
Candidate candidate(std::string text, const KnownRun* run) {
  Candidate made;
  made.record = record_from_text(text);
  made.rank = {run == nullptr ? 0 : number_of_method(run->run.method), made.record.has_flag(flag::processes_differ),
               made.record.verdict == sass::Verdict::proven, run == nullptr ? "" : run->run.started_utc, text};
  made.text = std::move(text);
  made.record.windows.clear();
  return made;
}

// Copies the records of sources into the target, whose runs are known.
class SourceCopy {
 public:
  //   runs  by their ids in the target
  SourceCopy(SQLite::Database& target, const std::map<int, const KnownRun*>& runs, const Agree& agree, Merged& merged)
      : runs_(runs),
        agree_(agree),
        merged_(merged),
        find_(target,
              "SELECT rowid, record, run_id FROM records WHERE table_name = ? AND kind = ? AND ptx = ? AND operand = ? "
              "AND input = ? AND opt = ?"),
        insert_(target,
                "INSERT INTO records (table_name, kind, chapter, ptx, operand, input, opt, recipe, run_id, record) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        replace_(target, "UPDATE records SET chapter = ?, recipe = ?, run_id = ?, record = ? WHERE rowid = ?") {}

  void copy(const Source& from) {
    SourceStore source(from.file);
    SQLite::Statement select(source.connection(), select_their_records(source.connection(), from));
    while (select.executeStep()) copy(row_of(select), from.file);
    source.require_unchanged();
  }

 private:
  static const char* select_their_records(SQLite::Database& source, const Source& from) {
    source.exec("CREATE TEMP TABLE run_ids (theirs INTEGER PRIMARY KEY, mine INTEGER)");
    SQLite::Statement insert(source, "INSERT INTO temp.run_ids VALUES (?, ?)");
    for (const auto& [id, run] : from.runs) {
      insert.bind(1, id);
      insert.bind(2, run->id);
      insert.exec();
      insert.reset();
    }
    return their_records;
  }

  void copy(const Row& row, const std::filesystem::path& file) {
    int next = 1;
    for (const auto* text : {&row.table, &row.kind, &row.ptx, &row.operand, &row.input}) find_.bind(next++, *text);
    find_.bind(next, row.level);
    if (!find_.executeStep()) {
      // The target could not be read with a damaged one.
      kind_named(row.kind, file);
      parsed_row(file, [&] { return record_from_text(row.record, Code::all); });
      add(row);
    } else if (find_.getColumn(1).getString() != row.record) {
      resolve(row);
    }
    find_.reset();
  }

  static void bind_run(SQLite::Statement& statement, int place, const Row& row) {
    if (row.run) {
      statement.bind(place, *row.run);
    } else {
      statement.bind(place);
    }
  }

  void add(const Row& row) {
    int next = 1;
    for (const auto* text : {&row.table, &row.kind, &row.chapter, &row.ptx, &row.operand, &row.input})
      insert_.bind(next++, *text);
    insert_.bind(next++, row.level);
    insert_.bind(next++, row.recipe);
    bind_run(insert_, next++, row);
    insert_.bind(next, row.record);
    insert_.exec();
    insert_.reset();
    ++merged_.added;
  }

  // Of the record that was found and this one.
  void resolve(const Row& row) {
    const auto run_of_mine = find_.getColumn(2);
    auto mine = candidate(find_.getColumn(1).getString(),
                          run_of(run_of_mine.isNull() ? std::nullopt : std::optional(run_of_mine.getInt())));
    auto theirs = candidate(row.record, run_of(row.run));
    const bool gives_way = mine.rank < theirs.rank;
    if (gives_way) replace(row);
    note_conflict(row.table, gives_way ? theirs : mine, gives_way ? mine : theirs);
  }

  const KnownRun* run_of(const std::optional<int>& id) const {
    const auto found = id ? runs_.find(*id) : runs_.end();
    return found == runs_.end() ? nullptr : found->second;
  }

  void replace(const Row& row) {
    replace_.bind(1, row.chapter);
    replace_.bind(2, row.recipe);
    bind_run(replace_, 3, row);
    replace_.bind(4, row.record);
    replace_.bind(5, find_.getColumn(0).getInt64());
    replace_.exec();
    replace_.reset();
    ++merged_.replaced;
  }

  void note_conflict(const std::string& table, Candidate& kept, Candidate& dropped) {
    if (kept.record.recipe != dropped.record.recipe || agree_(kept.record, dropped.record)) return;
    if (!disputed_.insert(table + '\x1f' + key_of(kept.record).text()).second) return;
    merged_.conflicts.push_back({table, std::move(kept.record), std::move(dropped.record)});
  }

  const std::map<int, const KnownRun*>& runs_;
  const Agree& agree_;
  Merged& merged_;
  std::set<std::string> disputed_;
  SQLite::Statement find_, insert_, replace_;
};

// The parts that concern the target, not a source.
bool is_about_writing(const SQLite::Exception& error) {
  const int code = error.getErrorCode();
  return code == SQLITE_FULL || code == SQLITE_READONLY || code == SQLITE_PERM;
}

}  // namespace

Merged merge_stores(const std::vector<std::filesystem::path>& files, const std::filesystem::path& into,
                    const Agree& agree) {
  KnownRuns known;
  std::vector<Source> sources;
  std::error_code none_there;
  for (const auto& file : files) {
    if (std::filesystem::equivalent(file, into, none_there)) continue;
    if (auto source = open_source(file, known)) sources.push_back(std::move(*source));
  }
  { const Store created(into); }
  Merged merged;
  const auto target = with_advice(into, [&] {
    auto database = std::make_unique<SQLite::Database>(into.string(), SQLite::OPEN_READWRITE, busy_timeout_ms);
    limit_records(*database);  // one that cannot be read would make the target unreadable
    database->exec("PRAGMA foreign_keys = ON");
    return database;
  });
  // All sources in one transaction: a store with a run and without its records would pass for complete.
  auto transaction = with_advice(
      into, [&] { return std::make_unique<SQLite::Transaction>(*target, SQLite::TransactionBehavior::IMMEDIATE); });
  const auto runs = with_advice(into, [&] {
    auto in_target = read_runs(*target, known, true);
    merged.runs = save_runs(*target, known);
    for (const auto& [identity, run] : known) in_target[run.id] = &run;
    return in_target;
  });
  SourceCopy copy(*target, runs, agree, merged);
  for (const auto& source : sources) {
    with_advice(source.file, [&] {
      try {
        copy.copy(source);
      } catch (const SQLite::Exception& error) {
        if (is_about_writing(error)) throw storage_error(into, error);
        throw;
      }
    });
  }
  with_advice(into, [&] { transaction->commit(); });
  return merged;
}

}  // namespace ptxlat::results
