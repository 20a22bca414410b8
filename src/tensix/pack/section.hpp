// The packer's configuration registers as one of its four contexts (PACR CfgContext) sees them.
//
// Blackhole kept the four register sets of Wormhole's four packers for its single packer: set 0 is
// THCON_SEC0_REG1, set 1 THCON_SEC0_REG8, set 2 THCON_SEC1_REG1, set 3 THCON_SEC1_REG8, and
// PACK_COUNTERS, DEST_TARGET_REG_CFG_PACK and the edge selectors exist four times as well.
// Documents: descriptions of PACR CfgContext and CtxtCtrl in tenstorrent/tt-llk, tt_llk_blackhole
// assembly.yaml; field comments of that project's register headers ("regs sets 0/2", "section 0
// for contexts 0/1, section 1 for contexts 2/3").
#pragma once

#include "tensix/config.hpp"

namespace bhemu::tensix::pack {

/// `Words`: ConfigWords, or what notes the reads of a footprint.
template <class Words>
struct BasicSection {
  const Words& words;
  u32 context = 0;

  /// A field of THCON_SEC0_REG1 that all four sets keep at the same place.
  template <class Field>
  u32 get() const {
    return Field::get(words, set_offset());
  }
  /// A field of PACK_COUNTERS_SEC0 or DEST_TARGET_REG_CFG_PACK_SEC0.
  template <class Field>
  u32 counter() const {
    return Field::get(words, context);
  }
  /// A field of THCON_SEC0_REG1 that sets 0 and 1 (or 2 and 3) share.
  template <class Field>
  u32 shared() const {
    return Field::get(words, context / 2 * kSectionWords);
  }
  /// Edge selectors have two bits for each set.
  u32 row_set() const {
    return cfg::PCK_EDGE_TILE_ROW_SET_SELECT_select::get(words) >> (2 * context) & 3;
  }
  u32 face_set() const {
    return cfg::PCK_EDGE_TILE_FACE_SET_SELECT_select::get(words) >> (2 * context) & 3;
  }
  // Fields that sets 1 and 3 keep elsewhere in their third word.
  bool add_tile_header_size() const {
    return context % 2 == 0 ? get<cfg::THCON_SEC0_REG1_Add_tile_header_size>() != 0
                            : cfg::THCON_SEC0_REG8_Add_tile_header_size::get(
                                  words, context / 2 * kSectionWords) != 0;
  }
  u32 start_interface() const {
    return shared<cfg::THCON_SEC0_REG1_pack_start_intf_pos>() >> (2 * (context % 2)) & 3;
  }
  u32 limit() const {
    return cfg::THCON_SEC0_REG9_Pack_0_2_limit_address::get(words, ring_offset());
  }
  u32 fifo_size() const {
    return cfg::THCON_SEC0_REG9_Pack_0_2_fifo_size::get(words, ring_offset());
  }

 private:
  static constexpr u32 kSectionWords =
      cfg::THCON_SEC1_REG1_L1_Dest_addr::kWord - cfg::THCON_SEC0_REG1_L1_Dest_addr::kWord;
  static constexpr u32 kSetWords =
      cfg::THCON_SEC0_REG8_L1_Dest_addr::kWord - cfg::THCON_SEC0_REG1_L1_Dest_addr::kWord;

  u32 set_offset() const { return context / 2 * kSectionWords + context % 2 * kSetWords; }
  u32 ring_offset() const { return context / 2 * kSectionWords + context % 2 * 2; }
};
using Section = BasicSection<ConfigWords>;

}  // namespace bhemu::tensix::pack
