// A vector whose elements lie in it.
#include "base/inplace_vector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

namespace bhemu {
namespace {

using Owner = std::shared_ptr<int>;

TEST(InplaceVector, holds_what_a_vector_holds_and_lets_go_of_what_is_taken_out) {
  std::mt19937 random(3);
  const auto numbers = std::make_shared<std::array<int, 3>>();
  std::vector<Owner> model;
  InplaceVector<Owner, 5> vector;
  for (int step = 0; step < 2000; ++step) {
    const auto drawn = static_cast<std::size_t>(random() % 8);
    if (drawn == 7) {
      vector.clear();
      model.clear();
    } else if (drawn < model.size()) {
      vector.erase(drawn);
      model.erase(model.begin() + static_cast<std::ptrdiff_t>(drawn));
    } else if (!vector.full()) {
      // All share one count, each is told apart by what it points to.
      const Owner one(numbers, &(*numbers)[static_cast<std::size_t>(step) % 3]);
      EXPECT_EQ(vector.emplace_back(one), one);
      model.push_back(one);
    }
    ASSERT_TRUE(std::equal(vector.begin(), vector.end(), model.begin(), model.end())) << step;
    ASSERT_EQ(vector.empty(), model.empty());
    ASSERT_EQ(vector.full(), model.size() == 5);
    ASSERT_EQ(static_cast<std::size_t>(numbers.use_count()), 1 + 2 * model.size()) << step;
  }
}

}  // namespace
}  // namespace bhemu
