// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxlat::worker {

// While it exists, a crash in this thread (a bad access, an abort) says `crashed` on the socket before it ends the
// process as it would anyway. Threads of one process assemble for different threads of the supervisor, and so these
// know whose module it was.
class LastWords {
 public:
  explicit LastWords(int socket);
  ~LastWords();
  LastWords(const LastWords&) = delete;  // there is one in a thread
  LastWords& operator=(const LastWords&) = delete;
};

}  // namespace ptxlat::worker
