#include "tile/tile.hpp"

#include <bit>
#include <cstring>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "mem/pages.hpp"
#include "noc/trace.hpp"
#include "tile/delayed_bus.hpp"

namespace bhemu::tile {
namespace {

// Where tt-metal's firmware lies (dev_mem_map.h: MEM_ZEROS_BASE to MEM_MAP_END): whoever touches a
// tile writes there soon. Of the mailboxes before it most of what is used lies in one page.
constexpr u64 kFirmware = 12 * 1024;
constexpr u64 kFirmwareEnd = 28 * 1024;

u32 narrow_size(std::span<const u8> bytes) {
  return static_cast<u32>(std::min<u64>(bytes.size(), ~u32{0}));
}

/// Calls `access(word address, offset in the buffer, first byte of the word, bytes)` for every
/// register that [address, address + size) touches; stops at the first that is refused.
template <class Access>
bool each_word(u64 address, u64 size, Access access) {
  for (u64 done = 0; done < size;) {
    const u64 at = address + done;
    if (at >> 32 != 0) return false;
    const u32 skip = static_cast<u32>(at % 4);
    const u32 count = static_cast<u32>(std::min<u64>(4 - skip, size - done));
    if (!access(static_cast<u32>(at) - skip, done, skip, count)) return false;
    done += count;
  }
  return true;
}

template <class Part>
std::array<Part, kCores> made_for_cores(InZeroedMemory zeroed) {
  return {Part(zeroed), Part(zeroed), Part(zeroed), Part(zeroed), Part(zeroed)};
}

}  // namespace

Tile::Tile(const TileConfig& config)
    : Node(config.shape->kind, config.node, config.policy),
      shape_(*config.shape),
      cores_(made_for_cores<riscv::CoreState>({config.arena != nullptr})),
      slots_(made_for_cores<CoreSlot>({config.arena != nullptr})),
      quantum_(config.quantum),
      parking_(config.parking),
      long_turns_(config.shortcuts.long_turns),
      l1_(shape_.l1_bytes, config.arena, {config.arena != nullptr}),
      lines_(config.lines != nullptr ? config.lines : std::make_shared<riscv::LineCache>(),
             config.node, config.arena),
      debugger_({shape_, cores_, slots_, debug_, l1_, wakeup_, faults(), access_, *this}),
      follower_({id(), shape_, cores_, slots_, debug_, l1_, lines_, trace_, observer_, coprocessor_,
                 data_caches_}),
      debug_unit_({shape_, debug_, l1_, faults(), coprocessor_, timestamper_, dump_, debugger_,
                   follower_, observer_, activity_, *this}),
      registers_({shape_,    cores_,   slots_,       buses_,       wakeup_, faults(),
                  nius_,     streams_, coprocessor_, port_,        checks_, mailboxes_,
                  pic_,      debug_,   debug_unit_,  timestamper_, ledger_, follower_,
                  activity_, trace_,   observer_,    long_turn_,   *this}),
      access_(registers_.environment(), registers_),
      ledger_(InZeroedMemory{config.arena != nullptr}) {
  CHECK(std::has_single_bit(quantum_));
  if (shape_.is_tensix()) make_pages(l1_.data() + kFirmware, kFirmwareEnd - kFirmware);
  wakeup_.waker = this;
  l1_.listen(this);
  if (shape_.is_tensix()) {
    make_coprocessor(config.arena);
    coprocessor_->set_shortcuts(config.shortcuts.bursts, config.shortcuts.whole_rows);
    if (config.shortcuts.known_turns) coprocessor_->remember_turns(config.turns);
    set_units(config.units);
  }
  make_nius(config);
  streams_ = make_in<noc::StreamFile>(config.arena, &wakeup_, shape_.streams,
                                      shape_.is_tensix() ? &l1_ : nullptr,
                                      InZeroedMemory{config.arena != nullptr});
  for (unsigned core = 0; core < kCores; ++core) {
    cores_[core].id = shape_.core[core];
    cores_[core].is_new = true;
    buses_[core] = make_in<EthernetCoreBus<false>>(config.arena, *this, core);
    recording_buses_[core] = make_in<EthernetCoreBus<true>>(config.arena, *this, core);
  }
  make_translated(config.code, config.arena);
  if (config.timing->spread.kind != noc::Spread::Kind::None) {
    departs_ = true;
    for (auto& niu : nius_) niu->set_departures(true);
  }
  if (!shape_.is_tensix()) make_port(config);
}

Tile::~Tile() = default;

void Tile::make_coprocessor(Arena* arena) {
  tensix::Environment environment;
  environment.arena = arena;
  environment.l1 = &l1_;
  environment.wakeup = &wakeup_;
  environment.faults = &faults();
  environment.registers = this;
  environment.node = id();
  coprocessor_ = make_in<tensix::Coprocessor>(arena, environment);
}

void Tile::make_nius(const TileConfig& config) {
  noc::NiuEnvironment environment;
  environment.routing = config.routing;
  environment.timing = config.timing;
  environment.wakeup = &wakeup_;
  environment.faults = &faults();
  environment.node = id();
  environment.instance = config.ethernet ? config.ethernet->instance : 0;
  environment.position = config.noc0;
  environment.arena = config.arena;
  environment.host = this;
  make_checks(config);
  environment.checks = checks_.get();
  for (unsigned noc = 0; noc < kNocs; ++noc)
    nius_[noc] = make_in<noc::Niu>(config.arena, noc, environment);
}

void Tile::make_checks(const TileConfig& config) {
  software_ = config.software;
  if (config.checks.silicon_caches()) data_caches_ = std::make_unique<DataCaches>();
  const bool wanted = config.checks.has(CheckGroup::Buffers) ||
                      config.checks.has(CheckGroup::Noc) || config.checks.has(CheckGroup::Reads);
  if (!wanted || software_ == nullptr || !shape_.is_tensix()) return;
  checks_ = std::make_unique<Checks>(*this, config.checks, software_, config.timing->one_way);
}

void Tile::send(noc::Packet&& packet) {
  packet.sequence = sequence_++;
  if (trace_ != nullptr) [[unlikely]]
    noc::trace_departure(*trace_, packet);
  bytes_sent_ += packet.payload ? packet.payload.size() : 0;
  if (packet.kind == noc::PacketKind::ReadRequest) {
    if (is_core(packet.issuer)) ++activity_.reads[index(core_of(packet.issuer))];
    activity_.read_target = packet.target;
    activity_.read_address = packet.address;
  } else if (packet.kind != noc::PacketKind::ReadResponse) {
    ++activity_.effects;
  }
  if (packet.target == id()) {
    if (position_ < kCores) end_long_turn(cores_[position_].cycle);
    arrivals_.push(std::move(packet));
  } else if (outbox_ != nullptr) {
    outbox_->packets.push_back(std::move(packet));
  } else {
    early_.push_back(std::move(packet));
  }
}

bool Tile::send_to_all(noc::Packet& packet, const std::shared_ptr<const noc::Receivers>& receivers,
                       Cycle home) {
  if (outbox_ == nullptr || trace_ != nullptr) [[unlikely]]
    return false;
  const std::size_t count = receivers->size();
  packet.sequence = sequence_;
  sequence_ += count;
  bytes_sent_ += count * (packet.payload ? packet.payload.size() : 0);
  activity_.effects += count;
  noc::Multicast multicast{std::move(packet), receivers, id()};
  for (std::size_t i = 0; i < count; ++i) {
    if ((*receivers)[i].node != id()) continue;
    if (position_ < kCores) end_long_turn(cores_[position_].cycle);
    noc::Packet own = multicast.packet_for(i);
    own.arrival = home;
    arrivals_.push(std::move(own));
  }
  outbox_->multicasts.push_back(std::move(multicast));
  return true;
}

bool Tile::host_read(u64 address, std::span<u8> bytes, Cycle now) {
  if (bytes.empty()) return true;
  begin_host_access(now);
  if (address < l1_.size())
    return noc_read(address, bytes.data(), narrow_size(bytes), now_, Agent::Host);
  return each_word(address, bytes.size(), [&](u32 at, u64 offset, u32 skip, u32 count) {
    u32 word = 0;
    if (!noc_read(at, &word, 4, now_, Agent::Host)) return false;
    std::memcpy(bytes.data() + offset, reinterpret_cast<const u8*>(&word) + skip, count);
    return true;
  });
}

bool Tile::host_write(u64 address, std::span<const u8> bytes, Cycle now) {
  if (bytes.empty()) return true;
  begin_host_access(now);
  const Author author{Agent::Host, 0, now_};
  if (address < l1_.size()) {
    fetch_waiting();
    note_written(static_cast<u32>(address), bytes.size());
    return noc_write(address, bytes.data(), narrow_size(bytes), author);
  }
  return each_word(address, bytes.size(), [&](u32 at, u64 offset, u32 skip, u32 count) {
    u32 word = 0;
    // A write narrower than a register keeps the register's other bytes.
    if (count != 4 && !noc_read(at, &word, 4, now_, Agent::Host)) return false;
    std::memcpy(reinterpret_cast<u8*>(&word) + skip, bytes.data() + offset, count);
    return noc_write(at, &word, 4, author);
  });
}

/// An Ethernet tile shows a heartbeat in its L1.
noc::PlainMemory Tile::plain_memory() {
  if (port_ != nullptr) return {};
  return {l1_.data(), l1_.flags(), l1_.size()};
}

void Tile::begin_host_access(Cycle now) {
  now_ = std::max(now_, now);
  turn_begin_ = turn_limit_ = now_;
  position_ = kOutside;
}

void Tile::settle(Cycle now) {
  begin_host_access(now);
  for (unsigned core = 0; core < kCores; ++core) {
    const CoreStatus status = slots_[core].status;
    riscv::CoreState& state = cores_[core];
    if (status == CoreStatus::Parked && state.cycle < now) replay(core, now);
    if (status == CoreStatus::Blocked || status == CoreStatus::Halted)
      state.cycle = std::max(state.cycle, now);
  }
}

u64 Tile::instructions() const {
  u64 sum = 0;
  for (const riscv::CoreState& state : cores_) sum += state.instret;
  return sum;
}

u64 Tile::tensix_instructions() const {
  u64 sum = 0;
  for (unsigned thread = 0; coprocessor_ != nullptr && thread < kThreads; ++thread)
    sum += coprocessor_->instructions_executed(thread);
  return sum;
}

bool Tile::in_use() const {
  for (unsigned core = 0; core < shape_.cores; ++core)
    if (slots_[core].status != CoreStatus::Reset && !is_waiting_for_work(core)) return true;
  return !coprocessor_asleep();
}

}  // namespace bhemu::tile
