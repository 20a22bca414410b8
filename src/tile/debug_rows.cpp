// What a Live row of debug.def gives when it is read, and what a Trigger row does when it is
// written: one function a row, chosen when the program is compiled. A row without its function is
// an error of the compiler's.
#include <fmt/format.h>

#include "base/bits.hpp"
#include "tile/debug_unit.hpp"

namespace bhemu::tile {

using namespace debug_reg;

struct DebugUnit::LiveRows {
  DebugUnit& unit;
  const Environment& env;
  u32 offset;
  u32& value;
  const Author& author;

  template <RegisterKind kind, u32 row>
  bool perform() {
    if constexpr (kind == RegisterKind::Live) return read(DebugRow<row>{});
    return true;
  }

 private:
  static constexpr bool is_counter(u32 row) {
    return row >= PERF_CNT_OUT_L_INSTRN_THREAD && row <= PERF_CNT_OUT_H_FPU;
  }

  template <u32 row>
  requires(is_counter(row)) bool read(DebugRow<row>) {
    return unit.read_counter(row, value, author);
  }
  bool read(DebugRow<DBG_RD_DATA>) { return unit.read_daisychain(value, author); }
  bool read(DebugRow<DBG_ARRAY_RD_DATA>) { return unit.read_array(value, author); }
  bool read(DebugRow<CFGREG_RDDATA>) { return unit.read_config_back(value, author); }
  bool read(DebugRow<DBG_INSTRN_BUF_STATUS>) {
    if (env.coprocessor == nullptr) return unit.miss_coprocessor(offset, author);
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      value |= u32{env.coprocessor->can_push_from_brisc(thread)} << thread;
      value |= u32{env.coprocessor->brisc_fifo_empty(thread)} << (4 + thread);
    }
    return true;
  }
  bool read(DebugRow<WALL_CLOCK_0>) {
    ++env.activity.clock_reads;
    value = env.timestamper.clock_low(author.cycle);
    return true;
  }
  bool read(DebugRow<WALL_CLOCK_1>) {
    ++env.activity.clock_reads;
    value = static_cast<u32>(author.cycle >> 32);
    return true;
  }
  bool read(DebugRow<WALL_CLOCK_1_AT>) {
    value = env.timestamper.clock_high_latched();
    return true;
  }
  bool read(DebugRow<TIMESTAMP_DUMP_STATUS>) {
    value = env.timestamper.status();
    return true;
  }
};

struct DebugUnit::TriggerRows {
  DebugUnit& unit;
  const Environment& env;
  u32 offset;
  u32 value;
  const Author& author;

  /// A Live row that may be written is one that a write latches or clears, or does nothing to.
  template <RegisterKind kind, Access access, u32 row>
  bool perform() {
    constexpr bool acts =
        kind == RegisterKind::Trigger || (kind == RegisterKind::Live && access != Access::RO);
    if constexpr (acts) return write(DebugRow<row>{});
    store();
    return true;
  }

 private:
  void store() { env.registers.set(offset, value); }

  bool write(DebugRow<SOFT_RESET_0>) {
    env.host.set_soft_reset(value, author);
    return true;
  }
  bool write(DebugRow<WALL_CLOCK_0>) {
    env.timestamper.clock_low(author.cycle);  // a write latches the high half, too
    return true;
  }
  bool write(DebugRow<WALL_CLOCK_1>) { return true; }
  bool write(DebugRow<WALL_CLOCK_1_AT>) { return true; }
  // Programs store here to order a store before a load.
  bool write(DebugRow<DBG_RD_DATA>) { return true; }
  bool write(DebugRow<RISC_DBG_CNTL_0>) { return env.debugger.control(value, author); }
  bool write(DebugRow<RISC_DBG_STATUS_0>) { return true; }
  bool write(DebugRow<RISC_DBG_STATUS_1>) { return true; }
  bool write(DebugRow<TRISC_PC_BUF_OVERRIDE>) {
    store();  // looked at when a core reads its PCBuf
    return true;
  }
  bool write(DebugRow<DBG_FEATURE_DISABLE>) {
    store();
    env.coprocessor->set_debug_feature_disable(value);
    return true;
  }
  bool write(DebugRow<DBG_INSTRN_BUF_CTRL0>) { return unit.push_by_debug(value, author); }
  bool write(DebugRow<DBG_L1_MEM_REG2>) { return unit.control_dump(value, author); }
  template <u32 row>
  requires(row == PERF_CNT_INSTRN_THREAD2 || row == PERF_CNT_TDMA_UNPACK2 ||
           row == PERF_CNT_TDMA_PACK2 || row == PERF_CNT_FPU2 || row == PERF_CNT_L1_2 ||
           row == PERF_CNT_ALL) bool write(DebugRow<row>) {
    return unit.control_counters(row, value, author);
  }
  bool write(DebugRow<TIMESTAMP_DUMP_CMD>) {
    const DebugRegisters& debug = env.registers;
    const Timestamper::Buffers buffers{
        {debug.get(TIMESTAMP_DUMP_BUF0_START_ADDR), debug.get(TIMESTAMP_DUMP_BUF1_START_ADDR)},
        {debug.get(TIMESTAMP_DUMP_BUF0_END_ADDR), debug.get(TIMESTAMP_DUMP_BUF1_END_ADDR)}};
    if (env.timestamper.command(value, buffers, env.l1, author) == Timestamper::Result::Ok)
      return true;
    return !env.faults.raise(Rule::TileTimestampEvent, author,
                             fmt::format("event word 0x{:08x}", value));
  }
  bool write(DebugRow<TIMESTAMP_DUMP_CNTL>) {
    env.timestamper.control(value);
    store();
    return true;
  }
  bool write(DebugRow<TIMESTAMP_DUMP_STATUS>) {
    env.timestamper.clear_status(value);
    return true;
  }
};

bool DebugUnit::read_live(u32 offset, u32& value, const Author& author) {
  LiveRows rows{*this, env_, offset, value, author};
  switch (offset) {
#define REG(name, offset, tiles, access, kind, reset, meaning) \
  case offset:                                                 \
    return rows.perform<RegisterKind::kind, offset>();
#include "tile/debug.def"
#undef REG
    default:
      return true;
  }
}

bool DebugUnit::write_row(u32 offset, u32 value, const Author& author) {
  TriggerRows rows{*this, env_, offset, value, author};
  switch (offset) {
#define REG(name, offset, tiles, access, kind, reset, meaning) \
  case offset:                                                 \
    return rows.perform<RegisterKind::kind, Access::access, offset>();
#include "tile/debug.def"
#undef REG
    default:
      return true;
  }
}

}  // namespace bhemu::tile
