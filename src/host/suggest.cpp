#include "host/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace bhemu::host {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kLongestWord = 64;
  const std::string* best = nullptr;
  constexpr size_t kShortWord = 4;
  size_t best_distance = (word.size() < kShortWord ? 1 : std::max<size_t>(2, word.size() / 3)) + 1;
  if (word.size() <= kLongestWord)
    for (const std::string& candidate : known) {
      const size_t distance = edit_distance(word, candidate);
      if (distance < best_distance) {
        best = &candidate;
        best_distance = distance;
      }
    }
  if (best != nullptr) return fmt::format(", did you mean '{}'?", *best);
  return known.empty() ? "" : fmt::format(" (known: {})", fmt::join(known, ", "));
}

}  // namespace bhemu::host
