// A board: which tiles exist, where, and which are harvested. Pure data and arithmetic.
//
// Documents: spec device-grid, BlackholeA0/NoC/Coordinates.md, coordinates that blackhole-py and
// tt-umd use; what the ARC firmware programs: tt-zephyr-platforms
// lib/tenstorrent/bh_arc/noc_init.c.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "eth/base_firmware.hpp"
#include "noc/node.hpp"
#include "noc/routing.hpp"

namespace bhemu {

enum class BoardModel : u8 { P100A, P150 };

/// The vendor's firmware that the board says it runs.
enum class FirmwareBundle : u8 { V18_12, V19_3 };

struct BoardOptions {
  BoardModel model = BoardModel::P100A;
  /// DRAM banks (physical, 0..7) that are disabled, bit per bank. P100A: at least one (default bank
  /// 7); P150: none by default. At least one bank must be left.
  u8 harvested_dram = 0;
  /// Tensix columns disabled, bit n = n-th column as the ARC numbers them (telemetry tag 34): x =
  /// 1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10. P100A: at least two (default x = 15 and 16);
  /// at most seven.
  u16 harvested_columns = 0;
  FirmwareBundle bundle = FirmwareBundle::V18_12;
  static BoardOptions defaults(BoardModel model);
};

/// One tile and every name it has.
struct TileSite {
  noc::NodeKind kind = noc::NodeKind::Tensix;
  NodeId node = kNoNode;
  Coord noc0;        // physical, NoC 0
  Coord noc1;        // physical, NoC 1
  Coord translated;  // what firmware and clients use; {0xFF, 0xFF}: none
  u8 bank = 0;       // DRAM: software bank id (physical one when harvested); port in `port`
  u8 port = 0;
  u8 instance = 0;  // Ethernet: as NOC_ENDPOINT_ID counts them, 0 to 13
  bool harvested = false;
};

class Board {
 public:
  /// Throws std::invalid_argument with one clear sentence for an impossible combination.
  explicit Board(const BoardOptions& options);

  const BoardOptions& options() const { return options_; }
  const char* name() const;  // "P100A", "P150"
  const std::vector<TileSite>& sites() const { return sites_; }
  /// Number of distinct nodes (DRAM ports of one bank share a node).
  unsigned node_count() const { return node_count_; }
  /// Live Tensix tiles in column-major order (all rows of the first column first), translated.
  const std::vector<Coord>& tensix() const { return tensix_; }
  unsigned dram_banks() const;  // software banks
  /// Translated coordinate of the port that firmware uses for `bank` on `noc` (BANK_PORT).
  Coord dram_port(unsigned bank, unsigned noc) const;
  /// Which of the bank's three ports that is.
  unsigned dram_port_index(unsigned bank, unsigned noc) const;
  NodeId dram_node(unsigned bank) const;
  u8 dram_enabled_mask() const;     // telemetry tag 36
  u16 column_enabled_mask() const;  // telemetry tag 34
  Coord dispatch_core() const;
  Coord prefetch_core() const;
  /// Also raw coordinates, where translation leaves them alone (rows 0 and 1).
  NodeId node_at_translated(Coord coord) const { return routing_.at(0, coord); }
  const TileSite* site_of(NodeId node) const;
  /// The tile, live or not, to which a coordinate leads that software writes into a request on
  /// `noc`. Null: none, or by an entry of the tables that firmware leaves unset.
  const TileSite* site_through(unsigned noc, Coord coord) const;

  u16 ethernet_enabled_mask() const;  // telemetry tag 35
  /// Ethernet tiles, by instance, whose SerDes serves Ethernet: only these have a port.
  u16 ethernet_ports() const;
  eth::FirmwareVersion ethernet_version() const;  // telemetry tag 24
  u32 bundle_version() const;                     // telemetry tag 28
  /// What an Ethernet tile is told about itself.
  eth::BootFacts ethernet_facts(const TileSite& site) const;
  u64 board_id() const;  // telemetry tags 1 and 2
  u64 asic_id() const;   // telemetry tags 61 and 62

  const noc::Routing& routing() const { return routing_; }
  /// The bytes of MEM_BANK_TO_NOC_SCRATCH for firmware with tables of these dimensions (seed 002
  /// section 6). The firmware's own sizes decide; nothing is hard-coded. An entry for a bank that
  /// the board does not have names a coordinate where nothing answers.
  std::vector<u8> bank_table(unsigned dram_entries, unsigned l1_entries) const;
  /// NOC_X_ID_TRANSLATE_TABLE / NOC_Y_ID_TRANSLATE_TABLE register values, per NoC.
  std::array<u32, 6> translate_x(unsigned noc) const;
  std::array<u32, 6> translate_y(unsigned noc) const;

 private:
  BoardOptions options_;
  void check_options() const;
  void make_translation();
  void make_sites();
  void number_nodes();
  void make_routing();
  Coord physical(unsigned noc, Coord translated) const;
  TileSite* site_at(Coord noc0);
  unsigned live_columns() const;

  std::array<noc::Translation, kNocs> translation_{};
  std::vector<TileSite> sites_;  // those with nodes first, in the order of their ids
  // Where in sites_ the one at a raw coordinate of NoC 0 is, row by row.
  std::vector<u16> place_of_site_;
  std::vector<Coord> tensix_;
  noc::Routing routing_;
  unsigned node_count_ = 0;
};

}  // namespace bhemu
