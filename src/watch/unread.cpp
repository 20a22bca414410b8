#include "watch/unread.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "noc/node.hpp"
#include "watch/unwritten.hpp"

namespace bhemu::watch {
namespace {

constexpr u64 kMostPages = 8192;  // of a tensor, that are looked through

bool is_given(const host::PreparedProgram& program, const std::string& tensor) {
  const std::string name = tensor + ".address";
  const auto names = [&](const std::vector<host::ArgumentSpec>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [&](const host::ArgumentSpec& one) {
      return one.text.find(name) != std::string::npos;
    });
  };
  for (const host::PreparedPart& part : program.parts())
    for (unsigned core = 0; core < kCores; ++core)
      if (names(part.spec->arguments[core]) || names(part.spec->common_arguments[core]))
        return true;
  return false;
}

}  // namespace

void BankReads::arrived(const trace::Arrival& one) {
  if (one.phase != trace::Arrival::Phase::Read || one.length == 0) return;
  const u64 last = (one.address + one.length - 1) / kBlock;
  if (last >= blocks_.size()) blocks_.resize(last + 1, false);
  for (u64 block = one.address / kBlock; block <= last; ++block) blocks_[block] = true;
}

bool BankReads::any(u64 address, u64 bytes) const {
  for (u64 block = address / kBlock; block <= (address + bytes - 1) / kBlock; ++block)
    if (block < blocks_.size() && blocks_[block]) return true;
  return false;
}

ReadsOfDevice::ReadsOfDevice(Device& device) : device_(device) {
  id_ = device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    banks_.resize(std::max<std::size_t>(banks_.size(), node + 1u));
    if (device.tile_of(node) != nullptr || device.node(node).kind() != noc::NodeKind::Dram)
      return nullptr;
    auto reads = std::make_unique<BankReads>();
    banks_[node] = reads.get();
    return reads;
  });
}

ReadsOfDevice::~ReadsOfDevice() {
  device_.stop_observing(id_);
}

std::vector<u64> ReadsOfDevice::unread_pages(const host::PreparedProgram& program,
                                             const host::PreparedTensor& tensor) const {
  std::vector<u64> pages;
  const u32 bytes = tensor.placement.grid.page_size;
  const u64 end = std::min(tensor.placement.grid.pages, kMostPages);
  for (u64 page = 0; page < end; ++page) {
    const host::Spot spot =
        host::spot_of(device_.board(), tensor.placement, program.tiles(), page * bytes);
    const BankReads* bank = spot.node < banks_.size() ? banks_[spot.node] : nullptr;
    if (bank == nullptr || !bank->any(spot.address, bytes)) pages.push_back(page);
  }
  return pages;
}

std::string ReadsOfDevice::missing(const host::PreparedProgram& program) const {
  std::string text;
  for (const host::PreparedTensor& tensor : program.tensors()) {
    if (tensor.placement.memory != host::TensorMemory::DramInterleaved || tensor.spec->expect ||
        !is_given(program, tensor.spec->name))
      continue;
    const std::vector<u64> pages = unread_pages(program, tensor);
    const u64 all = tensor.placement.grid.pages;
    if (pages.empty()) continue;
    if (pages.size() >= std::min(all, kMostPages))
      text += fmt::format(" Tensor {} was read by nobody.", tensor.spec->name);
    else
      text += fmt::format(" Page{} {} of tensor {} (it has {}) {} read by nobody.",
                          pages.size() == 1 ? "" : "s", list_of(pages), tensor.spec->name, all,
                          pages.size() == 1 ? "was" : "were");
  }
  return text;
}

}  // namespace bhemu::watch
