// The NIU's register table, made from niu.def: offsets by name, and a row for every word.
#pragma once

#include <array>

#include "base/types.hpp"

namespace bhemu::noc {

enum class RegisterAccess : u8 { RW, RO, WO, NO };
enum class RegisterKind : u8 { Storage, Trigger, Live, WithoutEffect };

struct RegisterInfo {
  const char* name;
  u32 offset;  // in command buffer 0, for registers of a command buffer
  u32 count;   // words
  RegisterAccess access;
  RegisterKind kind;
  u32 reset;
  bool per_buffer;
  bool aliased;  // the same register is also at +0x800, +0x1000 and +0x1800
  const char* meaning;
};

inline constexpr u32 kCommandBuffers = 4;
inline constexpr u32 kBufferStride = 0x800;
inline constexpr u32 kNiuWindow = 0x2000;  // bytes that hold registers
inline constexpr u32 kNiuWords = kNiuWindow / 4;
/// Reset values that depend on the tile.
inline constexpr u32 kComputed = ~0u;

/// Byte offsets.
namespace niu {
#define CMD(name, offset, access, kind, reset, meaning) inline constexpr u32 name = offset;
#define NIU(name, offset, count, access, kind, reset, meaning) inline constexpr u32 name = offset;
#define SHARED NIU
#include "noc/niu.def"
#undef SHARED
#undef NIU
#undef CMD
}  // namespace niu

/// A row as a type: functions that are chosen by it are missed when the program is compiled.
template <u32 offset>
struct Register {};

/// What may be done with a word of the window without a thought of its row.
inline constexpr u8 kMayLook = 1;        // reading is allowed (and what it shows is in Niu's words)
inline constexpr u8 kJustHoldsWord = 2;  // of a command buffer, where a write does nothing else
extern const std::array<u8, kNiuWords> kNiuWays;

/// All rows, in the order of the table.
const RegisterInfo* niu_registers();
unsigned niu_register_count();
/// The row that covers a byte offset of the window (any command buffer); null: no such register.
const RegisterInfo* niu_register_at(u32 offset);

}  // namespace bhemu::noc
