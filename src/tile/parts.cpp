// The parts of a tile in one list, which saving, hashing and resetting go through. A row that one
// of the three cannot deal with does not compile; bhemu_tidy finds a member without a row.
//
// Not listed: what is made once (shape_, quantum_, parking_, long_turns_, buses_, recording_buses_,
// delayed_buses_, boot_, debug_unit_, registers_, access_, checks_, software_), what belongs to a
// turn or is lent for one (position_, outbox_, onlooker_), what follows from the rest and is made
// again (wakeup_, next_rounds_, lines_, translated_), how far ahead loops are looked for
// (glances_), what the host is asked for ahead of time (written_), what reports remember of the
// past (ledger_, follower_); late_ and departs_ go through visit.late.
#include <cstring>

#include "noc/packet.hpp"
#include "tile/bus.hpp"
#include "tile/tile.hpp"

namespace bhemu::tile {
namespace {

u64 hash_csrs(u64 seed, const riscv::CsrState& csr) {
  // Member by member: the padding of the struct means nothing.
  const u32 words[] = {csr.fcsr,
                       csr.vxsat,
                       csr.vxrm,
                       csr.vl,
                       csr.vtype,
                       csr.vlenb,
                       csr.cfg0,
                       csr.cfg1,
                       csr.mcountinhibit,
                       csr.mhpmevent[0],
                       csr.mhpmevent[1],
                       csr.pmacfg[0],
                       csr.pmacfg[1],
                       csr.hwa_mask,
                       csr.hwa_cfg,
                       csr.vgsrc,
                       csr.restore_pc,
                       csr.intp_restore_pc,
                       u32{csr.in_interrupt}};
  const u64 counters[] = {csr.mcycle_offset, csr.minstret_offset, csr.mhpmcounter[0],
                          csr.mhpmcounter[1]};
  seed = hash_bytes(seed, words, sizeof words);
  seed = hash_bytes(seed, counters, sizeof counters);
  return hash_bytes(seed, csr.status.data(), sizeof csr.status);
}

u64 hash_core(u64 seed, const riscv::CoreState& state, CoreStatus status) {
  // Register 32 is a sink; a core in reset has no time of its own.
  seed = hash_bytes(seed, state.x.data(), 32 * sizeof(u32));
  seed = hash_bytes(seed, state.f.data(), sizeof state.f);
  seed = hash_bytes(seed, state.ldm.data(), riscv::ldm_size_of(state.id));
  seed = hash_bytes(seed, state.v.reg.data(), sizeof state.v.reg);
  seed = hash_csrs(seed, state.csr);
  const bool timed = status != CoreStatus::Reset && status != CoreStatus::Stopped;
  const std::array<u64, 4> rest{
      state.pc, timed ? state.cycle : 0, state.instret,
      u64{status == CoreStatus::Reset} | u64{status == CoreStatus::Halted} << 1};
  return hash_bytes(seed, rest.data(), sizeof rest);
}

}  // namespace

struct Tile::Parts {
  /// The order is that of the hash.
  template <class Self, class Visitor>
  static void each(Self& tile, Visitor&& visit) {
    visit.l1(tile.l1_);
    visit.cores(tile);
    if (tile.coprocessor_ != nullptr) visit.unit(*tile.coprocessor_);
    if (tile.port_ != nullptr) visit.unit(*tile.port_);
    for (auto& niu : tile.nius_) visit.unit(*niu);
    visit.unit(*tile.streams_);
    visit.device(tile.mailboxes_);
    visit.device(tile.debug_);
    visit.device(tile.dump_);
    visit.unit(tile.debugger_);
    visit.device(tile.timestamper_);
    visit.device(tile.pic_);
    visit.data_caches(tile.data_caches_);
    visit.device(tile.tag_search_);
    visit.schedule(tile.slots_);
    visit.schedule(tile.now_);
    visit.schedule(tile.turn_begin_);
    visit.schedule(tile.turn_end_);
    visit.schedule(tile.turn_limit_);
    visit.schedule(tile.long_turn_);
    visit.schedule(tile.sequence_);
    visit.under_way(tile.arrivals_);
    visit.under_way(tile.early_);
    visit.late(tile);
    visit.count(tile.bytes_sent_);
    visit.count(tile.skipped_);
    visit.count(tile.activity_);
    visit.faults(tile);
  }

  struct Save {
    Archive& archive;

    void l1(L1& l1) { l1.archive(archive); }
    void cores(Tile& tile) { archive.value(tile.cores_); }
    template <class Unit>
    void unit(Unit& unit) {
      unit.archive(archive);
    }
    template <class Device>
    void device(Device& device) {
      archive.value(device);
    }
    template <class Value>
    void schedule(Value& value) {
      archive.value(value);
    }
    template <class Value>
    void count(Value& value) {
      archive.value(value);
    }
    void under_way(noc::ArrivalQueue& arrivals) { arrivals.archive(archive); }
    void under_way(std::vector<noc::Packet>& early) {
      u64 count = early.size();
      archive.value(count);
      if (archive.is_loading()) early.assign(count, {});
      for (noc::Packet& packet : early) noc::archive(archive, packet);
    }
    void late(Tile& tile) { tile.archive_late(archive); }
    /// There may be caches in the one tile and none in the other.
    void data_caches(std::unique_ptr<DataCaches>& caches) {
      bool any = caches != nullptr;
      archive.value(any);
      DataCaches none;
      if (any) archive.whole(caches != nullptr ? *caches : none);
      if (archive.is_loading() && !any && caches != nullptr) caches->clear();
    }
    void faults(Tile& tile) { tile.faults().archive(archive); }
  };

  /// What a guest or the host could ever see.
  struct Hash {
    u64 seed;

    void l1(const L1& l1) { seed ^= l1.memory().hash(); }
    void cores(const Tile& tile) {
      for (unsigned core = 0; core < tile.shape_.cores; ++core)
        seed = hash_core(seed, tile.cores_[core], tile.slots_[core].status);
    }
    template <class Unit>
    void unit(const Unit& unit) {
      seed = unit.hash(seed);
    }
    template <class Device>
    void device(const Device& device) {
      seed = device.hash(seed);
    }
    void data_caches(const std::unique_ptr<DataCaches>& caches) {
      if (caches != nullptr) seed = caches->hash(seed);
    }
    // What follows from inputs and state, or is seen when it lands.
    template <class Value>
    void schedule(const Value&) {}
    template <class Value>
    void count(const Value&) {}
    template <class Packets>
    void under_way(const Packets&) {}
    void late(const Tile&) {}
    void faults(const Tile&) {}
  };

  struct Reset {
    void l1(L1& l1) { l1.clear(); }
    void cores(Tile& tile) {
      for (riscv::CoreState& state : tile.cores_) {
        const CoreId id = state.id;
        state = {};
        state.id = id;
      }
    }
    template <class Unit>
    void unit(Unit& unit) {
      unit.reset();
    }
    template <class Device>
    void device(Device& device) {
      device = {};
    }
    /// Time goes on.
    template <class Value>
    void schedule(Value&) {}
    template <class Value>
    void count(Value& value) {
      value = {};
    }
    template <class Packets>
    void under_way(Packets& packets) {
      packets = {};
    }
    void late(Tile& tile) { tile.forget_late(); }
    void data_caches(std::unique_ptr<DataCaches>& caches) {
      if (caches != nullptr) caches->clear();
    }
    void faults(Tile& tile) { tile.faults().clear(); }
  };
};

void Tile::archive(Archive& archive) {
  Parts::each(*this, Parts::Save{archive});
  if (!archive.is_loading()) return;
  if (checks_ != nullptr) checks_->forget();
  position_ = kOutside;
  forget_code();
  update_watched();
}

u64 Tile::hash(u64 seed) const {
  Parts::Hash hash{seed};
  Parts::each(*this, hash);
  return hash.seed;
}

void Tile::reset(Cycle now) {
  begin_host_access(now);
  debug_ = {};  // DISABLE_RESET spares nothing
  for (unsigned core = 0; core < shape_.cores; ++core) hold_core(core);
  Parts::each(*this, Parts::Reset{});
  forget_code();
  if (checks_ != nullptr) checks_->forget();
  if (port_ != nullptr) boot_ethernet();
}

void Tile::forget_code() {
  lines_.forget_all();
  lines_.forget_heads();
  if (translated_ != nullptr) translated_->translations.drop();
}

}  // namespace bhemu::tile
