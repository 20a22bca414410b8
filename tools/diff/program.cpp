#include "diff/program.hpp"

#include <fmt/format.h>

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

/// x1..x30 from the first words of the data; x31 stays the address of the data.
void load_registers(Assembler& a) {
  a.li(t6, kData);
  for (u32 i = 1; i < 31; ++i) a.lw(static_cast<test::Reg>(i), static_cast<i32>(i * 4), t6);
}

void dump_registers(Assembler& a) {
  a.li(t6, kOut);
  for (u32 i = 1; i < 31; ++i) a.sw(static_cast<test::Reg>(i), static_cast<i32>(i * 4), t6);
}

std::vector<u32> stub_of(const Program& program) {
  Assembler a(kStub);
  bool code = false;
  for (const Item& item : program.items) code = code || item.kind == Kind::Code;
  if (code) {
    load_registers(a);
    for (const Item& item : program.items)
      if (item.kind == Kind::Code) a.word(item.value);
    dump_registers(a);
  }
  a.li(s0, kList);
  a.li(s1, kResults);
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
  a.fence();
  a.li(t0, kFlag);
  a.li(t1, 1);
  a.sw(t1, 0, t0);
  a.halt();
  return a.finish();
}

}  // namespace

std::vector<std::pair<u32, std::vector<u32>>> image_of(const Program& program) {
  std::vector<u32> list;
  for (const Item& item : program.items) {
    if (item.kind == Kind::Code) continue;
    const u32 mark = item.kind == Kind::Load ? kLoadMark : item.kind == Kind::Wait ? kWaitMark : 0;
    list.push_back(item.address | mark);
    list.push_back(item.value);
  }
  list.push_back(kEnd);
  list.push_back(0);
  std::vector<u32> data = program.data;
  data.resize(kDataBytes / 4);
  std::vector<u32> rest((kDumpBytes - kDataBytes) / 4, kPoison);
  rest.back() = 0;
  return {{kStub, stub_of(program)}, {kList, list}, {kData, data}, {kOut, rest}};
}

std::string listing(const Program& program, bool all) {
  std::string text;
  unsigned load = 0;
  for (const Item& item : program.items) {
    const unsigned number = item.kind == Kind::Load ? load++ : 0;
    if (item.keep && !all) continue;
    if (item.kind == Kind::Code)
      text += fmt::format("  {:08x}  {}\n", item.value, riscv::disassemble(item.value, 0));
    else if (item.kind == Kind::Load)
      text += fmt::format("  load   [{:08x}] -> result {}\n", item.address, number);
    else if (item.kind == Kind::Wait)
      text += fmt::format("  wait   [{:08x}] == {:08x}\n", item.address, item.value);
    else if (item.address == kPushTensix)
      text += fmt::format("  {:08x}  {}\n", item.value, tensix::disassemble(item.value));
    else
      text += fmt::format("  store  [{:08x}] <- {:08x}\n", item.address, item.value);
  }
  return text;
}

std::string place_of(const Program& program, u32 offset) {
  const u32 address = kData + offset;
  if (address < kOut) return fmt::format("data+{:#x}", offset);
  if (address < kResults) return fmt::format("out+{:#x}", address - kOut);
  const u32 wanted = (address - kResults) / 4;
  u32 load = 0;
  for (const Item& item : program.items) {
    if (item.kind != Kind::Load) continue;
    if (load++ == wanted) return fmt::format("result {} (load of {:#010x})", wanted, item.address);
  }
  return fmt::format("result {}", wanted);
}

}  // namespace bhemu::diff
