#include "host/settings/card_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/tile_checker.hpp"
#include "host/boot/mailboxes.hpp"
#include "host/report/situation.hpp"
#include "host/settings/software.hpp"

namespace bhemu::host {
namespace {

constexpr u32 kBuffers = 32;
constexpr u32 kMailboxes = 0x60;  // the first of the messages (mailboxes.hpp)

/// What the launch message says. How many arguments were given it does not: those of a kernel are
/// taken to be all there are.
std::shared_ptr<const check::Layout> layout_of(tile::Tile& tile, const tile::Software& software) {
  const LaunchView view = launch_of(tile, 0);
  if (!view.valid || view.go != kGoGo) return nullptr;
  auto layout = std::make_shared<check::Layout>();
  layout->by_client = true;
  layout->kernel_base = view.kernel_base;
  layout->mailboxes = {kMailboxes, kProtocol96.go_message_index + 4};
  u32 first_text = kL1Size;
  for (unsigned core = 0; core < kCores; ++core)
    if ((view.enables >> core & 1) != 0) first_text = std::min(first_text, view.text[core]);
  layout->settings = {view.kernel_base, first_text};
  layout->semaphores = {view.semaphores, view.semaphores_end};
  for (unsigned core = 0; core < kCores; ++core) layout->arguments[core] = layout->settings;
  for (u32 index = 0; index < kBuffers; ++index) {
    const tile::BufferPlace buffer = software.buffer(tile, index);
    if (buffer.pages == 0) continue;
    layout->buffers.push_back({{buffer.address, buffer.address + buffer.pages * buffer.page_size},
                               index,
                               buffer.pages,
                               buffer.page_size});
    layout->named.push_back({{buffer.address, buffer.address + buffer.pages * buffer.page_size},
                             fmt::format("circular buffer {} ({} pages of {} bytes)", index,
                                         buffer.pages, buffer.page_size)});
  }
  return layout;
}

class LaunchedTile final : public trace::Observer {
 public:
  LaunchedTile(tile::Tile& tile, CheckSet set)
      : tile_(tile),
        software_(launched_software()),
        checker_(tile, set, std::make_shared<check::Layout>()) {}

  trace::Instructions wanted_instructions() const override {
    return checker_.wanted_instructions();
  }
  u32 wanted_spaces() const override { return checker_.wanted_spaces(); }
  bool wants_changes() const override { return checker_.wants_changes(); }
  void executes(const trace::Instruction& one) override {
    if (asked_) look_for_launch();
    checker_.executes(one);
  }
  void runs(const trace::Stretch& one) override {
    if (asked_) look_for_launch();
    checker_.runs(one);
  }
  void ran(const trace::Stretch& one) override { checker_.ran(one); }
  void retired(const trace::Instruction& one) override { checker_.retired(one); }
  void issued(const trace::Issue& one) override { checker_.issued(one); }
  void pushed(const trace::Push& one) override { checker_.pushed(one); }
  void requested(const trace::Request& one) override { checker_.requested(one); }
  void arrived(const trace::Arrival& one) override {
    note_write(one.address, one.length);
    checker_.arrived(one);
  }
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle now) override {
    note_write(address, bytes.size());
    checker_.host_wrote(address, bytes, now);
  }
  void forget() override { checker_.forget(); }

 private:
  void note_write(u64 address, u64 bytes) {
    asked_ |= address <= kProtocol96.go_message_index && address + bytes > kProtocol96.go_messages;
  }
  void look_for_launch() {
    asked_ = false;
    if (const auto layout = layout_of(tile_, *software_)) checker_.begin(layout);
  }

  tile::Tile& tile_;
  std::shared_ptr<const tile::Software> software_;
  check::TileChecker checker_;
  bool asked_ = true;  // somebody has written among the go messages
};

}  // namespace

void watch_launches(Device& device, CheckSet set) {
  device.keep_pushes();
  if (!set.needs_observer()) return;
  device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    if (tile::Tile* tile = device.tile_of(node)) {
      if (!tile->shape().is_tensix()) return nullptr;
      return std::make_unique<LaunchedTile>(*tile, set);
    }
    if (!set.has(CheckGroup::Uninitialised) || device.node(node).kind() != noc::NodeKind::Dram)
      return nullptr;
    return std::make_unique<check::BankChecker>(device.node(node).faults(), device.name_of(node));
  });
}

}  // namespace bhemu::host
