#include "tile/timestamper.hpp"

#include "base/bits.hpp"

namespace bhemu::tile {
namespace {

// The low three bits of a word written to RISCV_DEBUG_REG_TIMESTAMP.
enum Command : u32 {
  kAppend128 = 0,
  kAppend64 = 1,
  kAppend32 = 2,
  kFlush64 = 3,
  kAppend96 = 4,
  kFlush96 = 7
};
constexpr u32 kResetStreams = 1u << 31;

}  // namespace

Timestamper::Result Timestamper::command(u32 value, const Buffers& buffers, L1& l1,
                                         const Author& author) {
  const u32 low = static_cast<u32>(author.cycle);
  const u32 high = static_cast<u32>(author.cycle >> 32);
  std::array<u32, 4> words{value, low, high, 0};
  u32 count = 0;
  switch (value & 7) {
    case kAppend32:
      words[0] = (value & 0xFFFF) | ((low & 0x001FFFE0) << 11);
      count = 1;
      break;
    case kAppend64:
    case kFlush64:
      count = 2;
      break;
    case kAppend96:
    case kFlush96:
      count = 3;
      break;
    case kAppend128:
      count = 4;
      break;
    default:
      return Result::Undefined;
  }
  if (!set_event_size(count * 32)) return Result::Undefined;
  if ((value & 7) == kFlush64 || (value & 7) == kFlush96) {
    flush(buffers, l1, author);
  } else {
    for (u32 i = 0; i < count; ++i) append(words[i], buffers, l1, author);
  }
  apply_stream_reset();
  return Result::Ok;
}

bool Timestamper::set_event_size(u32 bits) {
  if (event_bits_ == 0) event_bits_ = bits;
  return event_bits_ == bits;
}

void Timestamper::append(u32 word, const Buffers& buffers, L1& l1, const Author& author) {
  pending_[pending_words_++] = word;
  if (pending_words_ == pending_.size()) flush(buffers, l1, author);
}

void Timestamper::flush(const Buffers& buffers, L1& l1, const Author& author) {
  while (pending_words_ < pending_.size()) pending_[pending_words_++] = 0;
  pending_words_ = 0;
  event_bits_ = 0;
  for (unsigned i = 0; i < 2; ++i) {
    Buffer& buffer = buffers_[i];
    const u64 slot = u64{buffers.start[i]} + buffer.position;
    if (!buffer.valid || slot > buffers.end[i]) continue;
    if (slot * 16 + 16 <= L1::kSize)
      l1.write(static_cast<u32>(slot * 16), pending_.data(), 16, author);
    ++buffer.position;
    if (slot + 1 > buffers.end[i]) buffer.full = true;
    return;
  }
  for (Buffer& buffer : buffers_) buffer.overflow = buffer.overflow || buffer.valid;
}

// Silicon applies the reset bit in every cycle in which it is set; the state it clears is only
// visible through commands and status, so applying it there is the same.
void Timestamper::apply_stream_reset() {
  if ((control_ & kResetStreams) == 0) return;
  for (Buffer& buffer : buffers_) buffer.full = buffer.overflow = false;
  pending_words_ = 0;
  event_bits_ = 0;
}

void Timestamper::control(u32 value) {
  control_ = value;
  buffers_[0].valid = bit(value, 0);
  buffers_[1].valid = bit(value, 1);
  apply_stream_reset();
}

u32 Timestamper::status() const {
  u32 value = 0;
  for (unsigned i = 0; i < 2; ++i) {
    value |= u32{buffers_[i].full} << i;
    value |= u32{buffers_[i].overflow} << (4 + i);
  }
  if (event_bits_ == 64) value |= (pending_words_ / 2) << 8;
  if (event_bits_ == 32) value |= pending_words_ << 9;
  if (event_bits_ == 96) value |= ((4 - pending_words_) & 3) << 11;
  return value | (buffers_[0].position << 14);
}

void Timestamper::clear_status(u32 value) {
  for (unsigned i = 0; i < 2; ++i) {
    if (bit(value, i)) {
      buffers_[i].full = false;
      buffers_[i].position = 0;
    }
    if (bit(value, 4 + i)) buffers_[i].overflow = false;
  }
}

u64 Timestamper::hash(u64 seed) const {
  const std::array<u32, 8> words{status(),
                                 control_,
                                 latched_high_,
                                 buffers_[1].position,
                                 pending_words_ ? pending_[0] : 0,
                                 pending_words_,
                                 event_bits_,
                                 pending_words_ > 1 ? pending_[1] : 0};
  return hash_bytes(seed, words.data(), sizeof words);
}

}  // namespace bhemu::tile
