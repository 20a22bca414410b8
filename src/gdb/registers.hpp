// The registers of a baby RISC-V core as gdb numbers them, and the description by which it learns
// of them (gdb manual, "RISC-V Features"): x0 to x31, pc, f0 to f31, then the control and status
// registers of riscv/csr.def, then v0 to v31.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/types.hpp"

namespace bhemu::riscv {
struct CoreState;
}

namespace bhemu::gdb {

inline constexpr u32 kPcNumber = 32;
inline constexpr u32 kFirstFloat = 33;
inline constexpr u32 kFirstCsr = 65;
/// v0 to v31, behind the control and status registers. Of TRISC2; the other cores have none.
extern const u32 kFirstVector;

/// The XML document "target.xml".
std::string target_description();

using VectorBytes = std::array<u8, 16>;
/// None for a number that is no vector register's.
std::optional<VectorBytes> read_vector(const riscv::CoreState& state, u32 number);
bool write_vector(riscv::CoreState& state, u32 number, const VectorBytes& bytes);

/// None for a number that there is not, and for what cannot be read without an effect.
std::optional<u32> read_register(const riscv::CoreState& state, u32 number);
/// False for a number that there is not. x0 stays 0.
bool write_register(riscv::CoreState& state, u32 number, u32 value);

}  // namespace bhemu::gdb
