#include "gdb/registers.hpp"

#include <fmt/format.h>

#include <array>

#include "riscv/core.hpp"
#include "riscv/csr.hpp"

namespace bhemu::gdb {
namespace {

struct CsrRow {
  u32 address;
  const char* name;
};

/// All but tt_cfg_*, which show the coprocessor and not the core.
constexpr bool is_own(riscv::CsrKind kind) {
  return kind != riscv::CsrKind::Status;
}

constexpr auto kRows = [] {
  using enum riscv::CsrKind;
  constexpr std::size_t kCount = 0
#define CSR(address, name, kind, read, write) +(is_own(kind) ? 1 : 0)
#include "riscv/csr.def"
#undef CSR
      ;
  std::array<CsrRow, kCount> rows{};
  std::size_t next = 0;
#define CSR(address, name, kind, read, write) \
  if (is_own(kind)) rows[next++] = {address, #name};
#include "riscv/csr.def"
#undef CSR
  return rows;
}();

constexpr std::array<const char*, 32> kIntegers = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::array<const char*, 32> kFloats = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

constexpr u32 kVectors = 32;

std::string reg(const char* name, const char* type, u32 number) {
  return fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"{}\" regnum=\"{}\"/>\n", name, type,
                     number);
}

}  // namespace

const u32 kFirstVector = kFirstCsr + static_cast<u32>(kRows.size());

std::string target_description() {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target>\n"
      "<architecture>riscv:rv32</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (u32 i = 0; i < kIntegers.size(); ++i)
    text += reg(kIntegers[i],
                i >= 1 && i <= 4 && i != 1 ? "data_ptr"
                : i == 1                   ? "code_ptr"
                                           : "int",
                i);
  text += reg("pc", "code_ptr", kPcNumber);
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.fpu\">\n";
  for (u32 i = 0; i < kFloats.size(); ++i) text += reg(kFloats[i], "ieee_single", kFirstFloat + i);
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (u32 i = 0; i < kRows.size(); ++i) text += reg(kRows[i].name, "int", kFirstCsr + i);
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.vector\">\n";
  for (u32 i = 0; i < kVectors; ++i)
    text += fmt::format(
        "<reg name=\"v{}\" bitsize=\"{}\" type=\"uint128\" regnum=\"{}\" group=\"vector\"/>\n", i,
        8 * std::tuple_size_v<VectorBytes>, kFirstVector + i);
  return text + "</feature>\n</target>\n";
}

std::optional<VectorBytes> read_vector(const riscv::CoreState& state, u32 number) {
  if (number < kFirstVector || number - kFirstVector >= kVectors) return std::nullopt;
  return state.v.reg[number - kFirstVector];
}

bool write_vector(riscv::CoreState& state, u32 number, const VectorBytes& bytes) {
  if (number < kFirstVector || number - kFirstVector >= kVectors) return false;
  state.v.reg[number - kFirstVector] = bytes;
  return true;
}

std::optional<u32> read_register(const riscv::CoreState& state, u32 number) {
  if (number < kPcNumber) return number == 0 ? 0 : state.x[number];
  if (number == kPcNumber) return state.pc;
  if (number < kFirstCsr) return state.f[number - kFirstFloat];
  if (number - kFirstCsr >= kRows.size()) return std::nullopt;
  riscv::CoreState copy = state;  // a read may clear a counter
  return riscv::read_stored_csr(copy, kRows[number - kFirstCsr].address);
}

bool write_register(riscv::CoreState& state, u32 number, u32 value) {
  if (number == 0) return true;
  if (number < kPcNumber) {
    state.x[number] = value;
  } else if (number == kPcNumber) {
    state.pc = value;
  } else if (number < kFirstCsr) {
    state.f[number - kFirstFloat] = value;
  } else if (number - kFirstCsr < kRows.size()) {
    riscv::write_stored_csr(state, kRows[number - kFirstCsr].address, value);
  } else {
    return false;
  }
  return true;
}

}  // namespace bhemu::gdb
