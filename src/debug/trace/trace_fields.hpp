// An event as a list of named fields: what both formats of a trace are made of, so that they cannot
// say different things.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "trace/sink.hpp"

namespace bhemu::debug {

struct TraceField {
  /// How the value reads best: an address or a count; text; a flag that is only there when set.
  enum class Kind : u8 { Hex, Number, Text, Flag };
  std::string_view name;
  Kind kind = Kind::Number;
  u64 number = 0;
  unsigned digits = 0;  // of Hex: at least so many
  std::string text;
};

struct TraceFields {
  std::string_view event;  // "retire", "send" ...
  std::vector<TraceField> fields;
  std::string remark;  // a disassembled instruction, or words

  void hex(std::string_view name, u64 value, unsigned digits = 1) {
    fields.push_back({name, TraceField::Kind::Hex, value, digits, {}});
  }
  void number(std::string_view name, u64 value) {
    fields.push_back({name, TraceField::Kind::Number, value, 0, {}});
  }
  void text(std::string_view name, std::string value) {
    fields.push_back({name, TraceField::Kind::Text, 0, 0, std::move(value)});
  }
  void flag(std::string_view name, bool set) {
    if (set) fields.push_back({name, TraceField::Kind::Flag, 0, 0, {}});
  }
};

TraceFields fields_of(const trace::Event& event, const std::vector<trace::NodeName>& nodes);

/// "brisc", "thread0", "niu1", "host": the second column.
std::string_view trace_name_of(Agent agent);
/// "1-2", translated.
std::string trace_name_of(Coord tile);

}  // namespace bhemu::debug
