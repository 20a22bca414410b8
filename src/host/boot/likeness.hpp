// What a wrong tensor would be right for: another layout in memory, operands the other way round,
// pages in another order. Each is tried, and said only when it makes every element right.
#pragma once

#include <string>
#include <vector>

#include "host/boot/prepared.hpp"

namespace bhemu::host {

struct Likeness {
  std::string sentence;  // " All of it is right if ..."; empty: nothing that was tried
  std::string remedy;
};

/// `pages`: the tensor as it lies in memory. `expected`: what its elements should be.
Likeness likeness_of(const std::vector<PreparedTensor>& tensors, const PreparedTensor& wrong,
                     const Tensor& expected, const std::vector<u8>& pages, unsigned dram_banks);

}  // namespace bhemu::host
