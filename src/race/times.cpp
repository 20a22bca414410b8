#include "race/times.hpp"

#include <algorithm>

namespace bhemu::race {

bool Times::covers(const Times& other) const {
  if (is(other)) return true;
  const unsigned mine = blocks();
  for (unsigned block = 0; block < other.blocks(); ++block) {
    const u32 theirs = other.mask_of(block);
    if (theirs == 0) continue;
    const u32 mask = block < mine ? mask_of(block) : 0;
    if ((theirs & ~mask) != 0) return false;
    const u32* a = &words_[first_of(block)];
    const u32* b = &other.words_[other.first_of(block)];
    u32 missing = 0;
    if (mask == theirs) {
      for (int left = std::popcount(mask); left > 0; --left)
        missing |= static_cast<u32>(*a++ < *b++);
    } else {
      for (u32 bits = mask; bits != 0; bits &= bits - 1, ++a)
        if ((theirs & bits & -bits) != 0) missing |= static_cast<u32>(*a < *b++);
    }
    if (missing != 0) return false;
  }
  return true;
}

template <class Masks>
std::shared_ptr<u32[]> Times::copy_with(unsigned blocks, Masks&& mask_wanted) const {
  const unsigned mine = this->blocks();
  u32 size = 1 + 2 * blocks;
  for (unsigned block = 0; block < blocks; ++block)
    size += static_cast<u32>(std::popcount(mask_wanted(block)));
  std::shared_ptr<u32[]> copy = std::make_shared<u32[]>(size);
  copy[0] = blocks;
  u32 at = 1 + 2 * blocks;
  for (unsigned block = 0; block < blocks; ++block) {
    const u32 wanted = mask_wanted(block);
    const u32 mask = block < mine ? mask_of(block) : 0;
    copy[1 + 2 * block] = wanted;
    copy[2 + 2 * block] = at;
    const u32* from = mask == 0 ? nullptr : &words_[first_of(block)];
    for (u32 bits = wanted; bits != 0; bits &= bits - 1, ++at)
      if ((mask & bits & -bits) != 0) copy[at] = *from++;
  }
  return copy;
}

u32& Times::slot(u32* words, Component component) {
  const unsigned block = component / kBlock;
  const u32 below = (u32{1} << component % kBlock) - 1;
  return words[words[2 + 2 * block] +
               static_cast<unsigned>(std::popcount(words[1 + 2 * block] & below))];
}

Times Times::merged(const Times& a, const Times& b) {
  if (a.covers(b)) return a;
  if (b.covers(a)) return b;
  const auto mask_in = [](const Times& times, unsigned block) {
    return block < times.blocks() ? times.mask_of(block) : 0;
  };
  const std::shared_ptr<u32[]> words =
      a.copy_with(std::max(a.blocks(), b.blocks()),
                  [&](unsigned block) { return mask_in(a, block) | mask_in(b, block); });
  for (unsigned block = 0; block < b.blocks(); ++block) {
    const u32* from = &b.words_[b.first_of(block)];
    for (u32 bits = b.mask_of(block); bits != 0; bits &= bits - 1) {
      const unsigned component = block * kBlock + static_cast<unsigned>(std::countr_zero(bits));
      u32& time = slot(words.get(), static_cast<Component>(component));
      time = std::max(time, *from++);
    }
  }
  Times result;
  result.words_ = words;
  return result;
}

Times Times::with(std::span<const Epoch> actions) const {
  unsigned blocks = this->blocks();
  for (const Epoch& one : actions) blocks = std::max(blocks, one.component / kBlock + 1u);
  const std::shared_ptr<u32[]> words = copy_with(blocks, [&](unsigned block) {
    u32 mask = block < this->blocks() ? mask_of(block) : 0;
    for (const Epoch& one : actions)
      if (one.component / kBlock == block && one.time != 0)
        mask |= u32{1} << one.component % kBlock;
    return mask;
  });
  for (const Epoch& one : actions) {
    if (one.time == 0) continue;
    u32& time = slot(words.get(), one.component);
    time = std::max(time, one.time);
  }
  Times result;
  result.words_ = words;
  return result;
}

std::size_t Times::bytes() const {
  if (words_.use_count() != 1) return 0;
  const unsigned last = blocks() - 1;
  return sizeof(u32) * (first_of(last) + static_cast<unsigned>(std::popcount(mask_of(last))));
}

}  // namespace bhemu::race
