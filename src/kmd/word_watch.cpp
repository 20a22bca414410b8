#include "kmd/word_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/report/hints.hpp"
#include "host/report/host_desk.hpp"
#include "host/report/standstill.hpp"
#include "tile/tile.hpp"

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
  read_data_ |= words_.size() == kMostWords;
  if (same != words_.end() || words_.size() == kMostWords) forget();
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

namespace {

/// Tiles in which the same address holds something else than zero and what the client has seen.
std::string elsewhere(Device& device, const WordWatch::Word& word) {
  constexpr size_t kMost = 3;
  if (word.address + word.bytes > kL1Size) return "";
  std::vector<std::string> found;
  for (const Coord coord : device.board().tensix()) {
    const NodeId node = device.board().node_at_translated(coord);
    tile::Tile* const tile = device.tile_of(node);
    if (tile == nullptr || node == word.node || !tile->in_use()) continue;
    u64 value = 0;
    std::memcpy(&value, tile->l1().data() + word.address, word.bytes);
    if (value != 0 && value != word.value)
      found.push_back(fmt::format("{:#x} in ({}, {})", value, coord.x, coord.y));
  }
  if (found.empty() || found.size() > kMost) return "";
  return fmt::format(" The same address holds {}.", fmt::join(found, ", "));
}

}  // namespace

std::string told_of_looks(const WordWatch& words, Device& device, const host::CodeMap& code,
                          const host::HostWords& writes) {
  const WordWatch::Word& word = words.words().back();
  const bool of_tile = device.tile_of(word.node) != nullptr;
  const Coord coord = device.coord_of(word.node);
  const std::string where =
      of_tile ? fmt::format("({}, {})", coord.x, coord.y) : device.name_of(word.node);
  const auto reason = device.run(0).status == RunStatus::Idle ? host::Standstill::Reason::Idle
                                                              : host::Standstill::Reason::Spinning;
  host::Standstill standstill = host::standstill_of(device, code, {}, reason);
  host::HostDesk desk;
  desk.asks("");
  std::array<u8, sizeof word.value> bytes;
  std::memcpy(bytes.data(), &word.value, sizeof word.value);
  desk.looked(where, word.address, std::span(bytes).first(word.bytes));
  desk.tell(device, standstill);
  writes.tell(standstill, device);
  return fmt::format(
             "the client has looked at {} of {} for {} s. It is {:#x}, and nothing on the chip can "
             "change it (said once; BHEMU_HANG sets the seconds; 0: never).{}\n",
             of_tile ? fmt::format("L1[{:#x}]", word.address) : fmt::format("{:#x}", word.address),
             where, words.patience().count(), word.value, elsewhere(device, word)) +
         host::text_of(standstill);
}

}  // namespace bhemu::kmd
