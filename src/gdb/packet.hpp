// The frames of gdb's remote serial protocol (gdb manual, "Remote Protocol", sections Overview and
// Standard Replies): $body#checksum, acknowledged with + or -, and a byte 3 that interrupts.
// Pure functions of bytes; nothing here knows of sockets or cores.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace bhemu::gdb {

struct Incoming {
  enum class Kind : u8 {
    Packet,
    Interrupt,
    Ack,
    Nack,
    Corrupt,  // a packet with a wrong checksum, or one that is too long
  };
  Kind kind = Kind::Packet;
  std::string body;  // of a packet, escapes undone
};

/// Cuts what arrives into packets. What is neither a packet nor one of the single bytes is dropped.
class PacketReader {
 public:
  /// Of a packet's body; what we tell gdb is less.
  static constexpr std::size_t kMostBytes = 1 << 16;

  void feed(std::span<const u8> bytes);
  /// None: more bytes are needed.
  std::optional<Incoming> next();

 private:
  std::string buffer_;
  std::size_t at_ = 0;  // what comes before has been taken
};

/// $body#checksum. The body must be free of $ and #, or escaped().
std::string framed(std::string_view body);
/// For bodies that carry any byte: } before those that have a meaning.
std::string escaped(std::string_view bytes);

std::string to_hex(std::span<const u8> bytes);
std::string to_hex(std::string_view text);
/// None when it is no even number of hexadecimal digits.
std::optional<std::vector<u8>> bytes_of_hex(std::string_view text);

/// Takes arguments off the front of a packet.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}
  /// A hexadecimal number of at most 64 bits, at least one digit.
  std::optional<u64> number();
  /// True when the rest began with it; it is then gone.
  bool take(std::string_view text);
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  /// Up to the separator, which goes too, or all.
  std::string_view until(char separator);

 private:
  std::string_view rest_;
};

}  // namespace bhemu::gdb
