#include "hazard/follow.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace bhemu::hazard {
namespace {

constexpr u32 kOp = 0x33;
constexpr u32 kOpImmediate = 0x13;
constexpr u32 kBranch = 0x63;
constexpr u32 kStore = 0x23;
constexpr u32 kFpStore = 0x27;
constexpr u32 kFence = 0x0F;
constexpr u32 kNotKnownYet = ~0u;  // Look::latest: it is not a word that agents signal by

bool writes_no_register(u32 opcode) {
  return opcode == kBranch || opcode == kStore || opcode == kFpStore || opcode == kFence;
}

/// There is something left to prove.
bool is_open(const Look& look) {
  return !look.settled && look.certain != look.latest;
}

}  // namespace

const Follower::Known* Follower::known_of(const Value& value) const {
  if (value.look == 0) return nullptr;
  for (const Known& known : looks_)
    if (known.number == value.look) return &known;
  return nullptr;
}

void Follower::forget_all() {
  registers_.fill({});
  slots_.clear();
  steps_.clear();
  for (Known& known : looks_) {
    known.number = 0;
    known.branches.clear();
  }
}

/// Nothing of it is there any more.
void Follower::overwrite(u32 address, unsigned bytes) {
  for (u32 at = address < 3 ? 0 : address - 3; at < address + bytes; ++at) {
    const auto slot = slots_.find(at);
    if (slot != slots_.end() && at + slot->second.bytes > address) slots_.erase(slot);
  }
}

void Follower::put_away(u32 address, unsigned bytes, unsigned reg) {
  const Value& value = registers_[reg];
  if (slots_.empty() && (reg == 0 || (value.look == 0 && value.drawn == 0))) return;
  overwrite(address, bytes);
  Known* known = reg != 0 ? known_of(value) : nullptr;
  if (known == nullptr && (reg == 0 || value.drawn == 0)) return;
  if (slots_.size() >= kMostSlots) make_room();
  slots_[address] = {value, static_cast<u8>(bytes)};
  if (known != nullptr && hazard::is_open(known->look) && known->look.latest != kNotKnownYet)
    known->held = true;
}

/// Words that can prove nothing any more go first; then, at worst, proofs are lost.
void Follower::make_room() {
  std::erase_if(slots_, [&](const auto& slot) {
    const Known* known = known_of(slot.second.value);
    return (known == nullptr || !known->held) && slot.second.value.drawn == 0;
  });
  if (slots_.size() >= kMostSlots) slots_.clear();
}

/// Of bytes and halves what an extension of the register would have made of it.
void Follower::fetch(unsigned reg, u32 address, unsigned bytes, bool is_signed) {
  if (reg == 0 || slots_.empty()) return;
  const auto slot = slots_.find(address);
  if (slot == slots_.end() || bytes > slot->second.bytes) return;
  registers_[reg] = slot->second.value;
  if (bytes == 4) return;
  constexpr u32 kSlli = 1u << 12, kSrli = 5u << 12, kArithmetic = 1u << 30;
  const u32 by = (32 - 8 * bytes) << 20;
  const u32 registers = reg << 15 | reg << 7 | kOpImmediate;
  compute(by | kSlli | registers, reg, reg, 0, 0, 0);
  compute(by | kSrli | (is_signed ? kArithmetic : 0) | registers, reg, reg, 0, 0, 0);
}

bool Follower::is_held(u32 look) const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [&](const auto& slot) { return slot.second.value.look == look; });
}

bool Follower::is_in_register(u32 look) const {
  return std::any_of(registers_.begin(), registers_.end(),
                     [&](const Value& value) { return value.look == look; });
}

/// Something can still be proved by it.
bool Follower::is_wanted(Known& known) {
  if (known.number == 0 || !hazard::is_open(known.look)) return false;
  known.held = known.held && is_held(known.number);
  return known.held || is_in_register(known.number);
}

/// Where a new look is remembered: in turn, but not in place of one that a register or a word of
/// memory is made of, as long as there are others; of those at first one that may be of nothing
/// that agents signal by.
Follower::Known& Follower::free_entry() {
  for (unsigned i = 0; i < kLooks; ++i)
    if (Known& known = looks_[next_++ % kLooks]; !is_wanted(known)) return known;
  for (unsigned i = 0; i < kLooks; ++i)
    if (Known& known = looks_[next_++ % kLooks]; known.look.latest == kNotKnownYet) return known;
  return looks_[next_++ % kLooks];
}

void Follower::loaded(unsigned reg, Look&& look) {
  if (reg == 0 || reg >= 32) return;
  if (++number_ == 0) ++number_;
  Known& known = free_entry();
  known.number = number_;
  known.held = false;
  known.look = std::move(look);
  known.branches.clear();
  registers_[reg] = {number_, known.look.kind == Look::Kind::Atomic ? known.look.address : 0,
                     kLoaded};
}

/// Of two that are put together, the one of which there is something left to prove; the other is a
/// plain number (the core's own count of pages, say).
const Follower::Value* Follower::pick(const Value& a, const Value& b) {
  const Known* of_a = known_of(a);
  const Known* of_b = known_of(b);
  if (of_b == nullptr) return of_a != nullptr ? &a : nullptr;
  if (of_a == nullptr) return &b;
  if (hazard::is_open(of_a->look) != hazard::is_open(of_b->look))
    return hazard::is_open(of_a->look) ? &a : &b;
  return a.look > b.look ? &a : &b;  // what was looked at last is what is waited for
}

/// An instruction whose operands are these, of which those made of the same look as `source` are
/// followed.
Follower::Step Follower::step_of(u32 word, const Value& source, const Value& a, const Value& b,
                                 u32 number_a, u32 number_b) const {
  Step step;
  step.word = word;
  step.look = source.look;
  step.number = {number_a, number_b};
  if (a.look == source.look) step.from[0] = a.from;
  if (b.look == source.look) step.from[1] = b.from;
  return step;
}

void Follower::compute(u32 word, unsigned rd, unsigned rs1, unsigned rs2, u32 a, u32 b) {
  if (steps_.size() == kMostSteps) collect();
  const bool two = (word & 0x7F) == kOp;
  const Value first = registers_[rs1];
  const Value second = two ? registers_[rs2] : Value{};
  registers_[rd] = {};
  registers_[rd].drawn = first.drawn != 0 ? first.drawn : second.drawn;
  const Value* source = pick(first, second);
  if (source == nullptr) return;
  steps_.push_back(step_of(word, *source, first, second, a, b));
  registers_[rd].look = source->look;
  registers_[rd].from = static_cast<u16>(steps_.size() - 1);
}

void Follower::take_turn(const Value& word, const Value& number) {
  const Known* known = known_of(word);
  if (number.drawn != 0 && known != nullptr && known->look.kind == Look::Kind::Word)
    turn_ = {known->look.address, number.drawn};
}

/// Of many branches the first is kept, which is that of the wait, and the last ones; what the
/// others have ruled out has been taken in by then.
Look* Follower::note(const Branch& branch) {
  Value of;
  of.look = branch.compare.look;
  Known* known = known_of(of);
  if (known == nullptr || known->look.settled) return nullptr;
  if (known->branches.size() == kMostBranches) known->branches.erase(known->branches.begin() + 1);
  known->branches.push_back(branch);
  return &known->look;
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
  const Value& first = registers_[rs1];
  const Value& second = registers_[rs2];
  const Value* source = pick(first, second);
  if (source == nullptr) return nullptr;
  return note({step_of(word, *source, first, second, a, b), next_pc != pc + 4});
}

bool Follower::is_open(unsigned reg) const {
  const Known* known = known_of(registers_[reg]);
  return known != nullptr && hazard::is_open(known->look);
}

Look* Follower::chosen_by(unsigned reg, u32 value) {
  const Value& source = registers_[reg];
  return note({step_of(0, source, source, {}, value, value), true});
}

/// Steps that nothing is made of any more are forgotten. When nearly all are needed, everything is:
/// then proofs are lost.
void Follower::collect() {
  std::vector<u16> place(steps_.size(), kConstant);
  const auto drop_old = [&](Value& value) {
    if (known_of(value) == nullptr) value.look = 0;
    if (value.look != 0) keep(value.from, place);
  };
  for (Value& value : registers_) drop_old(value);
  for (auto& [address, slot] : slots_) drop_old(slot.value);
  for (Known& known : looks_)
    for (Branch& branch : known.branches)
      for (u16& from : branch.compare.from) keep(from, place);
  // What is kept has been marked; operands come first.
  u16 kept = 0;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] == kConstant) continue;
    place[i] = kept;
    for (u16& from : steps_[i].from)
      if (from < kLoaded) from = place[from];
    steps_[kept++] = steps_[i];
  }
  const auto move = [&](u16& from) {
    if (from < kLoaded) from = place[from];
  };
  for (Value& value : registers_) move(value.from);
  for (auto& [address, slot] : slots_) move(slot.value.from);
  for (Known& known : looks_)
    for (Branch& branch : known.branches)
      for (u16& from : branch.compare.from) move(from);
  steps_.resize(kept);
  if (kept > kMostSteps * 3 / 4) forget_all();
}

void Follower::keep(u16& from, std::vector<u16>& place) {
  if (from >= kLoaded || place[from] != kConstant) return;
  place[from] = 0;
  for (u16& operand : steps_[from].from) keep(operand, place);
}

u32 Follower::narrowed(const Look& look, u32 value) {
  value >>= look.shift;
  if (look.size == 4) return value;
  const unsigned width = look.size * 8;
  value &= (1u << width) - 1;
  return look.is_signed && bit(value, width - 1) ? value | ~0u << width : value;
}

u32 Follower::operand(const Step& step, unsigned which, u32 loaded) {
  const u16 from = step.from[which];
  return from == kConstant ? step.number[which] : value_of(from, loaded);
}

u32 Follower::value_of(u16 from, u32 loaded) {
  if (from == kLoaded) return loaded;
  Step& step = steps_[from];
  if (step.asked != asked_) {
    step.result = copy_.result_of(step.word, operand(step, 0, loaded), operand(step, 1, loaded));
    step.asked = asked_;
  }
  return step.result;
}

bool Follower::would_have_come(const Look& look, u32 value) {
  const Copy::Use use(copy_);
  const u32 loaded = narrowed(look, value);
  if (++asked_ == 0) {
    for (Step& step : steps_) step.asked = 0;
    asked_ = 1;
  }
  for (const Known& known : looks_) {
    if (&known.look != &look) continue;
    for (const Branch& branch : known.branches) {
      const u32 a = operand(branch.compare, 0, loaded);
      const u32 b = operand(branch.compare, 1, loaded);
      const bool taken =
          branch.compare.word == 0 ? a == b : copy_.is_taken(branch.compare.word, a, b);
      if (taken != branch.taken) return false;
    }
  }
  return true;
}

}  // namespace bhemu::hazard
