#include "host/settings/software.hpp"

#include <fmt/format.h>

#include "host/boot/mailboxes.hpp"
#include "host/error.hpp"
#include "host/report/situation.hpp"
#include "host/suggest.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

u32 l1_word(tile::Tile& tile, u32 address) {
  return tile.l1().has(address, 4) ? tile.l1().read32(address & ~3u) : 0;
}

u32 l1_half(tile::Tile& tile, u32 address) {
  return l1_word(tile, address) >> (address % 4 * 8) & 0xFFFF;
}

class LaunchedSoftware final : public tile::Software {
 public:
  u32 kernel_base(tile::Tile& tile) const override {
    const Protocol& protocol = kProtocol96;
    const u32 slot = l1_word(tile, protocol.launch_message_read_pointer);
    if (slot >= protocol.launch_ring_size) return 0;
    const u32 base = l1_word(tile, message_at(slot) + protocol.launch.kernel_config_base);
    return base >= kLowestKernel && base < kL1Size ? base : 0;
  }

  tile::BufferPlace buffer(tile::Tile& tile, u32 index) const override {
    const Protocol& protocol = kProtocol96;
    const LaunchView view = launch_of(tile, 0);
    if (!view.valid || index >= 32) return {};
    const u32 message = message_at(l1_word(tile, protocol.launch_message_read_pointer));
    if ((l1_word(tile, message + protocol.launch.local_cb_mask) >> index & 1) == 0) return {};
    const u32 at = view.kernel_base + l1_half(tile, message + protocol.launch.local_cb_offset) +
                   index * kLocalCbConfigBytes;
    const u32 address = l1_word(tile, at);
    const u32 size = l1_word(tile, at + 4);
    const tile::BufferPlace place{address, l1_word(tile, at + 12), l1_word(tile, at + 8)};
    // Another layout of the message is not to be taken for this one.
    const bool plausible = address >= view.kernel_base && address + u64{size} <= kL1Size &&
                           place.pages <= 0xFFFF && place.page_size % 16 == 0 &&
                           u64{place.pages} * place.page_size == size;
    return plausible ? place : tile::BufferPlace{};
  }

 private:
  static constexpr u32 kLowestKernel = 0x1000;  // mailboxes and firmware lie below
  static u32 message_at(u32 slot) {
    return kProtocol96.launch_ring + slot * kProtocol96.launch.bytes;
  }
};

}  // namespace

std::shared_ptr<const tile::Software> launched_software() {
  return std::make_shared<LaunchedSoftware>();
}

CheckSet check_set(const std::string& text, SettingStyle style) {
  if (text.empty()) return CheckSet::usual();
  std::vector<std::string> known{"all", "none", "usual", "caches=silicon"};
  for (const CheckGroupInfo& info : kCheckGroupInfo) known.emplace_back(info.name);
  CheckSet set;
  size_t begin = 0;
  for (bool more = true; more;) {
    const size_t comma = text.find(',', begin);
    more = comma != std::string::npos;
    std::string name = text.substr(begin, more ? comma - begin : std::string::npos);
    begin = comma + 1;
    const bool off = name.starts_with('-');
    if (off) name.erase(0, 1);
    bool found = false;
    if (name == "caches=silicon" && !off) {
      name = "caches";
      set.set_silicon_caches(true);
    }
    for (unsigned i = 0; i < kCheckGroups; ++i) {
      const CheckGroupInfo& info = kCheckGroupInfo[i];
      if (name != info.name && name != "all" && !(name == "usual" && info.usual)) continue;
      found = true;
      off ? set.remove(static_cast<CheckGroup>(i)) : set.add(static_cast<CheckGroup>(i));
    }
    if (!found && name != "none")
      throw InputError(
          setting_name(style, "check"), "",
          fmt::format("there is no check '{}'{} (all, none, usual, caches=silicon or of: {})", name,
                      suggestion(name, known), fmt::join(known.begin() + 4, known.end(), ", ")));
  }
  return set;
}

}  // namespace bhemu::host
