#include "riscv/loop_heads.hpp"

#include <cstring>

#include "riscv/decode.hpp"

namespace bhemu::riscv {
namespace {

constexpr std::size_t kAtFirst = 8;
constexpr u32 kLookedThrough = 24 * 4;  // bytes ahead of an instruction
constexpr u32 kOpcode = 0x7F;
constexpr u32 kBranch = 0x63;
constexpr u32 kJal = 0x6F;
constexpr u32 kRd = 0x1F << 7;

}  // namespace

u32 top_of_loop(u32 pc, const u8* l1, u32 l1_bytes) {
  for (u32 at = pc; at - pc < kLookedThrough && at + 4 <= l1_bytes; at += 4) {
    u32 word;
    std::memcpy(&word, l1 + at, 4);
    i32 away = 0;
    if ((word & kOpcode) == kBranch) away = b_immediate(word);
    if ((word & (kOpcode | kRd)) == kJal) away = j_immediate(word);
    const u32 to = at + static_cast<u32>(away);
    if (away < 0 && to % 4 == 0 && to <= pc && pc - to < kLookedThrough) return to;
  }
  return pc;
}

u16 LoopHeads::in_line(u32 address, const u8* l1) const {
  u32 mask = 0;
  for (const Head& head : heads_)
    if (head.pc - address < kLineBytes && head.stands_in(l1))
      mask |= 1u << head.pc % kLineBytes / 4;
  return static_cast<u16>(mask);
}

LoopHeads::Lines LoopHeads::add(u32 pc, Cycle period, const u8* l1) {
  const u32 line = pc & ~(kLineBytes - 1);
  Lines changed{line, line};
  if (heads_.empty()) heads_.reserve(kAtFirst);
  const auto old =
      std::find_if(heads_.begin(), heads_.end(), [pc](const Head& head) { return head.pc == pc; });
  if (old != heads_.end()) {
    heads_.erase(old);  // other words stood there
  } else if (heads_.size() == kMost) {
    changed[1] = heads_.front().pc & ~(kLineBytes - 1);
    heads_.erase(heads_.begin());
  }
  Head head{pc, 0, period, {}};
  std::memcpy(head.words.data(), l1 + line, kLineBytes);
  heads_.push_back(head);
  return changed;
}

bool LoopHeads::looked(u32 pc, bool in_vain) {
  const auto head =
      std::find_if(heads_.begin(), heads_.end(), [pc](const Head& one) { return one.pc == pc; });
  if (head == heads_.end()) return false;
  head->in_vain = in_vain ? head->in_vain + 1 : 0;
  if (head->in_vain < kMostInVain) return false;
  heads_.erase(head);
  return true;
}

}  // namespace bhemu::riscv
