#include "hazard/copy.hpp"

#include <cstring>
#include <vector>

#include "base/bits.hpp"
#include "riscv/decode.hpp"
#include "riscv/effect.hpp"
#include "riscv/execute.hpp"
#include "riscv/isa.hpp"

namespace bhemu::hazard {
namespace {

constexpr u32 kAlonePc = 0x1000;  // a branch either way stays within L1
constexpr u32 kAloneBytes = 0x2000;
constexpr unsigned kMostSteps = 96;  // round a polling loop
constexpr u32 kA = 5;                // registers that a single instruction is made to use
constexpr u32 kB = 6;
constexpr u32 kResult = 7;

/// The word with other registers in the places of rs1, rs2 and rd. x0 stays: it is part of what
/// some words mean (zext.h).
u32 with_registers(u32 word, bool has_second, bool has_result) {
  if (bits(word, 15, 5) != 0) word = with_bits(word, 15, 5, kA);
  if (has_second && bits(word, 20, 5) != 0) word = with_bits(word, 20, 5, kB);
  if (has_result) word = with_bits(word, 7, 5, kResult);
  return word;
}

}  // namespace

/// The tile as the copy sees it (riscv/core.hpp).
struct Copy::Bus {
  static constexpr bool kRecord = false;
  static constexpr u32 kL1Bytes = kL1Size;

  Bus(u8* memory, u32 bytes)
      : flags((bytes >> 6) + 1, 1),  // so that every store comes by store_l1
        table("bhemu-copy", std::size_t{bytes} / 4 * sizeof(riscv::Decoded)),
        l1(memory),
        l1_flags(flags.data()),
        decoded(reinterpret_cast<riscv::Decoded*>(table.data())) {}

  riscv::Loaded load(riscv::CoreState&, u32, u32) { return {0}; }
  riscv::Outcome store(riscv::CoreState&, u32, u32, u32) { return done(); }
  riscv::Outcome store_l1(riscv::CoreState&, u32, const void*, u32) { return done(); }
  riscv::Outcome push_tensix(riscv::CoreState&, u32) { return done(); }
  riscv::Loaded read_csr(riscv::CoreState&, u32) { return {0}; }
  riscv::Outcome write_csr(riscv::CoreState&, u32, u32) { return riscv::Outcome::Ok; }
  void mark_code(u32 address) { touched.push_back(address / 4); }
  bool raise(riscv::CoreState&, Rule, std::string) { return true; }
  bool has_debugger() const { return false; }
  void pause() {}
  void note_load_l1(u32, u32) {}
  void note_impure() {}
  void note_clock() {}

  riscv::Outcome done() {
    noticed = true;
    return riscv::Outcome::Ok;
  }
  /// Code may be another when it is looked at again.
  void forget() {
    for (const u32 entry : touched) decoded[entry] = {};
    touched.clear();
    noticed = false;
  }

  std::vector<u8> flags;
  Mapping table;
  std::vector<u32> touched;
  bool noticed = false;

  u8* l1;
  const u8* l1_flags;
  riscv::Decoded* decoded;
  u32 ldm_size = 0x2000;
  bool attention = false;
};

Copy::Copy(const u8* l1, u32 l1_bytes)
    : alone_(std::make_unique<Bus>(new u8[kAloneBytes](), kAloneBytes)),
      // Every store comes by store_l1, so nothing is written through the pointer.
      inside_(std::make_unique<Bus>(const_cast<u8*>(l1), l1_bytes)) {}

Copy::~Copy() {
  delete[] alone_->l1;
}

u32 Copy::result_of(u32 word, u32 a, u32 b) {
  const bool has_second = (word & 0x7F) == 0x33;
  const u32 changed = with_registers(word, has_second, true);
  std::memcpy(alone_->l1 + kAlonePc, &changed, 4);
  alone_->forget();
  small_.pc = kAlonePc;
  small_.x[kA] = a;
  small_.x[kB] = b;
  riscv::run(small_, *alone_, small_.cycle + 1);
  return small_.x[kResult];
}

bool Copy::is_taken(u32 word, u32 a, u32 b) {
  const u32 changed = with_registers(word, true, false);
  std::memcpy(alone_->l1 + kAlonePc, &changed, 4);
  alone_->forget();
  small_.pc = kAlonePc;
  small_.x[kA] = a;
  small_.x[kB] = b;
  riscv::run(small_, *alone_, small_.cycle + 1);
  return small_.pc != kAlonePc + 4;
}

bool Copy::comes_back(const riscv::CoreState& state, u32 from, u32 load_pc, u32 address) {
  state_ = state;
  state_.pc = from;
  bool back = false;
  for (unsigned i = 0; i < kMostSteps && !inside_->noticed; ++i) {
    if (!riscv::is_instruction_address(state_.pc, kL1Size)) break;
    if (state_.pc == load_pc) {
      u32 word = 0;
      std::memcpy(&word, inside_->l1 + load_pc, 4);
      const riscv::Effect effect = riscv::effect_of(state_, word);
      back = riscv::loads(effect) && effect.address == address;
      break;
    }
    if (riscv::run(state_, *inside_, state_.cycle + 1) != riscv::Outcome::Ok) break;
    inside_->attention = false;
  }
  const bool noticed = inside_->noticed;
  inside_->forget();
  return back && !noticed;
}

}  // namespace bhemu::hazard
