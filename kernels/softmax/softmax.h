// Softmax over rows of tiles: exp(x - largest) / sum of the same. A row of tiles is in circular
// buffer 0 while its largest elements are found and subtracted; the exponentials stay in 25 while
// they are summed and multiplied by the reciprocals of the sums.
#pragma once

enum {
  CB_INPUT = 0,
  CB_WEIGHTS = 1,  // ones to pool with
  CB_OUTPUT = 16,
  CB_LARGEST = 24,
  CB_EXPONENTIALS = 25,
  CB_RECIPROCALS = 26
};
