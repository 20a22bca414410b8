#include "hazard/follow.hpp"

#include "base/bits.hpp"

namespace bhemu::hazard {
namespace {

constexpr u32 kOp = 0x33;
constexpr u32 kOpImmediate = 0x13;
constexpr u32 kBranch = 0x63;
constexpr u32 kStore = 0x23;
constexpr u32 kFpStore = 0x27;
constexpr u32 kFence = 0x0F;

bool writes_no_register(u32 opcode) {
  return opcode == kBranch || opcode == kStore || opcode == kFpStore || opcode == kFence;
}

}  // namespace

Follower::Known* Follower::known_of(const Chain& chain) {
  if (chain.look == 0) return nullptr;
  Known& known = looks_[chain.look % kLooks];
  return known.number == chain.look ? &known : nullptr;
}

void Follower::forget_all() {
  for (Chain& one : registers_) one.look = one.drawn = 0;
  for (Slot& one : slots_) one.chain.look = 0;
}

void Follower::put_away(u32 address, unsigned reg) {
  Slot& slot = slots_[address / 4 % kSlots];
  if (reg != 0 && (registers_[reg].look != 0 || registers_[reg].drawn != 0)) {
    slot = {address / 4, registers_[reg]};
  } else if (slot.word == address / 4) {
    slot.chain.look = slot.chain.drawn = 0;
  }
}

void Follower::fetch(unsigned reg, u32 address) {
  const Slot& slot = slots_[address / 4 % kSlots];
  if (reg != 0 && slot.word == address / 4) registers_[reg] = slot.chain;
}

void Follower::loaded(unsigned reg, Look&& look) {
  if (reg == 0 || reg >= 32) return;
  if (++number_ == 0) ++number_;
  Known& known = looks_[number_ % kLooks];
  known.number = number_;
  known.look = std::move(look);
  known.branches.clear();
  registers_[reg].look = number_;
  registers_[reg].drawn = known.look.kind == Look::Kind::Atomic ? known.look.address : 0;
  registers_[reg].steps = 0;
}

/// Of two that are put together, the one of which there is something left to prove; the other is a
/// plain number (the core's own count of pages, say).
const Follower::Chain* Follower::pick(const Chain& a, const Chain& b) {
  const Known* of_a = known_of(a);
  const Known* of_b = known_of(b);
  if (of_b == nullptr) return of_a != nullptr ? &a : nullptr;
  if (of_a == nullptr) return &b;
  const auto open = [](const Look& look) { return look.certain != look.latest; };
  if (a.look == b.look) return nullptr;
  if (open(of_a->look) != open(of_b->look)) return open(of_a->look) ? &a : &b;
  return a.look > b.look ? &a : &b;  // what was looked at last is what is waited for
}

void Follower::compute(u32 word, unsigned rd, unsigned rs1, unsigned rs2, u32 a, u32 b) {
  const bool two = (word & 0x7F) == kOp;
  const Chain none;
  const Chain* source = pick(registers_[rs1], two ? registers_[rs2] : none);
  const u32 drawn =
      registers_[rs1].drawn != 0 || !two ? registers_[rs1].drawn : registers_[rs2].drawn;
  if (source == nullptr || source->steps == kMostSteps) {
    registers_[rd].look = 0;
    registers_[rd].drawn = drawn;
    return;
  }
  const bool first = source == &registers_[rs1];
  Chain chain = *source;
  chain.step[chain.steps++] = {word, first ? b : a, first};
  chain.drawn = drawn;
  registers_[rd] = chain;
}

void Follower::take_turn(const Chain& word, const Chain& number) {
  const Known* known = known_of(word);
  if (number.drawn != 0 && known != nullptr && known->look.kind == Look::Kind::Word)
    turn_ = {known->look.address, number.drawn};
}

Look* Follower::executed(u32 pc, u32 word, u32 a, u32 b, u32 next_pc) {
  const u32 opcode = word & 0x7F;
  const unsigned rd = bits(word, 7, 5);
  const unsigned rs1 = bits(word, 15, 5);
  const unsigned rs2 = bits(word, 20, 5);
  if (opcode == kOp || opcode == kOpImmediate) {
    if (rd != 0) compute(word, rd, rs1, rs2, a, b);
    return nullptr;
  }
  if (!writes_no_register(opcode)) {
    forget(rd);  // of some, no integer register; then a proof is lost, at worst
    return nullptr;
  }
  if (opcode != kBranch) return nullptr;
  turn_ = {};
  if (a == b) {
    take_turn(registers_[rs1], registers_[rs2]);
    take_turn(registers_[rs2], registers_[rs1]);
  }
  const Chain* chain = pick(registers_[rs1], registers_[rs2]);
  if (chain == nullptr) return nullptr;
  Known& known = *known_of(*chain);
  if (known.branches.size() == kMostBranches || known.look.settled) return nullptr;
  const bool first = chain == &registers_[rs1];
  known.branches.push_back({*chain, {word, first ? b : a, first}, next_pc != pc + 4});
  return &known.look;
}

u32 Follower::narrowed(const Look& look, u32 value) {
  value >>= look.shift;
  if (look.size == 4) return value;
  const unsigned width = look.size * 8;
  value &= (1u << width) - 1;
  return look.is_signed && bit(value, width - 1) ? value | ~0u << width : value;
}

u32 Follower::value_through(const Chain& chain, u32 loaded) {
  u32 value = loaded;
  for (unsigned i = 0; i < chain.steps; ++i) {
    const Step& step = chain.step[i];
    value = step.first ? copy_.result_of(step.word, value, step.other)
                       : copy_.result_of(step.word, step.other, value);
  }
  return value;
}

bool Follower::would_have_come(const Look& look, u32 value) {
  const u32 loaded = narrowed(look, value);
  for (const Known& known : looks_) {
    if (&known.look != &look) continue;
    for (const Branch& branch : known.branches) {
      const u32 compared = value_through(branch.chain, loaded);
      const Step& step = branch.compare;
      const bool taken = step.first ? copy_.is_taken(step.word, compared, step.other)
                                    : copy_.is_taken(step.word, step.other, compared);
      if (taken != branch.taken) return false;
    }
  }
  return true;
}

}  // namespace bhemu::hazard
