// JSON, by nlohmann's library. Members keep the order in which they were added.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/types.hpp"

namespace bhemu {

using Json = nlohmann::ordered_json;

/// On one line, or with `indent` spaces a level. What is no UTF-8 (a file name may hold any bytes)
/// becomes U+FFFD; numbers that are not finite become null.
inline std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

inline Json json_of(Coord coord) {
  return Json::array({coord.x, coord.y});
}

template <class Range, class Function>
Json json_list(const Range& range, Function&& json_of_one) {
  Json list = Json::array();
  for (const auto& one : range) list.push_back(json_of_one(one));
  return list;
}

}  // namespace bhemu
