#include "riscv/loop_heads.hpp"

#include <cstring>

#include "riscv/decode.hpp"

namespace bhemu::riscv {
namespace {

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
  for (const u32 pc : pcs_)
    if (pc - address < kLineBytes && has(pc, l1)) mask |= 1u << pc % kLineBytes / 4;
  return static_cast<u16>(mask);
}

LoopHeads::Lines LoopHeads::add(u32 pc, Cycle period, const u8* l1) {
  const u32 line = pc & ~(kLineBytes - 1);
  Lines changed{line, line};
  const auto old = std::find(pcs_.begin(), pcs_.end(), pc);
  if (old != pcs_.end()) {
    erase(static_cast<std::size_t>(old - pcs_.begin()));  // other words stood there
  } else if (heads_.full()) {
    changed[1] = heads_[0].line;
    erase(0);
  }
  make(pc, {period, false}, l1);
  return changed;
}

LoopHeads::Head& LoopHeads::make(u32 pc, LoopShape shape, const u8* l1) {
  Head& head = heads_.emplace_back();
  pcs_.emplace_back(pc);
  head.shape = shape;
  head.line = pc & ~(kLineBytes - 1);
  std::memcpy(head.words.data(), l1 + head.line, kLineBytes);
  return head;
}

bool LoopHeads::adopt(u32 pc, LoopShape shape, std::shared_ptr<const KnownRound> round,
                      const u8* l1) {
  const Head* const old = find(pc);
  if (old != nullptr && old->stands_in(l1)) return false;
  if (old != nullptr) erase(static_cast<std::size_t>(old - heads_.data()));
  if (heads_.full() || std::find(given_up_.begin(), given_up_.end(), pc) != given_up_.end())
    return false;
  Head& head = make(pc, shape, l1);
  head.round = std::move(round);
  head.learns_at = kFirstOfOthers;
  return true;
}

bool LoopHeads::was_in_vain(u32 pc) {
  Head* const head = find(pc);
  if (head == nullptr || ++head->in_vain < kMostInVain) return false;
  if (given_up_.full()) given_up_.erase(0);
  given_up_.emplace_back(pc);
  erase(static_cast<std::size_t>(head - heads_.data()));
  return true;
}

bool LoopHeads::was_of_use(u32 pc) {
  Head* const head = find(pc);
  if (head == nullptr) return false;
  head->in_vain = 0;
  return ++head->of_use >= head->learns_at;
}

void LoopHeads::learn(u32 pc, std::shared_ptr<const KnownRound> round) {
  Head* const head = find(pc);
  if (head == nullptr) return;
  head->round = std::move(round);
  head->learns_at = 2 * head->of_use;
  head->others = 0;
}

void LoopHeads::was_known(u32 pc, bool same) {
  Head* const head = find(pc);
  if (head == nullptr) return;
  if (same) {
    head->in_vain = head->of_use = head->others = head->early_others = 0;
    head->learns_at = 1;
  } else if (++head->others == kMostOthers) {
    head->round = nullptr;
  }
}

void LoopHeads::was_not_known_early(u32 pc) {
  if (Head* const head = find(pc); head != nullptr) ++head->early_others;
}

void LoopHeads::clear() {
  pcs_.clear();
  heads_.clear();
  given_up_.clear();
}

void LoopHeads::erase(std::size_t index) {
  pcs_.erase(index);
  heads_.erase(index);
}

}  // namespace bhemu::riscv
