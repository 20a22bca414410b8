// Layer normalisation over rows of tiles, (x - mean) / sqrt(variance + epsilon) * scale + shift, or
// without means and shift (CENTRED is 0): x / sqrt(mean square + epsilon) * scale. Every step takes
// a row of tiles from one circular buffer to another.
#pragma once

enum {
  CB_INPUT = 0,
  CB_WEIGHTS = 1,  // one over the columns, to pool with
  CB_SCALE = 2,    // rows of one datum a column, which stay
  CB_SHIFT = 3,
  CB_OUTPUT = 16,
  CB_MEANS = 24,
  CB_CENTRED = CENTRED ? 25 : CB_INPUT,
  CB_SQUARES = 26,
  CB_ROOTS = 27,  // reciprocal ones
  CB_NORMAL = 28,
  CB_SCALED = CENTRED ? 29 : CB_OUTPUT
};
