// Of a result that no kernel has written: what kernels have written instead.
#pragma once

#include "host/boot/prepared.hpp"
#include "host/report/report.hpp"
#include "watch/writers.hpp"

namespace bhemu::watch {

/// A page of a tensor.
/// "3", "0 to 11", "0, 2, 4", "0, 2, 4 and 9 more".
std::string list_of(const std::vector<u64>& pages);

struct TensorPage {
  const host::PreparedTensor* tensor = nullptr;
  u64 page = 0;
  u64 within = 0;  // bytes
};
/// The page that lies at an address of a DRAM bank.
std::optional<TensorPage> page_at(const Board& board, const host::PreparedProgram& program,
                                  NodeId node, u64 address);

/// " Tensor input has pages of 4096 bytes, as no circular buffer of the program has."; of tensors
/// that lie in memory as tiles, which go through a buffer page by page. Empty: all of them fit.
std::string pages_without_buffer(const host::PreparedProgram& program);

struct Instead {
  std::string text;  // "of page 12, bytes 0 to 63 were written", by whom
  Actor writer;
  bool other_tensor = false;
};
/// `author`: in words. Nothing: no kernel has written to any tensor.
std::optional<Instead> written_instead(const WritersOfDevice& writers,
                                       const host::PreparedProgram& program, const host::Spot& spot,
                                       const std::function<std::string(const Actor&)>& author);

}  // namespace bhemu::watch
