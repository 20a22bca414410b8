// Scalar unit: loads, stores and atomics on L1, MMIO and the Src files.
//
// Documents: tt-isa-documentation LOADIND.md, STOREIND*.md, LOADREG.md, STOREREG.md, ATINCGET.md,
// ATINCGETPTR.md, ATSWAP.md, ATCAS.md (one text for Wormhole and Blackhole; L1 of Blackhole is
// 1536 KiB). Where in its window a request is carried out is the timing's choice (effects.hpp);
// those that wait for a word in L1 are carried out when they find it.
#include <cstring>

#include <fmt/format.h>

#include "tensix/effects.hpp"
#include "tensix/footprint/recorder.hpp"
#include "tensix/gpr.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kMmioBase = 0xFFB00000;
constexpr u32 kMmioFirst = 0xFFB11000;

/// Transfer sizes of LOADIND and STOREIND.
constexpr u32 kBytesOf[4] = {16, 4, 2, 1};

/// `bytes` from `address` on lie in L1; otherwise the thread has been told.
bool in_l1(Context& context, u64 address, u32 bytes) {
  if (address < L1::kSize && L1::contains(static_cast<u32>(address), bytes)) return true;
  context.raise(Rule::TensixL1Range,
                fmt::format("{} at L1 address {:#x}", info_of_word(context.word).name, address));
  return false;
}

bool in_mmio(Context& context, u32 address) {
  if (address >= kMmioFirst) return true;
  context.raise(Rule::TensixMmioRange,
                fmt::format("{} at {:#010x}", info_of_word(context.word).name, address));
  return false;
}

/// The offset half register is stepped after the address was formed.
void step_offset(GprFile& gpr, u32 half, u32 mode) {
  constexpr u32 kStep[4] = {0, 2, 4, 16};
  if (mode != 0) write_half(gpr, half, read_half(gpr, half) + kStep[mode]);
}

u64 l1_address(const GprFile& gpr, u32 address_register, u32 offset) {
  return u64{gpr[address_register]} * 16 + offset;
}

/// LOADIND and STOREIND to L1: aligned to what they move.
u64 indirect_address(const GprFile& gpr, u32 address_register, u32 offset_half, u32 bytes) {
  return l1_address(gpr, address_register, read_half(gpr, offset_half)) & ~u64{bytes - 1};
}
u32 mmio_address(const GprFile& gpr, op::STOREIND insn) {
  const u32 sum = gpr[insn.addr_reg_index()] + (read_half(gpr, insn.offset_index()) >> 4);
  return kMmioBase + (sum & 0x000FFFFC);
}

constexpr u32 kAllHalves = 0xFF;

Effect memory_effect(EffectKind kind, u32 address, u32 bytes) {
  Effect effect;
  effect.kind = kind;
  effect.address = address;
  effect.bytes = static_cast<u8>(bytes);
  return effect;
}

Completion store_to_l1(Context& context, op::STOREIND insn) {
  GprFile& gpr = gprs(context);
  const u32 size = insn.size_sel() << 1 | insn.reg_size_sel();
  const u32 bytes = kBytesOf[size];
  const u64 address = indirect_address(gpr, insn.addr_reg_index(), insn.offset_index(), bytes);
  if (!in_l1(context, address, bytes)) return Completion::Done;
  // The data is read after the offset was stepped, as the pages have it.
  context.touch(Resource::Gpr);
  step_offset(gpr, insn.offset_index(), insn.auto_inc_spec());
  const u32 first = size == 0 ? insn.data_reg_index() & ~3u : insn.data_reg_index();
  Effect effect = memory_effect(EffectKind::Store, static_cast<u32>(address), bytes);
  effect.mask = kAllHalves;
  std::memcpy(effect.value.data(), &gpr[first], bytes);
  put(context, effect);
  return Completion::Done;
}

/// A command to TDMA-RISC, whose queue is full: the instruction waits, and keeps the unit.
bool waits_for_tdma(const Context& context, u32 address) {
  const bool waits = address == kTdmaCommandAddress && !tdma_has_room(context.state);
  context.state.thcon.occupied_by = waits ? context.thread + 1 : 0;
  return waits;
}

Completion store_to_mmio(Context& context, op::STOREIND insn) {
  GprFile& gpr = gprs(context);
  const u32 address = mmio_address(gpr, insn);
  if (!in_mmio(context, address)) return Completion::Done;
  if (waits_for_tdma(context, address)) return Completion::Stall;
  Effect effect = memory_effect(EffectKind::StoreRegister, address, 4);
  effect.value[0] = gpr[insn.data_reg_index()];
  put(context, effect);
  context.touch(Resource::Gpr);
  step_offset(gpr, insn.offset_index(), insn.auto_inc_spec());
  return Completion::Done;
}

/// STOREIND_Src.md: the low half of a GPR holds BF16 as Src keeps it (sign, mantissa, exponent),
/// the high half as memory does. The result is in our order, see SrcRow.
u32 src_datum(u32 word, bool high) {
  const u32 half = high ? word >> 16 : word & 0xFFFFu;
  const u32 sign = half >> 15;
  const u32 exponent = high ? bits(half, 7, 8) : bits(half, 0, 8);
  const u32 mantissa = high ? bits(half, 0, 7) : bits(half, 8, 7);
  return sign << 31 | exponent << 23 | mantissa << 16;
}

/// Where STOREIND to a Src file goes.
struct SrcTarget {
  i32 row;  // of the set; below 0: dropped
  u32 row_in_bank;
  u32 column;
  bool defined;
};
template <class C>
SrcTarget src_target(const C& context, op::STOREIND insn) {
  const GprFile& gpr = context.state.thcon.gpr[context.thread];
  const bool to_b = insn.reg_size_sel() != 0;
  const u32 address = gpr[insn.addr_reg_index()] + (read_half(gpr, insn.offset_index()) >> 4);
  const bool absolute =
      !to_b && thread_cfg::SRCA_SET_SetOvrdWithAddr::get(context.thread_config()) != 0;
  // Rows of SrcA are given four too high; rows below that are dropped.
  const i32 row = static_cast<i32>(bits(address, 2, 18)) - (to_b ? 0 : 4);
  const u32 unpacker = to_b ? 1 : 0;
  if (!absolute)
    note_read(context, Space::Unpacker,
              unpacker * footprint_cell::kUnpackerCells + footprint_cell::SrcRow0 + context.thread);
  const u32 base = absolute ? 0 : context.state.unpacker[unpacker].src_row[context.thread];
  return {row, (base + static_cast<u32>(row)) % kSrcRows, (address & 3) * 4,
          (address & 0xF0000) == 0 && row < (absolute ? 64 : 16)};
}

Completion store_to_src(Context& context, op::STOREIND insn) {
  State& state = context.state;
  GprFile& gpr = gprs(context);
  SrcFile& file = insn.reg_size_sel() != 0 ? state.fpu.src_b : state.fpu.src_a;
  if (!file.unpacker_may_write()) return Completion::Stall;
  const SrcTarget where = src_target(context, insn);
  if (!where.defined) {
    context.raise(Rule::TensixUndefined, fmt::format("STOREIND to Src row {}", where.row));
    return Completion::Done;
  }
  const u32 data = insn.data_reg_index() & ~3u;
  const u32 source[2] = {gpr[data], gpr[data + 1]};
  context.touch(Resource::Gpr);
  step_offset(gpr, insn.offset_index(), insn.auto_inc_spec());
  if (where.row < 0) return Completion::Done;
  SrcRow& target = file.bank[file.unpack_bank][where.row_in_bank];
  for (u32 i = 0; i < 4; ++i) target.datum[where.column + i] = src_datum(source[i / 2], i % 2 != 0);
  return Completion::Done;
}

}  // namespace

Completion execute(Context& context, op::LOADIND insn) {
  GprFile& gpr = gprs(context);
  const u32 bytes = kBytesOf[insn.size_sel()];
  const u64 address = indirect_address(gpr, insn.addr_reg_index(), insn.offset_index(), bytes);
  if (!in_l1(context, address, bytes)) return Completion::Done;
  context.touch(Resource::Gpr);
  step_offset(gpr, insn.offset_index(), insn.auto_inc_spec());
  const u32 first = insn.size_sel() == 0 ? insn.data_reg_index() & ~3u : insn.data_reg_index();
  Effect effect = memory_effect(EffectKind::Load, static_cast<u32>(address), bytes);
  effect.gpr = static_cast<u8>(first);
  put(context, effect);
  return Completion::Done;
}

Completion execute(Context& context, op::STOREIND insn) {
  if (insn.mem_hier_sel() != 0) return store_to_l1(context, insn);
  return insn.size_sel() != 0 ? store_to_mmio(context, insn) : store_to_src(context, insn);
}

Completion execute(Context& context, op::LOADREG insn) {
  const u32 address = kMmioBase + (insn.reg_addr() << 2);
  if (!in_mmio(context, address)) return Completion::Done;
  Effect effect = memory_effect(EffectKind::LoadRegister, address, 4);
  effect.gpr = static_cast<u8>(insn.tdma_data_reg_index());
  put(context, effect);
  return Completion::Done;
}

Completion execute(Context& context, op::STOREREG insn) {
  const u32 address = kMmioBase + (insn.reg_addr() << 2);
  if (!in_mmio(context, address)) return Completion::Done;
  if (waits_for_tdma(context, address)) return Completion::Stall;
  Effect effect = memory_effect(EffectKind::StoreRegister, address, 4);
  effect.value[0] = gprs(context)[insn.tdma_data_reg_index()];
  put(context, effect);
  return Completion::Done;
}

Completion execute(Context& context, op::ATINCGET insn) {
  GprFile& gpr = gprs(context);
  const u64 address = l1_address(gpr, insn.addr_reg_index(), insn.sel32b() * 4);
  if (!in_l1(context, address, 4)) return Completion::Done;
  Effect effect = memory_effect(EffectKind::Increment, static_cast<u32>(address), 4);
  effect.gpr = static_cast<u8>(insn.data_reg_index());
  effect.mask = (2u << insn.wrap_val()) - 1u;
  effect.value[0] = gpr[insn.data_reg_index()];
  put(context, effect);
  return Completion::Done;
}

// Waits, occupying the unit, until the FIFO whose read and write counters lie at the address is not
// full (odd Ofs) or not empty (even Ofs).
Completion execute(Context& context, op::ATINCGETPTR insn) {
  State& state = context.state;
  GprFile& gpr = gprs(context);
  const u64 address = l1_address(gpr, insn.addr_reg_index(), 0);
  if (!in_l1(context, address, 16)) return Completion::Done;
  const u32 where = static_cast<u32>(address);
  const u32 width = insn.wrap_val();
  const u32 size = context.l1().read32(where + 4) - context.l1().read32(where);
  const u32 capacity = width != 0 ? 1u << (width - 1) : 0x8000u;
  const bool is_empty = size == 0;
  const bool is_full = size % capacity == 0 && !is_empty;
  if (bit(insn.sel32b(), 0) ? is_full : is_empty) {
    state.thcon.occupied_by = context.thread + 1;
    context.l1().set_flag(where, L1::kPolled);
    return Completion::Stall;
  }
  state.thcon.occupied_by = 0;
  const u32 counter = where + insn.sel32b() * 4;
  const u32 mask = (1u << width) - 1u;
  const u32 old = context.l1().read32(counter);
  const u32 step = insn.no_incr() != 0 ? 0 : 1u << insn.incr_val();
  context.l1().write32(counter, ((old + step) & mask) | (old & ~mask), context.author());
  context.touch(Resource::Gpr);
  gpr[insn.data_reg_index()] = old;
  return Completion::Done;
}

// Nothing comes back: a store of up to 16 bytes with a mask of 16-bit granules.
Completion execute(Context& context, op::ATSWAP insn) {
  const GprFile& gpr = gprs(context);
  const u64 address = l1_address(gpr, insn.addr_reg_index(), 0);
  if (!in_l1(context, address, 16)) return Completion::Done;
  std::array<u32, 4> words{};
  const u32 data = insn.data_reg_index();
  if (insn.single_data_reg() != 0) {
    words[data % 4] = gpr[data];
  } else {
    for (u32 i = 0; i < 4; ++i) words[i] = gpr[(data & ~3u) + i];
  }
  Effect effect = memory_effect(EffectKind::Store, static_cast<u32>(address), 16);
  effect.mask = insn.swap_mask();
  effect.value = words;
  put(context, effect);
  return Completion::Done;
}

Completion execute(Context& context, op::ATCAS insn) {
  State& state = context.state;
  const u64 address = l1_address(gprs(context), insn.addr_reg_index(), insn.sel32b() * 4);
  if (!in_l1(context, address, 4)) return Completion::Done;
  const u32 where = static_cast<u32>(address);
  if (context.l1().read32(where) != insn.cmp_val()) {
    state.thcon.occupied_by = context.thread + 1;
    context.l1().set_flag(where, L1::kPolled);
    return Completion::Stall;
  }
  state.thcon.occupied_by = 0;
  context.l1().write32(where, insn.swap_val(), context.author());
  return Completion::Done;
}

// --- Footprints.

namespace {

using namespace footprint_cell;

const GprFile& gprs(const Footprint& print) {
  return print.state.thcon.gpr[print.thread];
}

void note_l1(const Footprint& print, Access access, u64 address, u32 bytes) {
  if (address < L1::kSize && L1::contains(static_cast<u32>(address), bytes))
    print.note(access, Space::L1, static_cast<u32>(address), bytes);
}
void note_mmio(const Footprint& print, Access access, u32 address) {
  if (address >= kMmioFirst) print.note_register(access, address);
}
/// The register with the address and the half register with the offset, which may step.
void note_pointer(const Footprint& print, u32 address_register, u32 half, u32 mode) {
  print.note_gprs(Access::Read, address_register);
  print.note_gprs(mode == 0 ? Access::Read : Access::ReadWrite, half / 2, 1,
                  0xFFFFu << 16 * (half % 2));
}
/// Data of LOADIND and STOREIND: registers, of which bytes below a word touch a part.
void note_data(const Footprint& print, Access access, u32 data_register, u32 bytes) {
  const u32 first = bytes == 16 ? data_register & ~3u : data_register;
  const u32 mask = bytes >= 4 ? ~0u : (1u << 8 * bytes) - 1;
  print.note_gprs(access, first, bytes == 16 ? 4 : 1, mask);
}

void note_store_to_src(const Footprint& print, op::STOREIND insn) {
  const u32 unpacker = insn.reg_size_sel();
  const SrcFile& file = unpacker == 0 ? print.state.fpu.src_a : print.state.fpu.src_b;
  print.read(Space::SrcControl, unpacker * kSrcCells + UnpackBank);
  print.read(Space::SrcControl, unpacker * kSrcCells + Owner0 + file.unpack_bank);
  const SrcTarget where = src_target(print, insn);
  note_pointer(print, insn.addr_reg_index(), insn.offset_index(), insn.auto_inc_spec());
  if (!where.defined || where.row < 0) return;
  print.note_gprs(Access::Read, insn.data_reg_index() & ~3u, 2);
  print.write(unpacker == 0 ? Space::SrcA : Space::SrcB,
              file.unpack_bank * kSrcRows + where.row_in_bank, 1, 0xFu << where.column);
}

}  // namespace

void footprint(const Footprint& print, op::LOADIND insn) {
  const u32 bytes = kBytesOf[insn.size_sel()];
  note_pointer(print, insn.addr_reg_index(), insn.offset_index(), insn.auto_inc_spec());
  note_l1(print, Access::Read,
          indirect_address(gprs(print), insn.addr_reg_index(), insn.offset_index(), bytes), bytes);
  note_data(print, Access::Write, insn.data_reg_index(), bytes);
}

void footprint(const Footprint& print, op::STOREIND insn) {
  if (insn.mem_hier_sel() == 0 && insn.size_sel() == 0) return note_store_to_src(print, insn);
  note_pointer(print, insn.addr_reg_index(), insn.offset_index(), insn.auto_inc_spec());
  if (insn.mem_hier_sel() == 0) {
    note_mmio(print, Access::Write, mmio_address(gprs(print), insn));
    return print.note_gprs(Access::Read, insn.data_reg_index());
  }
  const u32 bytes = kBytesOf[insn.size_sel() << 1 | insn.reg_size_sel()];
  note_l1(print, Access::Write,
          indirect_address(gprs(print), insn.addr_reg_index(), insn.offset_index(), bytes), bytes);
  note_data(print, Access::Read, insn.data_reg_index(), bytes);
}

void footprint(const Footprint& print, op::LOADREG insn) {
  note_mmio(print, Access::Read, kMmioBase + (insn.reg_addr() << 2));
  print.note_gprs(Access::Write, insn.tdma_data_reg_index());
}

void footprint(const Footprint& print, op::STOREREG insn) {
  note_mmio(print, Access::Write, kMmioBase + (insn.reg_addr() << 2));
  print.note_gprs(Access::Read, insn.tdma_data_reg_index());
}

void footprint(const Footprint& print, op::ATINCGET insn) {
  print.note_gprs(Access::Read, insn.addr_reg_index());
  print.note_gprs(Access::ReadWrite, insn.data_reg_index());
  note_l1(print, Access::ReadWrite,
          l1_address(gprs(print), insn.addr_reg_index(), insn.sel32b() * 4), 4);
}

void footprint(const Footprint& print, op::ATINCGETPTR insn) {
  const u64 where = l1_address(gprs(print), insn.addr_reg_index(), 0);
  print.note_gprs(Access::Read, insn.addr_reg_index());
  print.note_gprs(Access::Write, insn.data_reg_index());
  note_l1(print, Access::Read, where, 8);  // the FIFO's two counters
  note_l1(print, Access::ReadWrite, where + insn.sel32b() * 4, 4);
}

void footprint(const Footprint& print, op::ATSWAP insn) {
  const u64 where = l1_address(gprs(print), insn.addr_reg_index(), 0);
  const u32 data = insn.data_reg_index();
  print.note_gprs(Access::Read, insn.addr_reg_index());
  if (insn.single_data_reg() != 0)
    print.note_gprs(Access::Read, data);
  else
    print.note_gprs(Access::Read, data & ~3u, 4);
  for (u32 i = 0; i < 8; ++i)
    if (bit(insn.swap_mask(), i)) note_l1(print, Access::Write, where + 2 * i, 2);
}

void footprint(const Footprint& print, op::ATCAS insn) {
  print.note_gprs(Access::Read, insn.addr_reg_index());
  note_l1(print, Access::ReadWrite,
          l1_address(gprs(print), insn.addr_reg_index(), insn.sel32b() * 4), 4);
}

}  // namespace bhemu::tensix
