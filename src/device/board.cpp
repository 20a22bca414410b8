#include "device/board.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "noc/multicast.hpp"

namespace bhemu {
namespace {

using noc::NodeKind;

constexpr unsigned kWidth = noc::Routing::kWidth;
constexpr unsigned kHeight = noc::Routing::kHeight;
constexpr unsigned kColumns = 14;
constexpr unsigned kBanks = 8;
constexpr unsigned kPorts = 3;
constexpr unsigned kFirstRow = 2;
constexpr unsigned kRows = 10;
constexpr unsigned kEthernetTiles = 14;
constexpr Coord kNowhere{0xFF, 0xFF};

// NoC 0 coordinates, from the ARC firmware: the x of Tensix column i and of Ethernet tile i; the y
// of the ports of DRAM controllers i and i + 4, port by port (tt-umd DRAM_CORES_NOC0 agrees); the y
// of L2CPU tile i.
constexpr u8 kColumnX[kColumns] = {1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10};
constexpr u8 kDramY[4][kPorts] = {{0, 1, 11}, {2, 10, 3}, {9, 4, 8}, {5, 7, 6}};
constexpr u8 kL2cpuY[4] = {3, 9, 5, 7};
constexpr u8 kWestX = 0;
constexpr u8 kEastX = 9;
constexpr u8 kMiddleX = 8;
constexpr Coord kPcie{2, 0};  // PCIe tile 0 is the endpoint on P100A and P150
constexpr Coord kOtherPcie{11, 0};

// Translated space (Coordinates.md).
constexpr u8 kDramTranslatedX = 17;
constexpr u8 kDramTranslatedY = 12;
constexpr Coord kPcieTranslated{19, 24};
constexpr Coord kEthernetTranslated{20, 25};
constexpr u8 kL2cpuTranslatedY = 26;
constexpr u8 kSecurityTranslatedY = 30;
constexpr u8 kSecurityY = 2;

// Seed 002 section 4: port of software bank b that firmware uses on NoC n.
constexpr u8 kBankPort[kBanks][kNocs] = {{2, 1}, {0, 1}, {0, 1}, {0, 1},
                                         {2, 1}, {2, 1}, {2, 1}, {2, 1}};
// Where nothing answers on any board.
constexpr u16 kNoBank = 0xFFF;

// Ethernet tiles that work: all but one of 4, 5, 6 and one of 7, 8, 9 (tt-umd's mask 0x120); none
// on a P100A.
constexpr u16 kEthernetMask = 0x3FFF & ~0x120;
// PCIe 0 has two SerDes and takes those of E0 to E3 (tt-zephyr-platforms bh_arc/eth.c, GetEthSel).
constexpr u16 kEthernetPorts = 0x3FF0;

constexpr bool is_tensix_x(unsigned x) {
  return (1 <= x && x <= 7) || (10 <= x && x <= 16);
}

std::array<u32, 6> packed(const std::array<u8, 32>& table) {
  std::array<u32, 6> words{};
  for (unsigned i = 0; i < 32; ++i) words[i / 6] |= u32{table[i]} << (i % 6 * 5);
  return words;
}

unsigned highest_bit(u32 value) {
  return 31 - static_cast<unsigned>(std::countl_zero(value));
}

u16 packed_coord(Coord coord) {
  return static_cast<u16>(coord.y << 6 | coord.x);
}

void append16(std::vector<u8>& bytes, u16 value) {
  bytes.push_back(static_cast<u8>(value));
  bytes.push_back(static_cast<u8>(value >> 8));
}

}  // namespace

BoardOptions BoardOptions::defaults(BoardModel model) {
  BoardOptions options;
  options.model = model;
  if (model == BoardModel::P100A) {
    options.harvested_dram = 0x80;
    options.harvested_columns = 0x000A;  // x = 16 and 15: translation is then the identity
  }
  return options;
}

Board::Board(const BoardOptions& options) : options_(options) {
  check_options();
  make_translation();
  make_sites();
  number_nodes();
  make_routing();
}

void Board::check_options() const {
  const auto columns = static_cast<unsigned>(std::popcount(options_.harvested_columns));
  if (options_.harvested_columns >> kColumns != 0)
    throw std::invalid_argument(
        fmt::format("Tensix columns are numbered 0 to 13, so the mask 0x{:x} of harvested columns "
                    "has bits that name none.",
                    options_.harvested_columns));
  if (columns > 7)
    throw std::invalid_argument(
        fmt::format("At most 7 of the 14 Tensix columns can be harvested, not {}.", columns));
  if (options_.harvested_dram == 0xFF)
    throw std::invalid_argument("At least one DRAM bank must be left; all 8 are harvested.");
  if (options_.model != BoardModel::P100A) return;
  if (columns < 2)
    throw std::invalid_argument(
        fmt::format("A P100A has at most 12 Tensix columns, so at least 2 of the 14 must be "
                    "harvested, not {}.",
                    columns));
  if (options_.harvested_dram == 0)
    throw std::invalid_argument(
        "A P100A has at most 7 DRAM banks, so at least 1 of the 8 must be harvested.");
}

const char* Board::name() const {
  return options_.model == BoardModel::P100A ? "P100A" : "P150";
}

// tt-zephyr-platforms noc_init.c, ComputeNocTranslation and ProgramBroadcastExclusion.
void Board::make_translation() {
  std::array<u8, 32> x{};
  std::array<u8, 32> y{};
  for (unsigned i = 0; i < kWidth; ++i) x[i] = static_cast<u8>(i);
  for (unsigned i = 0; i < kHeight; ++i) y[i] = static_cast<u8>(i);

  // Live Tensix columns in rising order, harvested ones from x = 16 down in the ARC's order.
  u32 dead = 0;
  for (unsigned i = 0; i < kColumns; ++i)
    if (bit(options_.harvested_columns, i)) dead |= 1u << kColumnX[i];
  unsigned to = 1;
  for (unsigned from = 1; from < kWidth; ++from) {
    if (!is_tensix_x(from) || bit(dead, from)) continue;
    x[to] = static_cast<u8>(from);
    to = to == 7 ? 10 : to + 1;
  }
  to = kWidth - 1;
  for (unsigned i = 0; i < kColumns; ++i)
    if (bit(options_.harvested_columns, i)) x[to--] = kColumnX[i];

  // DRAM: x 17 is the column without harvested banks; the row of the (first) harvested bank goes to
  // the end in both columns.
  const unsigned bad = static_cast<unsigned>(std::countr_zero(options_.harvested_dram | 0x100u));
  x[17] = bad >= 4 ? kWestX : kEastX;
  x[18] = bad >= 4 ? kEastX : kWestX;
  std::array<u8, 4> rows = {0, 1, 2, 3};
  if (bad < kBanks) std::rotate(rows.begin() + bad % 4, rows.begin() + bad % 4 + 1, rows.end());
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned port = 0; port < kPorts; ++port)
      y[kDramTranslatedY + row * kPorts + port] = kDramY[rows[row]][port];

  x[kPcieTranslated.x] = kPcie.x;
  y[kPcieTranslated.y] = kPcie.y;
  y[kEthernetTranslated.y] = 1;
  const u32 off = ~u32{ethernet_enabled_mask()};
  const u32 skip = 1u << highest_bit(off & 0x070) | 1u << highest_bit(off & 0x380);
  unsigned at = kEthernetTranslated.x;
  for (unsigned i = 0; i < kEthernetTiles; ++i)
    if (!bit(skip, i)) x[at++] = kColumnX[i];
  for (unsigned i = 0; i < 4; ++i) y[kL2cpuTranslatedY + i] = kL2cpuY[i];
  y[kSecurityTranslatedY] = kSecurityY;

  const u32 closed = dead | 1u << kWestX | 1u << kMiddleX | 1u << kEastX;
  translation_[0] = {packed(x), packed(y), 0, 0b11, closed, 0b11};
  for (u8& entry : x) entry = static_cast<u8>(kWidth - 1 - entry);
  for (u8& entry : y) entry = static_cast<u8>(kHeight - 1 - entry);
  translation_[1] = {packed(x), packed(y), 0, 0b11, 0, 0};
  for (unsigned i = 0; i < kWidth; ++i)
    if (bit(closed, i)) translation_[1].broadcast_columns |= 1u << (kWidth - 1 - i);
  translation_[1].broadcast_rows = 0b11u << (kHeight - 2);
}

Coord Board::physical(unsigned noc, Coord translated) const {
  const noc::Translation& table = translation_[noc];
  return noc::translate(table.x_table.data(), table.y_table.data(), table.column_mask,
                        table.row_mask, translated);
}

// While the sites are still row by row, as make_sites begins.
TileSite* Board::site_at(Coord noc0) {
  const size_t place = size_t{noc0.y} * kWidth + noc0.x;
  CHECK(place < sites_.size() && sites_[place].noc0 == noc0);
  return &sites_[place];
}

void Board::make_sites() {
  sites_.reserve(size_t{kWidth} * kHeight);
  for (u8 y = 0; y < kHeight; ++y) {
    for (u8 x = 0; x < kWidth; ++x) {
      TileSite site;
      site.noc0 = site.translated = {x, y};
      site.noc1 = {static_cast<u8>(kWidth - 1 - x), static_cast<u8>(kHeight - 1 - y)};
      site.kind = is_tensix_x(x) && y >= kFirstRow ? NodeKind::Tensix : NodeKind::Router;
      sites_.push_back(site);
    }
  }
  const auto mark = [this](Coord noc0, NodeKind kind, bool harvested) {
    TileSite* site = site_at(noc0);
    site->kind = kind;
    site->harvested = harvested;
    return site;
  };
  for (unsigned i = 0; i < kColumns; ++i) {
    for (u8 row = kFirstRow; row < kFirstRow + kRows; ++row)
      mark({kColumnX[i], row}, NodeKind::Tensix, bit(options_.harvested_columns, i));
    TileSite* ethernet =
        mark({kColumnX[i], 1}, NodeKind::Ethernet, !bit(ethernet_enabled_mask(), i));
    ethernet->instance = static_cast<u8>(i);
    if (ethernet->harvested) ethernet->translated = kNowhere;
  }
  u8 live = 0;
  for (u8 bank = 0; bank < kBanks; ++bank) {
    const bool harvested = bit(options_.harvested_dram, bank);
    for (u8 port = 0; port < kPorts; ++port) {
      const Coord noc0{bank < 4 ? kWestX : kEastX, kDramY[bank % 4][port]};
      TileSite* site = mark(noc0, NodeKind::Dram, harvested);
      site->bank = harvested ? bank : live;
      site->port = port;
    }
    if (!harvested) ++live;
  }
  mark(kPcie, NodeKind::Pcie, false);
  mark(kOtherPcie, NodeKind::Pcie, true);
  mark({kMiddleX, 0}, NodeKind::Arc, false);
  mark({kMiddleX, kSecurityY}, NodeKind::Security, false);
  for (const u8 y : kL2cpuY) mark({kMiddleX, y}, NodeKind::L2cpu, false);

  const auto name_box = [this](Coord first, Coord last) {
    for (u8 y = first.y; y <= last.y; ++y) {
      for (u8 x = first.x; x <= last.x; ++x) {
        TileSite* site = site_at(physical(0, {x, y}));
        if (site->kind != NodeKind::Ethernet || !site->harvested) site->translated = {x, y};
      }
    }
  };
  name_box({1, 2}, {7, 11});
  name_box({10, 2}, {16, 11});
  name_box({kDramTranslatedX, kDramTranslatedY}, {kDramTranslatedX + 1, kDramTranslatedY + 11});
  name_box(kPcieTranslated, kPcieTranslated);
  name_box(kEthernetTranslated, {kEthernetTranslated.x + 11, kEthernetTranslated.y});
  name_box({kMiddleX, kL2cpuTranslatedY}, {kMiddleX, kL2cpuTranslatedY + 3});
  name_box({kMiddleX, kSecurityTranslatedY}, {kMiddleX, kSecurityTranslatedY});
}

// Nodes: Tensix tiles column by column, DRAM banks, PCIe, ARC, Ethernet. Routers, the L2CPU and
// security tiles and whatever is harvested have none.
void Board::number_nodes() {
  const auto rank = [](const TileSite& site) {
    if (site.harvested) return 6;
    switch (site.kind) {
      case NodeKind::Tensix:
        return 0;
      case NodeKind::Dram:
        return 1;
      case NodeKind::Pcie:
        return 2;
      case NodeKind::Arc:
        return 3;
      case NodeKind::Ethernet:
        return 4;
      default:
        return 5;
    }
  };
  const auto key = [&rank](const TileSite& site) {
    const int kind = rank(site);
    const int major = kind == 1 ? site.bank : site.translated.x;
    const int minor = kind == 1 ? site.port : site.translated.y;
    return std::array<int, 3>{kind, major, minor};
  };
  std::stable_sort(sites_.begin(), sites_.end(),
                   [&key](const TileSite& a, const TileSite& b) { return key(a) < key(b); });
  place_of_site_.resize(sites_.size());
  for (size_t i = 0; i < sites_.size(); ++i)
    place_of_site_[size_t{sites_[i].noc0.y} * kWidth + sites_[i].noc0.x] = static_cast<u16>(i);
  for (TileSite& site : sites_) {
    if (rank(site) > 4) break;
    if (site.kind != NodeKind::Dram || site.port == 0) ++node_count_;
    site.node = static_cast<NodeId>(node_count_ - 1);
    if (site.kind == NodeKind::Tensix) tensix_.push_back(site.translated);
  }
}

void Board::make_routing() {
  for (unsigned noc = 0; noc < kNocs; ++noc) {
    routing_.set_translation(noc, translation_[noc]);
    for (const TileSite& site : sites_) {
      if (site.node == kNoNode) continue;
      routing_.place_physical(noc, noc == 0 ? site.noc0 : site.noc1, site.node);
      routing_.place(noc, site.translated, site.node);
    }
    // Within 17 x 12 every coordinate means something: raw ones in rows 0 and 1, else translated.
    for (u8 y = 0; y < kHeight; ++y)
      for (u8 x = 0; x < kWidth; ++x)
        if (const NodeId node = routing_.physical(noc, physical(noc, {x, y})); node != kNoNode)
          routing_.place(noc, {x, y}, node);
  }
  for (const TileSite& site : sites_) {
    if (site.node == kNoNode || site.port != 0) continue;
    routing_.describe(site.node, {site.kind, site.translated, site.bank});
  }
}

unsigned Board::live_columns() const {
  return kColumns - static_cast<unsigned>(std::popcount(options_.harvested_columns));
}
unsigned Board::dram_banks() const {
  return kBanks - static_cast<unsigned>(std::popcount(options_.harvested_dram));
}
u8 Board::dram_enabled_mask() const {
  return static_cast<u8>(~options_.harvested_dram);
}
u16 Board::column_enabled_mask() const {
  return 0x3FFF & ~options_.harvested_columns;
}
u16 Board::ethernet_enabled_mask() const {
  return options_.model == BoardModel::P100A ? 0 : kEthernetMask;
}

u16 Board::ethernet_ports() const {
  return ethernet_enabled_mask() & kEthernetPorts;
}

eth::FirmwareVersion Board::ethernet_version() const {
  return options_.bundle == FirmwareBundle::V19_3 ? eth::FirmwareVersion{1, 7, 1}
                                                  : eth::FirmwareVersion{1, 6, 0};
}
u32 Board::bundle_version() const {
  return options_.bundle == FirmwareBundle::V19_3 ? 0x13030000 : 0x120C0000;
}

eth::BootFacts Board::ethernet_facts(const TileSite& site) const {
  const u32 below = (1u << site.instance) - 1;
  eth::BootFacts facts;
  facts.instance = site.instance;
  facts.channel = static_cast<u32>(std::popcount(ethernet_enabled_mask() & below));
  facts.enabled = ethernet_enabled_mask();
  facts.ports = ethernet_ports();
  facts.board_id = board_id();
  facts.asic_id = asic_id();
  facts.version = ethernet_version();
  return facts;
}

// As the ARC's telemetry says.
u64 Board::asic_id() const {
  return board_id() & 0xFFFFFFFF;
}

// The board type is in bits 63:36 (tt-umd): 0x43 P100A, 0x40 P150A; the rest is a serial number.
u64 Board::board_id() const {
  const u64 type = options_.model == BoardModel::P100A ? 0x43 : 0x40;
  return type << 36 | 0x1;
}

unsigned Board::dram_port_index(unsigned bank, unsigned noc) const {
  CHECK(bank < dram_banks() && noc < kNocs);
  return kBankPort[bank][noc];
}

Coord Board::dram_port(unsigned bank, unsigned noc) const {
  const unsigned port = dram_port_index(bank, noc);
  for (const TileSite& site : sites_)
    if (site.kind == NodeKind::Dram && !site.harvested && site.bank == bank && site.port == port)
      return site.translated;
  return kNowhere;
}

NodeId Board::dram_node(unsigned bank) const {
  return routing_.at(0, dram_port(bank, 0));
}

// Seed 002 section 2: both service cores sit in the last column.
Coord Board::prefetch_core() const {
  return {tensix_.back().x, kFirstRow};
}
Coord Board::dispatch_core() const {
  return {tensix_.back().x, kFirstRow + 1};
}

const TileSite* Board::site_of(NodeId node) const {
  const auto found = std::find_if(sites_.begin(), sites_.end(),
                                  [node](const TileSite& site) { return site.node == node; });
  return node == kNoNode || found == sites_.end() ? nullptr : &*found;
}

const TileSite* Board::site_through(unsigned noc, Coord coord) const {
  const Coord at = noc::target_coord_of(noc, physical(noc, coord));
  if (at.x >= kWidth || at.y >= kHeight) return nullptr;
  const TileSite& found = sites_[place_of_site_[size_t{at.y} * kWidth + at.x]];
  const bool raw = coord.x < kWidth && coord.y < kHeight;
  return raw || found.translated == coord ? &found : nullptr;
}

std::vector<u8> Board::bank_table(unsigned dram_entries, unsigned l1_entries) const {
  std::vector<u8> bytes;
  for (unsigned noc = 0; noc < kNocs; ++noc)
    for (unsigned bank = 0; bank < dram_entries; ++bank)
      append16(bytes, bank < dram_banks() ? packed_coord(dram_port(bank, noc)) : kNoBank);
  const unsigned columns = live_columns();
  for (unsigned noc = 0; noc < kNocs; ++noc) {
    for (unsigned i = 0; i < l1_entries; ++i) {
      const u8 x = tensix_[i % columns * kRows].x;
      append16(bytes, packed_coord({x, static_cast<u8>(kFirstRow + i / columns % kRows)}));
    }
  }
  // Then the offsets of the banks, all zero: right behind in some firmware, at +0x400 in other.
  constexpr std::size_t kOffsetTable = 0x400;
  bytes.resize(std::max(bytes.size(), kOffsetTable) + 4 * (dram_entries + l1_entries));
  return bytes;
}

std::array<u32, 6> Board::translate_x(unsigned noc) const {
  return translation_[noc].x_table;
}
std::array<u32, 6> Board::translate_y(unsigned noc) const {
  return translation_[noc].y_table;
}

}  // namespace bhemu
