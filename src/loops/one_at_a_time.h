// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

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

}  // namespace ptxlat::loops
