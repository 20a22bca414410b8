#include "tensix/dst/dst_access.hpp"

namespace bhemu::tensix {
namespace {

constexpr u32 kWindowBytes = 0x8000;

/// RISC_DEST_ACCESS_CTRL_SEC[thread]. The sections lie 5 bits apart in one word.
struct WindowControl {
  bool no_swizzle;
  bool unsigned_int;
  u32 format;
};

WindowControl control_of(const State& state, unsigned thread) {
  using First = cfg::RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle;
  static_assert(cfg::RISC_DEST_ACCESS_CTRL_SEC1_fmt::kLow ==
                cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt::kLow + 5);
  static_assert(cfg::RISC_DEST_ACCESS_CTRL_SEC2_fmt::kLow ==
                cfg::RISC_DEST_ACCESS_CTRL_SEC0_fmt::kLow + 10);
  const u32 section = state.config(thread)[First::kWord] >> (First::kLow + 5 * thread);
  return {bit(section, 0), bit(section, 1), bits(section, 2, 3)};
}

/// Bytes of one element under `fmt`; 0 for the reserved codes.
u32 element_bytes(u32 format) {
  constexpr u32 kBytes[8] = {4, 4, 2, 2, 2, 1, 0, 0};
  return kBytes[format];
}

u32 load_element(const DstAccess& dst, const WindowControl& control, u32 index) {
  const u32 row = index / kRowDatums;
  const u32 column = index % kRowDatums;
  if (control.format <= 1) {
    u32 value = dst.read32(row, column);
    if (!control.no_swizzle) value = numeric::fp32_from_dst(value);
    if (control.format == 0 || control.no_swizzle || value < 0x80000000) return value;
    return 0u - (value & 0x7FFFFFFF);  // -0 becomes +0
  }
  const u16 value = dst.read16(row, column);
  switch (control.format) {
    case 2:
      return control.no_swizzle ? value : numeric::fp16_from_dst(value);
    case 3:
      return control.no_swizzle ? value : numeric::bf16_from_dst(value);
    case 4:
      if (control.no_swizzle || control.unsigned_int || value < 0x8000) return value;
      return (0u - (value & 0x7FFFu)) & 0xFFFF;
    default: {  // 5
      if (control.no_swizzle || control.unsigned_int) return (value >> 5) & 0xFF;
      const u32 magnitude = (value >> 5) & 0x7F;
      return (value & 0x8000) != 0 ? (0u - magnitude) & 0xFF : magnitude;
    }
  }
}

u16 storage16_of(const WindowControl& control, u32 value) {
  switch (control.format) {
    case 2:
      return control.no_swizzle ? static_cast<u16>(value)
                                : numeric::dst_from_fp16(static_cast<u16>(value));
    case 3:
      return control.no_swizzle ? static_cast<u16>(value)
                                : numeric::dst_from_bf16(static_cast<u16>(value));
    case 4:
      if (control.no_swizzle || control.unsigned_int || value < 0x8000)
        return static_cast<u16>(value);
      // Two's complement to sign-magnitude; -2^15 is clamped.
      return static_cast<u16>(0x8000 | (0u - (value + (value == 0x8000))));
    default: {  // 5
      if (control.no_swizzle || control.unsigned_int || value < 0x80)
        return static_cast<u16>(value << 5 | (value != 0 ? 16 : 0));
      // Silicon gets this wrong: the magnitude is taken from 0x180 instead of 0x100.
      const u32 magnitude = (0x180 - value - (value == 0x80)) & 0xFF;
      return static_cast<u16>(0x8000 | magnitude << 5 | 16);
    }
  }
}

void store_element(DstAccess& dst, const WindowControl& control, u32 index, u32 value) {
  const u32 row = index / kRowDatums;
  const u32 column = index % kRowDatums;
  if (control.format > 1) {
    dst.write16(row, column, storage16_of(control, value));
    return;
  }
  if (control.format == 1 && !control.no_swizzle && value >= 0x80000000)
    value = 0x80000000 | (0u - (value + (value == 0x80000000)));  // -2^31 is clamped
  if (!control.no_swizzle) value = numeric::dst_from_fp32(value);
  dst.write32(row, column, value);
}

/// T0 and T1 access one element at a time; T2 may access several at once.
bool is_defined(const WindowControl& control, unsigned thread, u32 offset, u32 size) {
  const u32 element = element_bytes(control.format);
  // The 16384 bytes of format 5 fill only half of the window.
  const u32 end = element == 1 ? kDstRows * kRowDatums : kWindowBytes;
  return element != 0 && offset + size <= end && offset % size == 0 &&
         (size == element || (size > element && thread == 2));
}

}  // namespace

DstWindowResult read_dst_window(State& state, unsigned thread, u32 offset, u32 size) {
  const WindowControl control = control_of(state, thread);
  if (!is_defined(control, thread, offset, size)) return {false, 0};
  const DstAccess dst(state);
  const u32 element = element_bytes(control.format);
  u32 value = 0;
  for (u32 done = 0; done < size; done += element)
    value |= load_element(dst, control, (offset + done) / element) << (8 * done);
  return {true, value};
}

bool write_dst_window(State& state, unsigned thread, u32 offset, u32 size, u32 value) {
  const WindowControl control = control_of(state, thread);
  if (!is_defined(control, thread, offset, size)) return false;
  DstAccess dst(state);
  const u32 element = element_bytes(control.format);
  for (u32 done = 0; done < size; done += element)
    store_element(dst, control, (offset + done) / element, bits(value, 8 * done, 8 * element));
  return true;
}

}  // namespace bhemu::tensix
