// Writes JSON text. Keys keep the order in which they were written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace bhemu::host {

class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  /// Within an object; the value follows.
  void key(std::string_view name);
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool truth) { raw(truth ? "true" : "false"); }
  void value(u64 number) { raw(std::to_string(number)); }
  void value(u32 number) { raw(std::to_string(number)); }
  void value(int number) { raw(std::to_string(number)); }
  void value(double number);  // null when not finite
  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  /// All brackets must be closed.
  const std::string& text() const { return text_; }

 private:
  void separate();
  void open(char bracket);
  void close(char bracket);
  void raw(std::string_view text);

  std::string text_;
  std::vector<bool> filled_;  // per open bracket: has it something inside
  bool after_key_ = false;
};

}  // namespace bhemu::host
