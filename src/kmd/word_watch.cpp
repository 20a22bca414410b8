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

bool LookSampler::begin_again() {
  using std::chrono::milliseconds;
  const WordWatch::Clock::time_point now = WordWatch::Clock::now();
  const auto gap = now - latest_;
  latest_ = now;
  if (gap < milliseconds(10) && stride_ < kMost)
    stride_ *= 2;
  else if (gap > milliseconds(100) && stride_ > 1)
    stride_ /= 2;
  left_ = stride_;
  return true;
}

}  // namespace bhemu::kmd
