// SPDX-License-Identifier: Apache-2.0
#include "worker/last_words.h"

#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <mutex>

#include "worker/protocol.h"

namespace ptxlat::worker {

namespace {

thread_local int socket_of_thread = -1;
const Bytes* crashed = nullptr;

// Only what is allowed in a handler. Raising the signal again ends the process even if it was not a fault: the handler
// is gone by then (SA_RESETHAND).
void say(int signal) {
  if (socket_of_thread >= 0)
    (void)send(socket_of_thread, crashed->data(), crashed->size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)raise(signal);
}

void handle_signals() {
  static const Bytes message = frame(Kind::crashed);
  crashed = &message;
  struct sigaction action = {};
  action.sa_handler = say;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) (void)sigaction(signal, &action, nullptr);
}

// An assembler that recurses too deeply has no stack left for the handler.
constexpr std::size_t stack_bytes = 64 << 10;
thread_local std::array<char, stack_bytes> stack;

}  // namespace

LastWords::LastWords(int socket) {
  static std::once_flag once;
  std::call_once(once, handle_signals);
  socket_of_thread = socket;
  stack_t own = {};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  (void)sigaltstack(&own, nullptr);
}

LastWords::~LastWords() {
  socket_of_thread = -1;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  (void)sigaltstack(&none, nullptr);
}

}  // namespace ptxlat::worker
