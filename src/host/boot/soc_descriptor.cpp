#include "host/boot/soc_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace bhemu::host {
namespace {

using noc::NodeKind;

constexpr unsigned kWidth = noc::Routing::kWidth;
constexpr unsigned kHeight = noc::Routing::kHeight;
constexpr unsigned kTranslated = 32;  // translated coordinates of either axis
constexpr unsigned kAllBanks = 8;
constexpr unsigned kAllTensix = 140;
constexpr u32 kEthernetL1 = 512 * 1024;
// tt-metal blackhole_140_arch.yaml: the last 16 MiB of a bank's 4 GiB are hidden by registers.
constexpr u64 kDramView = 0xFF000000;

std::string text_of(Coord coord) {
  return fmt::format("{}-{}", coord.x, coord.y);
}

std::string list_of(const char* name, const std::vector<Coord>& coords) {
  std::string text = fmt::format("{}:\n  [", name);
  constexpr size_t kPerLine = 14;
  for (size_t i = 0; i < coords.size(); ++i)
    text += fmt::format("{}{}{}", i == 0 ? "" : ",", i % kPerLine == 0 ? "\n    " : " ",
                        text_of(coords[i]));
  return text + "\n  ]\n\n";
}

std::vector<Coord> noc0_of(const Board& board, NodeKind kind) {
  std::vector<Coord> coords;
  for (const TileSite& site : board.sites())
    if (site.kind == kind) coords.push_back(site.noc0);
  return coords;
}

/// The tile that is in use only, unless a mask will say so: without one tt-umd knows no harvested
/// PCIe tile, and its name for the other one leads elsewhere on NoC 1.
std::vector<Coord> pcie(const Board& board, bool both) {
  std::vector<Coord> coords;
  for (const TileSite& site : board.sites())
    if (site.kind == NodeKind::Pcie && (both || !site.harvested)) coords.push_back(site.noc0);
  std::sort(coords.begin(), coords.end(), [](Coord a, Coord b) { return a.x < b.x; });
  return coords;
}

/// By channel, which is how masks name them: from the outer columns inwards, west first. All or
/// none: tt-umd takes a simulated Blackhole to have lost two, or as many as there are.
std::string ethernet(const Board& board) {
  std::vector<Coord> coords;
  if (board.ethernet_enabled_mask() != 0) coords = noc0_of(board, NodeKind::Ethernet);
  const auto channel = [](Coord coord) {
    return coord.x < kWidth / 2 ? 2 * (coord.x - 1) : 2 * (kWidth - 1 - coord.x) + 1;
  };
  std::sort(coords.begin(), coords.end(),
            [&](Coord a, Coord b) { return channel(a) < channel(b); });
  return list_of("eth", coords);
}

std::string workers(const Board& board) {
  std::vector<Coord> coords = board.tensix();
  if (coords.size() == kAllTensix) coords = noc0_of(board, NodeKind::Tensix);
  std::stable_sort(coords.begin(), coords.end(),
                   [](Coord a, Coord b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
  return list_of("functional_workers", coords);
}

/// One list of three ports per bank.
std::string banks(const Board& board) {
  const bool whole = board.dram_banks() == kAllBanks;
  std::string text = "dram:\n  [\n";
  for (unsigned bank = 0; bank < board.dram_banks(); ++bank) {
    std::string ports;
    for (unsigned port = 0; port < 3; ++port)
      for (const TileSite& site : board.sites())
        if (site.kind == NodeKind::Dram && !site.harvested && site.bank == bank &&
            site.port == port)
          ports += (ports.empty() ? "" : ", ") + text_of(whole ? site.noc0 : site.translated);
    text += fmt::format("    [{}],\n", ports);
  }
  return text + "  ]\n\n";
}

/// Where tt-metal finds a bank: the ports that its firmware uses on either NoC, and how much memory
/// lies below the registers of the tile.
std::string views(const Board& board) {
  std::string text = fmt::format("dram_view_size: {}\n\ndram_views:\n  [\n", kDramView);
  for (unsigned bank = 0; bank < board.dram_banks(); ++bank) {
    const std::string ports =
        fmt::format("[{}, {}]", board.dram_port_index(bank, 0), board.dram_port_index(bank, 1));
    text += fmt::format(
        "    {{ channel: {}, eth_endpoint: {}, worker_endpoint: {}, address_offset: 0 }},\n", bank,
        ports, ports);
  }
  return text + "  ]\n\n";
}

/// The NoC 1 coordinate of each NoC 0 coordinate. Translated ones, which an incomplete list is made
/// of, are the same on both NoCs; tt-umd looks them up here all the same.
std::string mirrored(const char* name, unsigned size) {
  std::string text = fmt::format("{}:\n  [", name);
  for (unsigned i = 0; i < kTranslated; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", i < size ? size - 1 - i : i);
  return text + "]\n\n";
}

/// The columns that are lost, numbered from west to east, as tt-umd numbers them once it has sorted
/// the telemetry's (CoordinateManager::shuffle_tensix_harvesting_mask).
u32 tensix_mask(const Board& board) {
  u32 mask = 0;
  for (const TileSite& site : board.sites())
    if (site.kind == NodeKind::Tensix && site.harvested)
      mask |= 1u << (site.noc0.x < kWidth / 2 ? site.noc0.x - 1 : site.noc0.x - 3);
  return mask;
}

u32 pcie_mask(const Board& board) {
  const std::vector<Coord> both = pcie(board, true);
  const std::vector<Coord> used = pcie(board, false);
  u32 mask = 0;
  for (size_t i = 0; i < both.size(); ++i)
    if (std::find(used.begin(), used.end(), both[i]) == used.end()) mask |= 1u << i;
  return mask;
}

std::string descriptor(const Board& board, const std::string& title, bool both_pcie) {
  std::string text = fmt::format("# {}\n", title);
  text +=
      fmt::format("arch_name: BLACKHOLE\n\ngrid:\n  x_size: {}\n  y_size: {}\n\n", kWidth, kHeight);
  text += list_of("arc", noc0_of(board, NodeKind::Arc));
  text += list_of("pcie", pcie(board, both_pcie));
  text += banks(board);
  text += views(board);
  text += ethernet(board);
  text += workers(board);
  text += list_of("router_only", noc0_of(board, NodeKind::Router));
  text += list_of("security", noc0_of(board, NodeKind::Security));
  text += list_of("l2cpu", noc0_of(board, NodeKind::L2cpu));
  text += mirrored("noc0_x_to_noc1_x", kWidth);
  text += mirrored("noc0_y_to_noc1_y", kHeight);
  text += fmt::format("worker_l1_size: {}\n\ndram_bank_size: {}\n\neth_l1_size: {}\n\n", kL1Size,
                      kDramView, kEthernetL1);
  return text +
         "features:\n"
         "  unpacker:\n    version: 2\n    inline_srca_trans_without_srca_trans_instr: True\n"
         "  math:\n    dst_size_alignment: 32768\n"
         "  packer:\n    version: 2\n"
         "  overlay:\n    version: 2\n";
}

}  // namespace

std::string soc_descriptor(const Board& board) {
  return descriptor(board, fmt::format("{}, as bhemu emulates it", board.name()), false);
}

std::string complete_soc_descriptor() {
  return descriptor(Board(BoardOptions::defaults(BoardModel::P150)),
                    "The complete chip; cluster_descriptor.yaml says what a board has lost", true);
}

std::string cluster_descriptor(const Board& board) {
  constexpr u32 kEthernetTiles = 14;
  const char* const type = board.options().model == BoardModel::P100A ? "p100" : "p150";
  std::string text = fmt::format("# {}, as bhemu emulates it\n", board.name());
  text += "arch:\n  0: blackhole\n\nchips:\n  {}\n\n";
  text += fmt::format("chip_unique_ids:\n  0: {}\n\n", board.board_id());
  text += "ethernet_connections:\n  []\n\nethernet_connections_to_remote_devices:\n  []\n\n";
  text += "chips_with_mmio:\n  - 0: 0\n\nio_device_type: PCIe\n\nharvesting:\n  0:\n";
  text += "    noc_translation: true\n";
  text += fmt::format("    harvest_mask: {}\n", tensix_mask(board));
  text += fmt::format("    dram_harvesting_mask: {}\n", u8(~board.dram_enabled_mask()));
  text += fmt::format("    eth_harvesting_mask: {}\n",
                      ~u32{board.ethernet_enabled_mask()} & ((1u << kEthernetTiles) - 1));
  text += fmt::format("    pcie_harvesting_mask: {}\n    l2cpu_harvesting_mask: 0\n\n",
                      pcie_mask(board));
  text += fmt::format("chip_to_boardtype:\n  0: {}\n\nchip_to_bus_id:\n  0: \"0x01\"\n\n", type);
  text += fmt::format("boards:\n  -\n    - board_id: {}\n    - board_type: {}\n    - chips:\n",
                      board.board_id(), type);
  return text + "        - 0\n\nasic_locations:\n  0: 0\n\nchip_pci_bdfs:\n  0: 0000:01:00.0\n";
}

}  // namespace bhemu::host
