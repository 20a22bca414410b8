// The way of a datum through the packer, chosen once per PACR from the configuration.
//
// Documents: tt-isa-documentation WormholeB0 Packers/*.md (BlackholeA0 PACR.md refers to them);
// fields: boopdotpng/tenstorrent-docs pack-unpack-registers, pack-data-path.
// Not modelled, each a fault: per-datum exponents (Dis_shared_exp_assembler), a start interface
// (pack_start_intf_pos), the counters of PACK_COUNTERS beyond those that the edge masks use.
#pragma once

#include <optional>

#include "numeric/format_pack.hpp"
#include "numeric/format_rows.hpp"
#include "numeric/format_stochastic.hpp"
#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"
#include "tensix/pack/section.hpp"

namespace bhemu::tensix::pack {

struct Path {
  numeric::Format out = numeric::Format::Fp32;
  numeric::EarlyConversion early;
  numeric::LateRow late = nullptr;
  numeric::Relu relu;
  u32 descale_shift = 0;
  bool descale_by_plane = false;
  bool read_32b = false;
  bool threshold_on = false;
  u32 threshold = 0;
  u32 downsample = 0xFFFF;
  bool accumulate = false;
  bool compress = false;
  numeric::StochasticRow stochastic = nullptr;  // instead of early.row
  bool stochastic_group = false;
  bool histogram = false;
  /// Everything in one for whole rows of Dst, if no other stage is on.
  numeric::PackRows rows = nullptr;
};

/// The path of the latest PACR, good for as long as the words it follows from stay the same.
struct PathCache {
  static constexpr u32 kWords = 9;
  bool valid = false;
  bool histogram = false;
  std::array<u32, kWords> words{};
  Path path;
};

/// A PACR that goes on later: it knows the configuration that it was issued with. `quiet`: what its
/// configuration breaks was said at issue.
struct LateContext : Context {
  LateContext(const Context& context, const ConfigWords& words) : Context(context), words(words) {}
  const ConfigWords& words;
  bool quiet = false;

  const ConfigWords& config() const { return words; }
  [[gnu::cold]] bool raise(Rule rule, std::string text) const {
    return !quiet && Context::raise(rule, std::move(text));
  }
};

/// The path of `insn`, in the environment's cache or else in `own`. Null: the instruction ends in
/// a fault.
template <class C>
const Path* find_path(const C& context, const BasicSection<ConfigOf<C>>& section, bool from_l1,
                      std::optional<Path>& own);

}  // namespace bhemu::tensix::pack
