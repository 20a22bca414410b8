#include "kmd/poll_watch.hpp"

#include <algorithm>

namespace bhemu::kmd {

void PollWatch::count(NodeId node) {
  if (times_++ == 0) began_ = Clock::now();
  if (std::find(asked_.begin(), asked_.end(), node) == asked_.end()) asked_.push_back(node);
}

}  // namespace bhemu::kmd
