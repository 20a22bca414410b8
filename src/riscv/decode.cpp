#include "riscv/decode.hpp"

#include <bit>

namespace bhemu::riscv {
namespace {

constexpr u32 kBucketCount = 1024;
constexpr u32 kBucketBits = 0x707F;  // opcode and funct3

constexpr u32 bucket_of(u32 word) {
  return (word & 0x7F) | (word >> 12 & 7) << 7;
}
constexpr u32 word_of(u32 bucket) {
  return (bucket & 0x7F) | bucket >> 7 << 12;
}

constexpr bool can_match(const Encoding& encoding, u32 bucket) {
  return ((word_of(bucket) ^ encoding.match) & encoding.mask & kBucketBits) == 0;
}

consteval unsigned bucket_entries() {
  unsigned count = 0;
  for (u32 bucket = 0; bucket < kBucketCount; ++bucket)
    for (const Row& row : kRows) count += can_match(row.encoding, bucket);
  return count;
}
static_assert(bucket_entries() <= 0xFFFF && kRowCount <= 256);

/// Rows in table order, gathered by opcode and funct3, so that a look-up sees few.
struct Buckets {
  std::array<u16, kBucketCount + 1> start{};
  std::array<u8, bucket_entries()> row{};
};

consteval Buckets make_buckets() {
  Buckets buckets;
  u16 next = 0;
  for (u32 bucket = 0; bucket < kBucketCount; ++bucket) {
    buckets.start[bucket] = next;
    for (unsigned i = 0; i < kRowCount; ++i)
      if (can_match(kRows[i].encoding, bucket)) buckets.row[next++] = static_cast<u8>(i);
  }
  buckets.start[kBucketCount] = next;
  return buckets;
}
constexpr Buckets kBuckets = make_buckets();

constexpr u8 sink(u32 rd) {
  return static_cast<u8>(rd == 0 ? 32 : rd);
}

/// jal and branches: the displacement in entries, or bad_target.
void set_target(Decoded& entry, u32 pc, i32 displacement) {
  if (is_instruction_address(pc + static_cast<u32>(displacement)))
    entry.imm = displacement / 4;
  else
    entry = {static_cast<u8>(Op::bad_target), 0, 0, 0, 0};
}

}  // namespace

const Row* find_row(u32 word) {
  const u32 bucket = bucket_of(word);
  for (unsigned i = kBuckets.start[bucket]; i < kBuckets.start[bucket + 1]; ++i) {
    const Row& row = kRows[kBuckets.row[i]];
    if ((word & row.encoding.mask) == row.encoding.match) return &row;
  }
  return nullptr;
}

std::string_view spell(std::string_view name, std::array<char, 24>& buffer) {
  std::size_t size = 0;
  for (const char c : name) buffer[size++] = c == '_' ? '.' : c;
  if (buffer[size - 1] == '.') --size;
  return {buffer.data(), size};
}

Decoded decode(u32 word, u32 pc) {
  const Row* row = find_row(word);
  if (row == nullptr) return {static_cast<u8>(Op::illegal), 0, 0, 0, static_cast<i32>(word)};
  Decoded entry{static_cast<u8>(row->op), sink(rd_of(word)), static_cast<u8>(rs1_of(word)),
                static_cast<u8>(rs2_of(word)), 0};
  switch (row->format) {
    case Format::Upper:
      entry.imm = static_cast<i32>(word & ~0xFFFu);
      break;
    case Format::UpperPc:
      entry.imm = static_cast<i32>(pc + (word & ~0xFFFu));
      break;
    case Format::Jal:
      set_target(entry, pc, j_immediate(word));
      break;
    case Format::Branch:
      set_target(entry, pc, b_immediate(word));
      break;
    case Format::Jalr:
    case Format::Load:
    case Format::Imm:
      entry.imm = i_immediate(word);
      break;
    case Format::Store:
    case Format::FpStore:
      entry.imm = s_immediate(word);
      break;
    case Format::Shift:
      entry.imm = static_cast<i32>(rs2_of(word));
      break;
    case Format::Csr:
    case Format::CsrImm:
      entry.imm = static_cast<i32>(bits(word, 20, 12));
      break;
    case Format::FpLoad:
      entry.imm = i_immediate(word);
      entry.rd = static_cast<u8>(rd_of(word));
      break;
    case Format::FpTernary:
    case Format::FpTernaryHalf:
      entry.imm = static_cast<i32>(rs3_of(word));
      entry.rd = static_cast<u8>(rd_of(word));
      break;
    case Format::FpBinary:
    case Format::FpBinaryHalf:
    case Format::FpFromInt:
    case Format::FpFromIntHalf:
    case Format::FpWiden:
    case Format::FpNarrow:
      entry.rd = static_cast<u8>(rd_of(word));
      break;
    case Format::Vector:
      entry.imm = static_cast<i32>(word);
      break;
    case Format::Ttinsn:
      entry.imm = static_cast<i32>(std::rotr(word, 2));
      break;
    default:
      break;  // registers only
  }
  return entry;
}

}  // namespace bhemu::riscv
