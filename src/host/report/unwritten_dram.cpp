#include "host/report/unwritten_dram.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dram/bank.hpp"
#include "trace/observer.hpp"

namespace bhemu::host {

class UnwrittenDram::Bank final : public trace::Observer {
 public:
  struct Found {
    Author author;  // the tile that has asked, the core's pc
    Agent issuer = Agent::Host;
    u64 address = 0;
    u32 length = 0;
    u64 times = 1;
  };

  Bank(std::string name, bool is_empty) : name_(std::move(name)), knows_(is_empty) {}

  void arrived(const trace::Arrival& one) override {
    using Phase = trace::Arrival::Phase;
    if (one.length == 0 || !knows_) return;
    if (one.phase == Phase::Write) return written(one.address, one.length);
    if (one.phase != Phase::Read || !is_core(one.issuer)) return;
    for (u64 block = one.address / kBlock; block <= (one.address + one.length - 1) / kBlock;
         ++block)
      if (block < blocks_.size() && blocks_[block]) return;
    for (Found& before : found_)
      if (before.issuer == one.issuer && before.author.pc == one.author.pc &&
          before.author.tile == one.author.tile) {
        ++before.times;
        return;
      }
    if (found_.size() < kMost) found_.push_back({one.author, one.issuer, one.address, one.length});
  }
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle) override {
    if (!bytes.empty() && knows_) written(address, bytes.size());
  }
  void forget() override {
    knows_ = false;
    found_.clear();
    blocks_ = {};
  }

  const std::string& name() const { return name_; }
  std::vector<Found>& found() { return found_; }

 private:
  static constexpr u64 kBlock = 64;
  static constexpr std::size_t kMost = 16;

  void written(u64 address, u64 bytes) {
    const u64 last = (address + bytes - 1) / kBlock;
    if (last >= blocks_.size()) blocks_.resize(last + 1, false);
    for (u64 block = address / kBlock; block <= last; ++block) blocks_[block] = true;
  }

  std::string name_;
  bool knows_;
  std::vector<bool> blocks_;
  std::vector<Found> found_;
};

UnwrittenDram::UnwrittenDram(Device& device) : device_(device) {
  std::vector<NodeId> nodes;
  for (unsigned bank = 0; bank < device.board().dram_banks(); ++bank)
    nodes.push_back(device.board().dram_node(bank));
  const auto make = [&](NodeId node) {
    const bool is_empty = dynamic_cast<dram::Bank&>(device.node(node)).memory().hash() == 0;
    auto bank = std::make_unique<Bank>(device.name_of(node), is_empty);
    banks_.push_back(bank.get());
    return bank;
  };
  id_ = device.observe(nodes, make);
}

UnwrittenDram::~UnwrittenDram() {
  device_.stop_observing(id_);
}

bool UnwrittenDram::has_any() const {
  return std::any_of(banks_.begin(), banks_.end(),
                     [](Bank* bank) { return !bank->found().empty(); });
}

std::string UnwrittenDram::take(const CodeMap& code) {
  const Bank* of = nullptr;
  Bank::Found first;
  u64 times = 0;
  for (Bank* bank : banks_) {
    for (const Bank::Found& one : bank->found()) {
      times += one.times;
      if (of != nullptr && one.author.cycle >= first.author.cycle) continue;
      of = bank;
      first = one;
    }
    bank->found().clear();
  }
  if (of == nullptr) return "";
  const Coord tile = device_.coord_of(first.author.tile);
  const std::string place =
      code.locate(first.issuer, first.author.pc, tile, first.author.cycle).users();
  std::string text = fmt::format(
      "{} of ({}, {}){} has read {} bytes at {:#x} of {}, where nobody "
      "has ever written",
      name_of(first.issuer), tile.x, tile.y, place.empty() ? "" : " at " + place, first.length,
      first.address, of->name());
  if (times > 1) text += fmt::format(" (and {} more such reads)", times - 1);
  return text +
         ". Remedy: compare the arguments that the host gave (their order, and the core that each "
         "is for) with what the kernel takes them for, and write the input before the launch";
}

}  // namespace bhemu::host
