#include "diff/program.hpp"

#include <fmt/format.h>

#include <map>

#include "riscv/disasm.hpp"
#include "support/assembler.hpp"
#include "tensix/disasm.hpp"

namespace bhemu::diff {
namespace {

using test::Assembler;
using enum test::Reg;

constexpr u32 kEnd = 2;       // in the address word of an item: end of the list
constexpr u32 kLoadMark = 1;  // load
constexpr u32 kWaitMark = 3;  // wait until the word has the value
constexpr u32 kPoison = 0xA5A5A5A5;
constexpr std::array<u32, kCores> kHoldBits{1u << 12, 1u << 13, 1u << 14, 1u << 11, 1u << 18};
constexpr std::array<const char*, kCores> kCoreNames{"T0", "T1", "T2", "B ", "NC"};

// Where a program of Code finds and leaves its registers.
constexpr u32 kFloatsIn = kData + 0x80;
constexpr u32 kFloatsOut = kOut + 0x80;

// Instructions that the assembler has no names for, from the unprivileged specification.
constexpr u32 flw(u32 fd, u32 base, u32 offset) {
  return offset << 20 | base << 15 | 2u << 12 | fd << 7 | 0x07;
}
constexpr u32 fsw(u32 fs, u32 base, u32 offset) {
  return (offset >> 5) << 25 | fs << 20 | base << 15 | 2u << 12 | (offset & 31) << 7 | 0x27;
}
/// x1..x30 from the first words of the data; x31 stays the address of the data.
void load_registers(Assembler& a, const Program& program) {
  if (program.floats) {
    a.li(t6, kFloatsIn);
    for (u32 i = 0; i < 32; ++i) a.word(flw(i, t6, i * 4));
  }
  a.li(t6, kData);
  for (u32 i = 1; i < 31; ++i) a.lw(static_cast<test::Reg>(i), static_cast<i32>(i * 4), t6);
}

void dump_registers(Assembler& a, const Program& program) {
  a.li(t6, kOut);
  for (u32 i = 1; i < 31; ++i) a.sw(static_cast<test::Reg>(i), static_cast<i32>(i * 4), t6);
  if (!program.floats) return;
  a.li(t6, kFloatsOut);
  for (u32 i = 0; i < 32; ++i) a.word(fsw(i, t6, i * 4));
}

bool belongs(const Item& item, u32 tile, u32 core) {
  return item.tile == tile && item.core == core;
}

void walk_list(Assembler& a, u32 list, u32 results) {
  a.li(s0, list);
  a.li(s1, results);
  a.label("next");
  a.lw(t0, 0, s0);
  a.lw(t1, 4, s0);
  a.addi(s0, s0, 8);
  a.andi(t2, t0, 3);
  a.bne(t2, zero, "special");
  a.sw(t1, 0, t0);
  a.j("next");
  a.label("special");
  a.addi(t2, t2, -1);
  a.bne(t2, zero, "wait");
  a.lw(t1, -1, t0);
  a.sw(t1, 0, s1);
  a.addi(s1, s1, 4);
  a.j("next");
  a.label("wait");
  a.addi(t2, t2, -1);
  a.beq(t2, zero, "end");
  a.addi(t0, t0, -3);
  a.label("poll");
  a.lw(t2, 0, t0);
  a.bne(t2, t1, "poll");
  a.j("next");
  a.label("end");
}

std::vector<u32> stub_of(const Program& program, u32 tile, u32 core, u32 results) {
  Assembler a(kStubs[core]);
  bool code = false;
  for (const Item& item : program.items)
    code = code || (belongs(item, tile, core) && item.kind == Kind::Code);
  if (code) {
    load_registers(a, program);
    for (const Item& item : program.items)
      if (belongs(item, tile, core) && item.kind == Kind::Code) a.word(item.value);
    dump_registers(a, program);
  }
  walk_list(a, kLists + core * kListBytes, results);
  a.fence();
  a.li(t0, flag_of(core));
  a.li(t1, 1);
  a.sw(t1, 0, t0);
  a.halt();
  return a.finish();
}

u32 coordinates(Coord at) {
  return at.x | u32{at.y} << 6;
}

u32 placed(u32 value, Coord first) {
  const u32 to = coordinates(coord_of(first, value & 0xF));
  if ((value & 0x100) == 0) return to;
  return to | coordinates(coord_of(first, value >> 4 & 0xF)) << 12;
}

/// The number of loads goes to `loads`.
std::vector<u32> list_of(const Program& program, u32 tile, u32 core, Coord first, u32& loads) {
  std::vector<u32> list;
  std::map<u32, u32> counted;
  for (const Item& item : program.items) {
    if (!belongs(item, tile, core) || item.kind == Kind::Code) continue;
    u32 mark = 0;
    u32 value = item.value;
    if (item.kind == Kind::Load) {
      mark = kLoadMark;
      ++loads;
    } else if (item.kind == Kind::Wait) {
      mark = kWaitMark;
    } else if (item.kind == Kind::Count) {
      mark = kWaitMark;
      value = counted[item.address] += item.value;
    } else if (item.kind == Kind::Place) {
      value = placed(item.value, first);
    }
    list.push_back(item.address | mark);
    list.push_back(value);
  }
  list.push_back(kEnd);
  list.push_back(0);
  return list;
}

std::string line_of(const Item& item, u32 result) {
  const u32 window = item.address & ~0x30000u;
  switch (item.kind) {
    case Kind::Code:
      return fmt::format("{:08x}  {}", item.value, riscv::disassemble(item.value, 0));
    case Kind::Load:
      return fmt::format("load   [{:08x}] -> result {}", item.address, result);
    case Kind::Wait:
      return fmt::format("wait   [{:08x}] == {:08x}", item.address, item.value);
    case Kind::Count:
      return fmt::format("wait   [{:08x}] counted {} more", item.address, item.value);
    case Kind::Place:
      if ((item.value & 0x100) == 0)
        return fmt::format("store  [{:08x}] <- tile {}", item.address, item.value);
      return fmt::format("store  [{:08x}] <- tiles {} to {}", item.address, item.value >> 4 & 0xF,
                         item.value & 0xF);
    case Kind::Store:
      break;
  }
  if (window != kPushTensix || item.address > kPushTensix + 0x20000)
    return fmt::format("store  [{:08x}] <- {:08x}", item.address, item.value);
  const std::string text = tensix::disassemble(item.value);
  if (item.core != kBrisc) return fmt::format("{:08x}  {}", item.value, text);
  return fmt::format("{:08x}  {} (thread {})", item.value, text, item.address >> 16 & 3);
}

/// The load that result `wanted` of the tile comes from; nothing when there is none.
const Item* load_of(const Program& program, u32 tile, u32 wanted) {
  for (u32 core = 0; core < kCores; ++core)
    for (const Item& item : program.items)
      if (belongs(item, tile, core) && item.kind == Kind::Load && wanted-- == 0) return &item;
  return nullptr;
}

}  // namespace

u32 cores_of(const Program& program, u32 tile) {
  // The first core of the first tile always runs: a program must end.
  u32 cores = tile == 0 ? 1 : 0;
  for (const Item& item : program.items)
    if (item.tile == tile) cores |= 1u << item.core;
  return cores;
}

u32 release_of(u32 cores) {
  u32 held = kAllHeld;
  for (u32 core = 0; core < kCores; ++core)
    if ((cores >> core & 1) != 0) held &= ~kHoldBits[core];
  return held;
}

std::vector<std::pair<u32, std::vector<u32>>> image_of(const Program& program, u32 tile,
                                                       Coord first) {
  std::vector<std::pair<u32, std::vector<u32>>> image;
  u32 loads = 0;
  for (u32 core = 0; core < kCores; ++core) {
    if ((cores_of(program, tile) >> core & 1) == 0) continue;
    image.emplace_back(kStubs[core], stub_of(program, tile, core, kResults + loads * 4));
    image.emplace_back(kLists + core * kListBytes, list_of(program, tile, core, first, loads));
  }
  std::vector<u32> data = program.data;
  for (u32& word : data) word += tile * 0x01010101;
  data.resize(kDataBytes / 4);
  std::vector<u32> rest((kDumpBytes - kDataBytes) / 4, kPoison);
  for (u32 core = 0; core < kCores; ++core) rest[rest.size() - 1 - core] = 0;
  image.emplace_back(kData, data);
  image.emplace_back(kOut, rest);
  return image;
}

std::string listing(const Program& program, bool all) {
  std::string text;
  bool plain = true;  // all on the first core of the first tile
  for (const Item& item : program.items) plain = plain && item.core == 0 && item.tile == 0;
  std::array<u32, kMaxTiles * kCores> loads{};
  for (u32 tile = 0; tile < program.tiles; ++tile) {
    u32 before = 0;
    for (u32 core = 0; core < kCores; ++core) {
      loads[tile * kCores + core] = before;
      for (const Item& item : program.items)
        before += belongs(item, tile, core) && item.kind == Kind::Load ? 1 : 0;
    }
  }
  for (const Item& item : program.items) {
    u32& next = loads[item.tile * kCores + item.core];
    const u32 number = item.kind == Kind::Load ? next++ : 0;
    if (item.keep && !all) continue;
    if (!plain) text += fmt::format("  tile {} {}", item.tile, kCoreNames[item.core]);
    text += fmt::format("  {}\n", line_of(item, number));
  }
  return text;
}

std::string place_of(const Program& program, u32 offset) {
  const u32 tile = offset / kDumpBytes;
  const std::string where = program.tiles > 1 ? fmt::format("tile {} ", tile) : "";
  const u32 address = kData + offset % kDumpBytes;
  if (address < kOut) return fmt::format("{}data+{:#x}", where, address - kData);
  if (address < kResults) return fmt::format("{}out+{:#x}", where, address - kOut);
  const u32 wanted = (address - kResults) / 4;
  const Item* item = load_of(program, tile, wanted);
  if (item == nullptr) return fmt::format("{}result {}", where, wanted);
  return fmt::format("{}result {} ({} load of {:#010x})", where, wanted, kCoreNames[item->core],
                     item->address);
}

}  // namespace bhemu::diff
