#include "base/json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bhemu::test {
namespace {

TEST(Json, keeps_the_order_of_members_and_replaces_what_is_no_utf_8) {
  Json json = Json::object({{"z", "q\"\n\x01\xC3\xA9\xFF"}});
  json["a"] = {1, true, 0.5};
  json["m"] = Json::object();
  json["tile"] = json_of(Coord{1, 2});
  EXPECT_EQ(dump(json),
            "{\"z\":\"q\\\"\\n\\u0001\xC3\xA9\xEF\xBF\xBD\",\"a\":[1,true,0.5],\"m\":{},"
            "\"tile\":[1,2]}");
}

TEST(Json, of_one_member_is_an_object_and_of_an_empty_range_a_list) {
  EXPECT_EQ(dump(Json::object({{"only", 1}})), "{\"only\":1}");
  EXPECT_EQ(dump(json_list(std::vector<int>(), [](int) { return Json(); })), "[]");
}

TEST(Json, says_null_for_what_is_no_number) {
  EXPECT_EQ(dump(Json::array({1.0 / 3.0, std::numeric_limits<double>::infinity()})),
            "[0.3333333333333333,null]");
}

}  // namespace
}  // namespace bhemu::test
