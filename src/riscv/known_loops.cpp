#include "riscv/known_loops.hpp"

#include <cstring>
#include <utility>

namespace bhemu::riscv {

void KnownLoops::tell(u32 head, Cycle period, const u8* words, Source source) {
  const u32 address = head & ~(kLineBytes - 1);
  const std::lock_guard lock(mutex_);
  std::vector<Entry>& line = lines_[address];
  const auto known = std::find_if(line.begin(), line.end(),
                                  [&](const Entry& entry) { return entry.is(head, words); });
  if (known != line.end()) {
    if (source < known->source) {
      known->source = source;
      known->period = period;
    }
    return;
  }
  Entry fresh{head, period, {}, source, nullptr, {}};
  std::memcpy(fresh.words.data(), words, kLineBytes);
  if (line.size() == kMostInLine) {
    // The first ones stay, so that nothing that is known goes while somebody may ask for it.
    const auto order = [](const Entry& entry) { return std::pair(entry.source, entry.head); };
    const auto last =
        std::max_element(line.begin(), line.end(),
                         [&](const Entry& a, const Entry& b) { return order(a) < order(b); });
    if (order(fresh) < order(*last)) *last = std::move(fresh);
    return;
  }
  line.push_back(std::move(fresh));
  const u32 index = address / kLineBytes;
  begins_[index / 64].fetch_or(u64{1} << index % 64, std::memory_order_relaxed);
}

void KnownLoops::tell(u32 head, const u8* words, const Round& round, Source source) {
  if (has_none_in(head)) return;
  const std::lock_guard lock(mutex_);
  for (Entry& entry : lines_[head & ~(kLineBytes - 1)])
    if (entry.is(head, words) && (entry.round == nullptr || source < entry.round_source)) {
      entry.round = round;
      entry.round_source = source;
      return;
    }
}

}  // namespace bhemu::riscv
