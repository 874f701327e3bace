// SPDX-License-Identifier: Apache-2.0
#include "worker/protocol.h"

#include <stdexcept>

namespace ptxlat::worker {

Message::Message(const Bytes& payload) {
  if (payload.empty()) throw std::runtime_error("a worker's message is empty");
  kind_ = static_cast<Kind>(payload.front());
  content_.assign(payload.begin() + 1, payload.end());
}

std::optional<Message> take_message(Bytes& received) {
  std::uint32_t payload = 0;
  if (received.size() < sizeof payload) return std::nullopt;
  std::memcpy(&payload, received.data(), sizeof payload);
  if (received.size() - sizeof payload < payload) return std::nullopt;
  const auto end = received.begin() + static_cast<std::ptrdiff_t>(sizeof payload + payload);
  Message message(Bytes(received.begin() + sizeof payload, end));
  received.erase(received.begin(), end);
  return message;
}

Bytes frame_of(Kind kind, const std::string& content) {
  const auto length = static_cast<std::uint32_t>(1 + content.size());
  Bytes frame(sizeof length + length);
  std::memcpy(frame.data(), &length, sizeof length);
  frame[sizeof length] = static_cast<std::uint8_t>(kind);
  std::memcpy(frame.data() + sizeof length + 1, content.data(), content.size());
  return frame;
}

}  // namespace ptxlat::worker
