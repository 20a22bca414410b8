// The registers of an Ethernet tile's port as data: registers.def.
#pragma once

#include <optional>
#include <span>

#include "base/types.hpp"

namespace bhemu::eth {

enum class Block : u8 {
#define BLOCK(name, first, copies, stride, words, meaning) name,
#define ETH_REG(...)
#include "eth/registers.def"
#undef ETH_REG
#undef BLOCK
  Count,
};
inline constexpr unsigned kBlocks = static_cast<unsigned>(Block::Count);

enum class Access : u8 { RW, RO, WO };
enum class Kind : u8 { Storage, Trigger, Live, Refused, Unmodelled };

struct BlockInfo {
  const char* name;
  u32 first;  // address
  u32 copies;
  u32 stride;  // from one copy to the next, in bytes
  u32 words;   // of one copy
  const char* meaning;
};

struct RegisterInfo {
  Block block;
  const char* name;
  u32 offset;
  u32 count;
  Access access;
  Kind kind;
  u32 reset;
  const char* meaning;
};

/// Byte offsets in a block.
#define BLOCK(...)
#define ETH_REG(block, name, offset, count, access, kind, reset, meaning) \
  namespace reg::block {                                                  \
  inline constexpr u32 name = offset;                                     \
  }
#include "eth/registers.def"
#undef ETH_REG
#undef BLOCK

/// Where in the port's words a register is.
struct Place {
  const RegisterInfo* info;
  u32 copy;
  u32 index;  // of its words
  u32 slot;   // in the port's array
};

std::span<const BlockInfo> blocks();
std::span<const RegisterInfo> registers();
const BlockInfo& info_of(Block block);
/// Null where there is none.
std::optional<Place> place_of(u32 address);
/// The word at `offset` of a copy of a block.
u32 slot_of(Block block, u32 copy, u32 offset);

/// The words of all registers after a reset, by slot.
std::span<const u32> reset_words();

/// Words of all registers of all copies.
#define BLOCK(...)
#define ETH_REG(block, name, offset, count, access, kind, reset, meaning) \
  +copies_of(Block::block) * count
constexpr u32 copies_of(Block block) {
  return block == Block::Txq || block == Block::Rxq ? 3 : block == Block::Headers ? 10 : 1;
}
inline constexpr u32 kSlots = 0
#include "eth/registers.def"
    ;
#undef ETH_REG
#undef BLOCK

}  // namespace bhemu::eth
