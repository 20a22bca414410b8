// Programs that move data through NoC 0 within the tile: reads, writes, atomics.
// (Inline writes to L1 are a defect of the chip, which bhemu refuses.)
#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

// Registers of command buffer 0, BlackholeA0/NoC/MemoryMap.md.
constexpr u32 kNiu = 0xFFB20000;
constexpr u32 kTargLo = kNiu + 0x00;
constexpr u32 kTargMid = kNiu + 0x04;
constexpr u32 kTargHi = kNiu + 0x08;
constexpr u32 kRetLo = kNiu + 0x0C;
constexpr u32 kRetMid = kNiu + 0x10;
constexpr u32 kRetHi = kNiu + 0x14;
constexpr u32 kCtrl = kNiu + 0x1C;
constexpr u32 kLength = kNiu + 0x20;
constexpr u32 kInlineData = kNiu + 0x28;
constexpr u32 kCommand = kNiu + 0x40;
constexpr u32 kAcksReceived = kNiu + 0x204;
constexpr u32 kReadsAnswered = kNiu + 0x208;
constexpr u32 kAtomicsAnswered = kNiu + 0x200;
constexpr u32 kRead = 0x2090;
constexpr u32 kWrite = 0x2092;
constexpr u32 kAtomic = 0x2091;

struct Counts {
  u32 reads = 0;
  u32 acks = 0;
  u32 atomics = 0;
};

void send(Writer& w, u32 control) {
  w.store(kCtrl, control);
  w.store(kCommand, 1);
}

void transfer(Writer& w, Counts& counts) {
  const u32 alignment = w.below(4) * 4;
  const u32 from = kData + w.below(0x40) * 16 + alignment;
  const u32 to = kOut + w.below(0x80) * 16 + alignment;
  w.store(kTargLo, from);
  w.store(kRetLo, to);
  w.store(kLength, 1 + w.below(w.one_in(2) ? 64 : 1024));
  const bool read = w.one_in(2);
  send(w, read ? kRead : kWrite);
  if (read)
    w.wait(kReadsAnswered, ++counts.reads);
  else
    w.wait(kAcksReceived, ++counts.acks);
}

void increment(Writer& w, Counts& counts) {
  // Peers take increments of word 0 and 32 bits.
  const bool wide = w.one_in(30);
  const u32 word = wide ? w.below(4) : 0;
  const u32 wrap = wide ? 3 + w.below(29) : 31;
  w.store(kTargLo, kOut + w.below(0x40) * 16 + word * 4);
  w.store(kRetLo, kResults - 0x100);
  w.store(kLength, 0x1000 | wrap << 2 | word);
  w.store(kInlineData, w.any_word());
  send(w, kAtomic);
  w.wait(kAtomicsAnswered, ++counts.atomics);
}

}  // namespace

Program make_noc(u64 seed) {
  Writer w(seed);
  for (u32 i = 0; i < 1024; ++i) w.program.data.push_back(w.word());
  Counts counts;
  w.keep = true;  // the counters that are waited for depend on every request
  for (const u32 reg : {kTargMid, kRetMid}) w.store(reg, 0);
  for (const u32 reg : {kTargHi, kRetHi}) w.place(reg, place_value(0));
  for (u32 steps = 1 + w.below(10); steps > 0; --steps) {
    const u32 kind = w.below(6);
    if (kind == 0)
      increment(w, counts);
    else
      transfer(w, counts);
  }
  return w.program;
}

}  // namespace bhemu::diff
