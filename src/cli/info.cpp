// bhemu info: what board this is, drawn and in numbers.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "host/boot/soc_descriptor.hpp"

namespace bhemu::cli {
namespace {

using bhemu::json_of;
using noc::NodeKind;

constexpr unsigned kWidth = 17;
constexpr unsigned kHeight = 12;

char letter_of(const TileSite& site) {
  if (site.harvested) return '-';
  switch (site.kind) {
    case NodeKind::Tensix:
      return 'T';
    case NodeKind::Dram:
      return 'D';
    case NodeKind::Pcie:
      return 'P';
    case NodeKind::Arc:
      return 'A';
    case NodeKind::Ethernet:
      return 'E';
    case NodeKind::L2cpu:
      return 'L';
    case NodeKind::Security:
      return 'S';
    case NodeKind::Router:
      return '.';
  }
  return '?';
}

std::string grid_text(const Board& board) {
  std::array<std::array<char, kWidth>, kHeight> grid;
  for (auto& row : grid) row.fill('.');
  for (const TileSite& site : board.sites())
    if (site.noc0.x < kWidth && site.noc0.y < kHeight)
      grid[site.noc0.y][site.noc0.x] = letter_of(site);
  std::string text = "     x";
  for (unsigned x = 0; x < kWidth; ++x) text += fmt::format("{:3}", x);
  for (unsigned y = 0; y < kHeight; ++y) {
    text += fmt::format("\n  y {:2}", y);
    for (unsigned x = 0; x < kWidth; ++x) text += fmt::format("  {}", grid[y][x]);
  }
  return text;
}

std::vector<unsigned> set_bits(u32 mask, unsigned count) {
  std::vector<unsigned> bits;
  for (unsigned i = 0; i < count; ++i)
    if ((mask >> i & 1) != 0) bits.push_back(i);
  return bits;
}

std::string list_text(const std::vector<unsigned>& numbers) {
  return numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", "));
}

std::vector<unsigned> live_columns(const Board& board) {
  std::vector<unsigned> columns;
  for (const Coord tile : board.tensix())
    if (std::find(columns.begin(), columns.end(), tile.x) == columns.end())
      columns.push_back(tile.x);
  return columns;
}

/// In the order of their channels, which is that of their translated coordinates.
std::vector<const TileSite*> ethernet_sites(const Board& board) {
  std::vector<const TileSite*> sites;
  for (const TileSite& site : board.sites())
    if (site.kind == noc::NodeKind::Ethernet && !site.harvested) sites.push_back(&site);
  return sites;
}

void print_ethernet(const Board& board) {
  const auto sites = ethernet_sites(board);
  if (sites.empty()) return;
  const eth::FirmwareVersion version = board.ethernet_version();
  fmt::print("\nEthernet channel   tile   NoC 0      translated   (base firmware {}.{}.{})\n",
             version.major, version.minor, version.patch);
  for (std::size_t channel = 0; channel < sites.size(); ++channel) {
    const TileSite& site = *sites[channel];
    const bool port = (board.ethernet_ports() >> site.instance & 1) != 0;
    fmt::print("{:16}   E{:<4}  ({:2}, {})    ({}, {})     {}\n", channel, site.instance,
               site.noc0.x, site.noc0.y, site.translated.x, site.translated.y,
               port ? "no cable" : "no port");
  }
}

void print_text(const Board& board) {
  const BoardOptions& options = board.options();
  fmt::print("{}: {} Tensix tiles, {} DRAM banks\n\n", board.name(), board.tensix().size(),
             board.dram_banks());
  fmt::print("NoC 0 (physical coordinates)\n{}\n\n", grid_text(board));
  fmt::print(
      "  T Tensix   D DRAM port   P PCIe   A ARC   E Ethernet   L L2CPU   S security\n"
      "  - harvested   . router only\n\n");
  fmt::print("Tensix, translated   x {}; y 2 to 11\n", fmt::join(live_columns(board), ", "));
  fmt::print(
      "Harvested columns    {}  (ARC numbering: column i is at physical x = 1, 16, 2, 15, "
      "3, 14, ...)\n",
      list_text(set_bits(options.harvested_columns, 14)));
  fmt::print("Harvested banks      {}\n", list_text(set_bits(options.harvested_dram, 8)));
  fmt::print("Dispatch, prefetch   ({}, {}), ({}, {})\n\n", board.dispatch_core().x,
             board.dispatch_core().y, board.prefetch_core().x, board.prefetch_core().y);
  fmt::print("DRAM bank   port on NoC 0   port on NoC 1   (translated)\n");
  for (unsigned bank = 0; bank < board.dram_banks(); ++bank) {
    const Coord a = board.dram_port(bank, 0);
    const Coord b = board.dram_port(bank, 1);
    fmt::print("{:9}   ({}, {})        ({}, {})\n", bank, a.x, a.y, b.x, b.y);
  }
  print_ethernet(board);
}

Json json_of(const Board& board) {
  const BoardOptions& options = board.options();
  Json ports = Json::array();
  for (unsigned bank = 0; bank < board.dram_banks(); ++bank)
    ports.push_back({json_of(board.dram_port(bank, 0)), json_of(board.dram_port(bank, 1))});
  return {{"status", "ok"},
          {"board", board.name()},
          {"tensix_tiles", board.tensix().size()},
          {"dram_banks", board.dram_banks()},
          {"harvested_dram", options.harvested_dram},
          {"harvested_columns", options.harvested_columns},
          {"tensix", json_list(board.tensix(), [](Coord tile) { return json_of(tile); })},
          {"dram_ports", ports},
          {"ethernet", json_list(ethernet_sites(board), [&board](const TileSite* site) {
             return Json{{"instance", site->instance},
                         {"port", (board.ethernet_ports() >> site->instance & 1) != 0},
                         {"noc0", json_of(site->noc0)},
                         {"translated", json_of(site->translated)}};
           })}};
}

}  // namespace

int info(const CommonOptions& options) {
  const Board board(board_options(options, BoardModel::P100A));
  if (options.json)
    fmt::print("{}\n", dump(json_of(board)));
  else
    print_text(board);
  return 0;
}

int soc_descriptor(const CommonOptions& options, bool complete) {
  const Board board(board_options(options, BoardModel::P150));
  fmt::print("{}", complete ? host::complete_soc_descriptor() : host::soc_descriptor(board));
  return 0;
}

int cluster_descriptor(const CommonOptions& options) {
  const Board board(board_options(options, BoardModel::P150));
  fmt::print("{}", host::cluster_descriptor(board));
  return 0;
}

}  // namespace bhemu::cli
