#include "tensix/unpack/handover.hpp"

#include <fmt/format.h>

namespace bhemu::tensix::unpack {

namespace {

/// False: the bank already belongs to the matrix unit, and the thread stops.
bool may_hand_over(const Context& context, u32 unpacker) {
  const SrcFile& file = src_file(context.state, unpacker);
  if (file.unpacker_may_write()) return true;
  return !context.raise(Rule::UnpackBankTaken,
                        fmt::format("Src{} bank {} already belongs to the matrix unit",
                                    unpacker == 0 ? 'A' : 'B', file.unpack_bank));
}

void reset_src_row(const Context& context, u32 unpacker) {
  context.state.unpacker[unpacker].src_row[context.thread] = set_base(context, unpacker);
}

}  // namespace

bool hand_over(const Context& context, u32 unpacker) {
  if (!may_hand_over(context, unpacker)) return false;
  src_file(context.state, unpacker).hand_to_matrix();
  reset_src_row(context, unpacker);
  return true;
}

bool hand_over(const Context& context, u32 unpacker, u8 format) {
  if (!may_hand_over(context, unpacker)) return false;
  src_file(context.state, unpacker).hand_to_matrix(format);
  reset_src_row(context, unpacker);
  return true;
}

u8 next_context(const ConfigWords& words, u32 unpacker, u32 context_number) {
  const u32 section = unpacker * kThconSection;
  u32 count = 1u << cfg::THCON_SEC0_REG2_Context_count::get(words, section);
  if (cfg::THCON_SEC0_REG2_Context_count_non_log2_en::get(words, section) != 0)
    count = cfg::THCON_SEC0_REG2_Context_count_non_log2::get(words, section);
  if (count == 0) count = 8;  // a counter of three bits that never meets it
  const u32 next = context_number + 1;
  return static_cast<u8>(next >= count ? 0 : next);
}

void context_counter_written(const Context& context, u16 value) {
  for (u32 unpacker = 0; unpacker < 2; ++unpacker) {
    u8& counter = context.state.unpacker[unpacker].context[context.thread];
    if (bit(value, 5 + 8 * unpacker)) counter = next_context(context.config(), unpacker, counter);
    if (bit(value, 4 + 8 * unpacker)) counter = 0;
  }
}

}  // namespace bhemu::tensix::unpack
