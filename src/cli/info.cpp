// bhemu info: what board this is, drawn and in numbers.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "host/boot/soc_descriptor.hpp"
#include "host/json.hpp"

namespace bhemu::cli {
namespace {

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

void write_coord(host::JsonWriter& json, Coord coord) {
  json.begin_array();
  json.value(u32{coord.x});
  json.value(u32{coord.y});
  json.end_array();
}

void print_json(const Board& board) {
  const BoardOptions& options = board.options();
  host::JsonWriter json;
  json.begin_object();
  json.member("status", "ok");
  json.member("board", board.name());
  json.member("tensix_tiles", u64{board.tensix().size()});
  json.member("dram_banks", u32{board.dram_banks()});
  json.member("harvested_dram", u32{options.harvested_dram});
  json.member("harvested_columns", u32{options.harvested_columns});
  json.key("tensix");
  json.begin_array();
  for (const Coord tile : board.tensix()) write_coord(json, tile);
  json.end_array();
  json.key("dram_ports");
  json.begin_array();
  for (unsigned bank = 0; bank < board.dram_banks(); ++bank) {
    json.begin_array();
    for (unsigned noc = 0; noc < kNocs; ++noc) write_coord(json, board.dram_port(bank, noc));
    json.end_array();
  }
  json.end_array();
  json.key("ethernet");
  json.begin_array();
  for (const TileSite* site : ethernet_sites(board)) {
    json.begin_object();
    json.member("instance", u32{site->instance});
    json.member("port", (board.ethernet_ports() >> site->instance & 1) != 0);
    json.key("noc0");
    write_coord(json, site->noc0);
    json.key("translated");
    write_coord(json, site->translated);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  fmt::print("{}\n", json.text());
}

}  // namespace

int info(const CommonOptions& options) {
  const Board board(board_options(options, BoardModel::P100A));
  if (options.json)
    print_json(board);
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
