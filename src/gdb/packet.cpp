#include "gdb/packet.hpp"

#include <fmt/format.h>

namespace bhemu::gdb {
namespace {

constexpr char kInterrupt = 3;
constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

u8 checksum_of(std::string_view body) {
  u8 sum = 0;
  for (const char c : body) sum = static_cast<u8>(sum + static_cast<u8>(c));
  return sum;
}

std::string unescaped(std::string_view body) {
  std::string text;
  text.reserve(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == kEscape && i + 1 < body.size())
      text += static_cast<char>(body[++i] ^ kEscapeBit);
    else
      text += body[i];
  }
  return text;
}

}  // namespace

void PacketReader::feed(std::span<const u8> bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::optional<Incoming> PacketReader::next() {
  while (at_ < buffer_.size()) {
    const char first = buffer_[at_];
    if (first != '$') {
      ++at_;
      if (first == kInterrupt) return Incoming{Incoming::Kind::Interrupt, {}};
      if (first == '+') return Incoming{Incoming::Kind::Ack, {}};
      if (first == '-') return Incoming{Incoming::Kind::Nack, {}};
      continue;
    }
    const std::size_t end = buffer_.find('#', at_ + 1);
    const std::size_t length = (end == std::string::npos ? buffer_.size() : end) - at_ - 1;
    if (length > kMostBytes) {
      at_ = end == std::string::npos ? buffer_.size() : end + 1;
      return Incoming{Incoming::Kind::Corrupt, {}};
    }
    if (end == std::string::npos || end + 2 >= buffer_.size()) return std::nullopt;
    const std::string_view body(buffer_.data() + at_ + 1, length);
    const int high = digit_of(buffer_[end + 1]);
    const int low = digit_of(buffer_[end + 2]);
    at_ = end + 3;
    if (high < 0 || low < 0 || checksum_of(body) != high * 16 + low)
      return Incoming{Incoming::Kind::Corrupt, {}};
    return Incoming{Incoming::Kind::Packet, unescaped(body)};
  }
  return std::nullopt;
}

std::string framed(std::string_view body) {
  return fmt::format("${}#{:02x}", body, checksum_of(body));
}

std::string escaped(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    if (c == '$' || c == '#' || c == '*' || c == kEscape) {
      text += kEscape;
      text += static_cast<char>(c ^ kEscapeBit);
    } else {
      text += c;
    }
  }
  return text;
}

std::string to_hex(std::span<const u8> bytes) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const u8 byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string to_hex(std::string_view text) {
  return to_hex(std::span(reinterpret_cast<const u8*>(text.data()), text.size()));
}

std::optional<std::vector<u8>> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<u8> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_of(text[i]);
    const int low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<u8>(high * 16 + low));
  }
  return bytes;
}

std::optional<u64> Fields::number() {
  u64 value = 0;
  std::size_t digits = 0;
  while (digits < rest_.size() && digit_of(rest_[digits]) >= 0) {
    if (value >> 60 != 0) return std::nullopt;
    value = value * 16 + static_cast<u64>(digit_of(rest_[digits]));
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  rest_.remove_prefix(digits);
  return value;
}

bool Fields::take(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

std::string_view Fields::until(char separator) {
  const std::size_t end = rest_.find(separator);
  const std::string_view part = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  return part;
}

}  // namespace bhemu::gdb
