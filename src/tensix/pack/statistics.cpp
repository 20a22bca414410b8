// CLREXPHIST: the matrix unit's instruction that clears the packer's exponent statistics.
//
// Document: tt-isa-documentation WormholeB0 CLREXPHIST.md, Packers/ExponentHistogram.md.
#include "tensix/context.hpp"
#include "tensix/footprint/recorder.hpp"

namespace bhemu::tensix {

Completion execute(Context& context, op::CLREXPHIST) {
  PackerState& packer = context.state.packer;
  packer.exponent_histogram.fill(0);
  packer.max_exponent = 0;
  return Completion::Done;
}

void footprint(const Footprint& print, op::CLREXPHIST) {
  print.write(Space::Packer, footprint_cell::Statistics);
}

}  // namespace bhemu::tensix
