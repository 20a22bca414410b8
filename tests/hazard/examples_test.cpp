// Programs that are right: of the examples there is nothing to say.
#include "hazard/watching.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace bhemu::host {
namespace {

std::vector<std::string> all_examples() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(BHEMU_SOURCE_DIR) + "/examples"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Examples : public testing::TestWithParam<std::string> {};

/// A boot is the same for all of them: with one in twenty it is watched.
bool is_watched_from_the_start(const std::string& name) {
  const auto names = all_examples();
  return (std::find(names.begin(), names.end(), name) - names.begin()) % 20 == 0;
}

TEST_P(Examples, have_no_race) {
  // Most have every tile of a board do the same.
  hazard_test::Way way;
  way.most_tiles = 16;
  way.narrow = true;
  test::Boots boots;
  if (!is_watched_from_the_start(GetParam())) way.booted = &boots;
  const hazard_test::Watched watched = hazard_test::watch(GetParam(), way);
  EXPECT_EQ(watched.outcome.status, Status::Ok);
  EXPECT_EQ(watched.report.told(), 0u) << watched.report.text();
}

INSTANTIATE_TEST_SUITE_P(Races, Examples, testing::ValuesIn(all_examples()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace bhemu::host
