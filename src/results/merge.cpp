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
#include "results/store_file.h"

namespace ptxlat::results {

namespace {

constexpr int busy_timeout_ms = 10'000;

// The comparison of two records' keys in SQL.
constexpr const char* same_cell =
    "mine.table_name = theirs.table_name AND mine.kind = theirs.kind AND mine.ptx = theirs.ptx AND "
    "mine.operand = theirs.operand AND mine.input = theirs.input AND mine.opt = theirs.opt";

// The records of the attached store with the target's run ids. A run that began after its store's runs were read is not
// in run_ids: its records are left for the next merge.
constexpr const char* their_records =
    "SELECT r.table_name, r.kind, r.chapter, r.ptx, r.operand, r.input, r.opt, r.recipe, run_ids.mine AS run_id, "
    "CASE WHEN r.run_id IS NULL THEN r.record ELSE json_set(r.record, '$.run', run_ids.mine) END AS record "
    "FROM source.records AS r LEFT JOIN temp.run_ids ON run_ids.theirs = r.run_id "
    "WHERE r.run_id IS NULL OR run_ids.mine IS NOT NULL";

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

// A name in a URI, without which SQLite would open an attached file for writing.
std::string read_only_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' || c == '-' || c == '_';
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri + "?mode=ro";
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
    SQLite::Database source(read_only_uri(file), SQLite::OPEN_READONLY | SQLite::OPEN_URI, busy_timeout_ms);
    if (owner_of(source, file) == Owner::nobody) return std::nullopt;
    return Source{file, read_runs(source, known, false)};
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
  SQLite::Transaction transaction(target);
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
  transaction.commit();
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

// Copies the records of one source, attached as `source`.
class SourceCopy {
 public:
  //   runs  by their ids in the target
  SourceCopy(SQLite::Database& target, const std::map<int, const KnownRun*>& runs, const Agree& agree, Merged& merged)
      : target_(target), runs_(runs), agree_(agree), merged_(merged) {
    target_.exec("CREATE TEMP TABLE run_ids (theirs INTEGER PRIMARY KEY, mine INTEGER)");
  }

  void copy(const Source& source) {
    target_.exec(fmt::format("ATTACH '{}' AS source", read_only_uri(source.file)));
    {
      SQLite::Transaction transaction(target_, SQLite::TransactionBehavior::IMMEDIATE);
      map_runs(source);
      reject_damaged(source.file);
      merged_.added += add_new();
      resolve();
      transaction.commit();
    }
    target_.exec("DETACH source");
  }

 private:
  void map_runs(const Source& source) {
    target_.exec("DELETE FROM temp.run_ids");
    SQLite::Statement insert(target_, "INSERT INTO temp.run_ids VALUES (?, ?)");
    for (const auto& [id, run] : source.runs) {
      insert.bind(1, id);
      insert.bind(2, run->id);
      insert.exec();
      insert.reset();
    }
  }

  // Of the records that add_new copies as they are: the target could not be read with them.
  void reject_damaged(const std::filesystem::path& file) {
    SQLite::Statement select(target_, fmt::format("SELECT theirs.kind, theirs.record {}", new_records()));
    while (select.executeStep()) {
      kind_named(select.getColumn(0).getString(), file);
      parsed_row(file, [&] { return record_from_text(select.getColumn(1).getString(), Code::all); });
    }
  }

  std::size_t add_new() {
    return static_cast<std::size_t>(target_.exec(fmt::format(
        "INSERT INTO main.records (table_name, kind, chapter, ptx, operand, input, opt, recipe, run_id, record) "
        "SELECT theirs.* {}",
        new_records())));
  }

  static std::string new_records() {
    return fmt::format("FROM ({}) AS theirs WHERE NOT EXISTS (SELECT 1 FROM main.records AS mine WHERE {})",
                       their_records, same_cell);
  }

  void resolve() {
    SQLite::Statement both(target_, fmt::format("SELECT mine.rowid, mine.record, mine.run_id, theirs.record, "
                                                "theirs.run_id, theirs.recipe, theirs.chapter, theirs.table_name "
                                                "FROM ({}) AS theirs JOIN main.records AS mine ON {} "
                                                "WHERE mine.record <> theirs.record",
                                                their_records, same_cell));
    while (both.executeStep()) {
      auto mine = candidate(both.getColumn(1).getString(), run_of(both.getColumn(2)));
      auto theirs = candidate(both.getColumn(3).getString(), run_of(both.getColumn(4)));
      const bool gives_way = mine.rank < theirs.rank;
      if (gives_way) replace(both, theirs.text);
      note_conflict(both.getColumn(7).getString(), gives_way ? theirs : mine, gives_way ? mine : theirs);
    }
  }

  const KnownRun* run_of(const SQLite::Column& id) const {
    const auto found = runs_.find(id.getInt());
    return id.isNull() || found == runs_.end() ? nullptr : found->second;
  }

  void replace(SQLite::Statement& both, const std::string& text) {
    SQLite::Statement update(target_,
                             "UPDATE main.records SET record = ?, run_id = ?, recipe = ?, chapter = ? WHERE rowid = ?");
    update.bind(1, text);
    if (!both.getColumn(4).isNull()) update.bind(2, both.getColumn(4).getInt());
    update.bind(3, both.getColumn(5).getString());
    update.bind(4, both.getColumn(6).getString());
    update.bind(5, both.getColumn(0).getInt64());
    update.exec();
    ++merged_.replaced;
  }

  void note_conflict(const std::string& table, Candidate& kept, Candidate& dropped) {
    if (kept.record.recipe != dropped.record.recipe || agree_(kept.record, dropped.record)) return;
    if (!disputed_.insert(table + '\x1f' + key_of(kept.record).text()).second) return;
    merged_.conflicts.push_back({table, std::move(kept.record), std::move(dropped.record)});
  }

  SQLite::Database& target_;
  const std::map<int, const KnownRun*>& runs_;
  const Agree& agree_;
  Merged& merged_;
  std::set<std::string> disputed_;
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
  std::map<int, const KnownRun*> runs;
  const auto target = with_advice(into, [&] {
    auto database =
        std::make_unique<SQLite::Database>(into.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_URI, busy_timeout_ms);
    limit_records(*database);  // one that cannot be read would make the target unreadable
    database->exec("PRAGMA foreign_keys = ON");
    runs = read_runs(*database, known, true);
    merged.runs = save_runs(*database, known);
    for (const auto& [identity, run] : known) runs[run.id] = &run;
    return database;
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
  return merged;
}

}  // namespace ptxlat::results
