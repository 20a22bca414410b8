// Arithmetic of GMPOOL on one column: the maximum of sixteen scaled cells of SrcA and a word of
// Dst, with the index of the largest.
//
// Documents: tt-isa-documentation GMPOOL.md, functional model. With SrcB = 1.0 it agrees with
// tenstorrent/ttsim; scaling, FP16, INT8 and the index mode are the document's alone.
#pragma once

#include "base/types.hpp"

namespace bhemu::numeric {

enum class PoolStyle : u8 { Bf16, Tf32, Fp16, Int8, Int32 };

struct PoolMode {
  PoolStyle source = PoolStyle::Bf16;
  PoolStyle dst = PoolStyle::Bf16;
  bool index = false;  // the low half of Dst counts phases and holds the index of the maximum
};

/// The order in which rows of SrcA are visited; a later one wins a tie.
constexpr u32 pool_row(u32 step) {
  return step < 8 ? step ^ 4 : step;
}
/// How the index of rows 0 to 7 is encoded; rows 8 to 15 leave the index alone.
inline constexpr u8 kPoolIndex[8] = {0, 3, 6, 1, 4, 7, 2, 5};

/// What becomes of `stored`, a word of Dst in storage order (a 16-bit datum in its high half).
/// `a`: a column of SrcA; `scale`: a row of SrcB.
u32 pool_maximum(const u32 a[16], const u32 scale[16], u32 stored, const PoolMode& mode);

}  // namespace bhemu::numeric
