#include "kmd/word_watch.hpp"

#include <algorithm>

namespace bhemu::kmd {

/// It was seen before and has not changed.
bool WordWatch::is_known(const Word& word) {
  const auto same = std::find_if(words_.begin(), words_.end(), [&](const Word& other) {
    return other.node == word.node && other.address == word.address && other.bytes == word.bytes;
  });
  if (same != words_.end() && same->value == word.value) {
    std::rotate(same, same + 1, words_.end());
    return true;
  }
  if (same != words_.end() || words_.size() == kMostWords) restart();
  if (words_.empty()) checked_ = Clock::now();
  words_.push_back(word);
  return false;
}

}  // namespace bhemu::kmd
