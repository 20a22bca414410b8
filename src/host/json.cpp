#include "host/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/check.hpp"

namespace bhemu::host {
namespace {

/// Length of the valid UTF-8 sequence at the start of `text`; 0 when it is none.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<u8>(text[i]); };
  const u8 first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (length >= 3) {
    const u8 second = byte(1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90))
      return 0;
  }
  return length;
}

}  // namespace

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (filled_.empty()) return;
  if (filled_.back()) text_ += ", ";
  filled_.back() = true;
}

void JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  filled_.push_back(false);
}

void JsonWriter::close(char bracket) {
  CHECK(!filled_.empty() && !after_key_);
  filled_.pop_back();
  text_ += bracket;
}

void JsonWriter::raw(std::string_view text) {
  separate();
  text_ += text;
}

void JsonWriter::key(std::string_view name) {
  value(name);
  text_ += ": ";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  text_ += '"';
  while (!text.empty()) {
    const char c = text[0];
    const size_t length = sequence_length(text);
    if (c == '"' || c == '\\')
      text_ += fmt::format("\\{}", c);
    else if (c == '\n')
      text_ += "\\n";
    else if (length == 0)
      text_ += "\\ufffd";  // a file name may hold any bytes
    else if (static_cast<u8>(c) < 0x20)
      text_ += fmt::format("\\u{:04x}", static_cast<u8>(c));
    else
      text_ += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

void JsonWriter::value(double number) {
  raw(std::isfinite(number) ? fmt::format("{}", number) : "null");
}

}  // namespace bhemu::host
