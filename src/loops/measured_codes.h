// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/catalogue.h"
#include "line/line.h"
#include "loops/patch.h"
#include "results/record.h"

namespace ptxlat::loops {

// Lets one thread at a time work on a key. Hundreds of forms become the same code, and a hundred threads would all
// measure it before one of them has the result: so each waits for the one before it, and then looks. Thread-safe.
class OneAtATime {
 public:
  // That this thread works on the key, until the end of this object.
  class Turn {
   public:
    Turn(OneAtATime& all, const std::string& key) : all_(all), key_(key) {}
    ~Turn() {
      {
        const std::scoped_lock lock(all_.mutex_);
        all_.under_way_.erase(key_);
      }
      all_.ended_.notify_all();
    }
    Turn(const Turn&) = delete;  // ends once
    Turn& operator=(const Turn&) = delete;

   private:
    OneAtATime& all_;
    std::string key_;
  };

  Turn wait_for(const std::string& key) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return under_way_.insert(key).second; });
    return {*this, key};
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<std::string> under_way_;
};

// What determines the time of copies of these codes in turn, as Record::code: the instructions, and which of their
// registers are the same. If they access memory, also the memory, and the operand values, unless they are only loaded
// or stored.
std::string code_of_copies(const isa::Catalogue& catalogue, const isa::Variant& variant, const std::vector<Code>& turns,
                           const ptx::Launch& launch);
// The same of assembled trials as they are: all words and launches. Empty if their constants are not part of the words.
std::string code_of_trials(const line::Batch& batch, const std::vector<std::size_t>& trials);

// The throughputs of a table, by their code: hundreds of forms become the same code, which is measured once, for the
// first of them, in whichever run. Thread-safe.
class MeasuredCodes {
 public:
  //   records  of earlier runs
  explicit MeasuredCodes(const std::vector<results::Record>& records);

  // Puts the result of the record's code into it. If there is none yet, `measure` puts it there; other threads wait for
  // it. Without a code, it is always measured.
  void put(results::Record& record, const std::function<void()>& measure);

 private:
  struct Measured {
    std::vector<results::Metric> metrics;
    std::vector<results::Series> series;
    sass::Verdict verdict = sass::Verdict::proven;
    std::string note, measured_as;
    std::size_t gpu = 0;
    bool has_failed = false;  // in part: flag::retry
    bool shares_unit = false, is_survey = false;
  };
  std::optional<Measured> find(const std::string& code);
  void keep(const results::Record& record);

  OneAtATime by_code_;
  std::mutex mutex_;
  std::map<std::string, Measured> measured_;
};

}  // namespace ptxlat::loops
