#include "device/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "device/device_impl.hpp"
#include "tensix/frontend/known_turn.hpp"
#include "trace/sink.hpp"

namespace bhemu {
namespace {

// What a turn costs beside the work done in it is, for five busy cores, as much as some 60 cycles
// of translated code (docs/PROFILE.md). A loopback packet must not arrive inside the turn that
// sends it, so it may not exceed Timing::loopback.
constexpr Cycle kFastQuantum = 64;
static_assert(kFastQuantum <= noc::Timing{}.loopback);

Cycle quantum_of(TimingModel timing) {
  return timing == TimingModel::Fast ? kFastQuantum : 1;
}

constexpr const char* kTimingNames[] = {"fast", "reference", "windows", "chaos"};

bool has_windows(TimingModel timing) {
  return timing == TimingModel::Windows || timing == TimingModel::Chaos;
}

}  // namespace

const char* name_of(TimingModel timing) {
  return kTimingNames[static_cast<unsigned>(timing)];
}

std::optional<TimingModel> timing_named(std::string_view name) {
  for (unsigned i = 0; i < std::size(kTimingNames); ++i)
    if (name == kTimingNames[i]) return static_cast<TimingModel>(i);
  return std::nullopt;
}

Device::Impl::Impl(const DeviceOptions& wanted)
    : options(wanted),
      board(wanted.board),
      routing(board.routing()),
      code(riscv::jit::CodeCache::create(wanted.jit)),
      lines(std::make_shared<riscv::LineCache>()),
      turns(std::make_shared<tensix::frontend::TurnCache>()) {
  sites.resize(board.node_count(), nullptr);
  nodes.resize(board.node_count());
  tiles.resize(board.node_count(), nullptr);
  coords.resize(board.node_count());
  // Who asks for the bytes that silicon gives wants to see what they lead to.
  if (options.checks.silicon_caches()) {
    Severity& severity = options.faults.severity[static_cast<unsigned>(Rule::CacheStaleData)];
    if (severity == Severity::Error) severity = Severity::Warn;
  }
  if (options.timing == TimingModel::Chaos) {
    DelayPlan plan;
    plan.source = DelayPlan::Source::Seed;
    plan.seed = options.seed;
    delays = std::make_shared<const DelayPlan>(std::move(plan));
  }
  if (has_windows(options.timing)) {
    unit_timing = tensix::Timing::typical();
    unit_timing.placement = options.effects;
    unit_timing.seed = options.seed;
    using Kind = noc::Spread::Kind;
    noc_timing.spread = {options.effects == tensix::Placement::Issue ? Kind::None
                         : options.effects == tensix::Placement::End ? Kind::Whole
                                                                     : Kind::Drawn,
                         options.seed};
  }
  for (const TileSite& site : board.sites()) {
    if (site.node == kNoNode || sites[site.node] != nullptr) continue;
    coords[site.node] = site.translated;
    sites[site.node] = &site;
  }
  engine = std::make_unique<sched::Engine>(
      board.node_count(), [this](NodeId id) -> noc::Node& { return make_node(id); },
      noc_timing.one_way, std::max(1u, options.threads));
  for (const TileSite* site : sites) {
    CHECK(site != nullptr);
    if (site->kind == noc::NodeKind::Pcie || site->kind == noc::NodeKind::Arc)
      make_node(site->node);
  }
}

noc::Node& Device::Impl::make_node(NodeId id) {
  CHECK(nodes[id] == nullptr);
  nodes[id] = node_at(*sites[id]);
  if (delays != nullptr) nodes[id]->set_delays(delays);
  if (image != nullptr) {
    load_fresh(*nodes[id]);
    if (late) {
      catch_up(*nodes[id]);
      count_late_nodes();
    }
  } else if (sites[id]->kind == noc::NodeKind::Ethernet) {
    catch_up(*nodes[id]);
  }
  engine->add(*nodes[id]);
  return *nodes[id];
}

void Device::Impl::make_all_nodes() {
  for (NodeId id = 0; id < nodes.size(); ++id) node(id);
}

/// An Ethernet tile has run since time began, whenever somebody first asks for it, and others since
/// the image was taken: epoch by epoch, as the engine would have let them. They send nothing.
void Device::Impl::catch_up(noc::Node& node) {
  const Cycle epoch = noc_timing.one_way;
  noc::Outbox outbox;
  for (Cycle next = node.next_cycle(); next < engine->now(); next = node.next_cycle())
    node.run_until(next - next % epoch + epoch, outbox);
  CHECK(outbox.packets.empty() && outbox.multicasts.empty());
}

/// Until when the nodes that are still to be made are at work: nobody passes over that.
void Device::Impl::count_late_nodes() {
  Cycle last = 0;
  for (NodeId id = 0; id < nodes.size(); ++id)
    if (nodes[id] == nullptr) last = std::max(last, image->part(id).rests);
  engine->count_as_busy_until(last);
}

/// From here on nodes may act in another way than they would have by now.
void Device::Impl::end_lateness() {
  if (late) make_all_nodes();
  late = false;
}

/// Ethernet tiles start by themselves when time begins, and who was at work in an image goes on.
/// `alone`: nobody looks on or asks how far they are, so Ethernet tiles that soon only wait may
/// catch up when somebody asks for them.
void Device::Impl::make_self_starting(bool alone) {
  touched = true;
  if (self_starting) return;
  const bool disturbed = options.timing == TimingModel::Chaos || !options.parking;
  if (late && !is_watched_everywhere()) return;
  if (alone && !is_watched() && !disturbed && image == nullptr) return;
  self_starting = true;
  for (const TileSite* site : sites)
    if (image != nullptr ? image->part(site->node).acts : site->kind == noc::NodeKind::Ethernet)
      node(site->node);
}

ArenaPtr<noc::Node> Device::Impl::node_at(const TileSite& site) {
  const noc::EndpointConfig endpoint{site.node, site.noc0, &routing, &noc_timing, &options.faults};
  switch (site.kind) {
    case noc::NodeKind::Tensix:
    case noc::NodeKind::Ethernet:
      return tile_at(site);
    case noc::NodeKind::Dram:
      return make_in<dram::Bank>(&arena, endpoint);
    case noc::NodeKind::Pcie: {
      auto tile = make_in<pcie::Endpoint>(&arena, endpoint);
      pcie = tile.get();
      return tile;
    }
    case noc::NodeKind::Arc: {
      const arc::BoardFacts facts{board.board_id(),
                                  board.column_enabled_mask(),
                                  board.ethernet_enabled_mask(),
                                  board.ethernet_version().word(),
                                  board.bundle_version(),
                                  board.asic_id(),
                                  board.dram_enabled_mask()};
      auto tile = make_in<arc::Arc>(&arena, endpoint, facts);
      arc = tile.get();
      return tile;
    }
    default:
      break;  // routers, L2CPU and security tiles have no node (Board::number_nodes)
  }
  CHECK(false && "a kind of tile without a node has one");
  return nullptr;
}

ArenaPtr<noc::Node> Device::Impl::tile_at(const TileSite& site) {
  tile::TileConfig config;
  config.node = site.node;
  config.noc0 = site.noc0;
  config.routing = &routing;
  config.timing = &noc_timing;
  config.policy = &options.faults;
  config.quantum = quantum_of(options.timing);
  config.parking = options.parking;
  config.shortcuts = options.shortcuts;
  config.code = code;
  config.lines = lines;
  config.turns = turns;
  config.checks = options.checks;
  config.software = options.software;
  config.arena = &arena;
  if (site.kind == noc::NodeKind::Ethernet) {
    config.shape = &tile::ethernet_shape();
    config.ethernet = board.ethernet_facts(site);
  }
  if (site.kind == noc::NodeKind::Tensix && (options.full || has_windows(options.timing)))
    config.units = &unit_timing;
  auto tile = make_in<tile::Tile>(&arena, config);
  if (keep_pushes && tile->checks() != nullptr) tile->checks()->keep_pushes();
  tiles[site.node] = tile.get();
  return tile;
}

Device::Device(const DeviceOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Device::~Device() {
  if (impl_) stop_trace();
}
Device::Device(Device&&) noexcept = default;

const Board& Device::board() const {
  return impl_->board;
}
const DeviceOptions& Device::options() const {
  return impl_->options;
}
Cycle Device::cycle() const {
  return impl_->engine->now();
}
Cycle Device::sleeps_until() const {
  return impl_->engine->sleeps_until();
}

void Device::keep_pushes() {
  impl_->keep_pushes = true;
  for (tile::Tile* tile : impl_->tiles)
    if (tile != nullptr && tile->checks() != nullptr) tile->checks()->keep_pushes();
}

bool Device::write(Coord tile, u64 address, std::span<const u8> bytes) {
  return write(board().node_at_translated(tile), address, bytes);
}

bool Device::write(NodeId node, u64 address, std::span<const u8> bytes, bool posted) {
  if (node >= impl_->nodes.size()) return false;
  if (impl_->attendant != nullptr) impl_->attendant->host_acts();
  noc::Node& target = impl_->node(node);
  trace::Observer* const observer = target.observer();
  if (observer != nullptr) observer->host_writes(address, bytes.size(), cycle());
  const bool done = target.host_write(address, bytes, cycle());
  if (impl_->trace) impl_->trace_host(node, address, bytes, true, done);
  if (done && observer != nullptr && posted) observer->host_posted(address, bytes, cycle());
  if (done && observer != nullptr && !posted) observer->host_wrote(address, bytes, cycle());
  impl_->engine->touch(node);
  impl_->livelock.restart(cycle());
  return done;
}

bool Device::read(Coord tile, u64 address, std::span<u8> bytes) {
  return read(board().node_at_translated(tile), address, bytes);
}

bool Device::read(NodeId node, u64 address, std::span<u8> bytes) {
  if (node >= impl_->nodes.size()) return false;
  if (node == impl_->arc->id() && impl_->arc->wants_ethernet(cycle())) impl_->look_at_ethernet();
  noc::Node& target = impl_->node(node);
  const bool done = target.host_read(address, bytes, cycle());
  if (impl_->trace) impl_->trace_host(node, address, bytes, false, done);
  trace::Observer* const observer = target.observer();
  if (done && observer != nullptr) observer->host_read(address, bytes, cycle());
  return done;
}

noc::PlainMemory Device::plain_memory(NodeId node) {
  return impl_->node(node).plain_memory();
}

sched::Engine* Device::engine_without_onlookers() {
  impl_->touched = true;
  return impl_->is_watched() ? nullptr : impl_->engine.get();
}

/// For the ARC's telemetry, before a host sees it.
void Device::Impl::look_at_ethernet() {
  std::array<u32, 14> heartbeats{};
  u16 links = 0;
  for (const TileSite* site : sites) {
    if (site->kind != noc::NodeKind::Ethernet) continue;
    tile::Tile* const tile = this->tile(site->node);
    const unsigned instance = tile->port()->instance();
    u32& beat = heartbeats[instance];
    tile->host_read(eth::kHeartbeat, {reinterpret_cast<u8*>(&beat), sizeof beat}, engine->now());
    links |= static_cast<u16>(u32{tile->port()->is_up()} << instance);
  }
  arc->look_at_ethernet(heartbeats, links, engine->now());
}

bool Device::write32(Coord tile, u64 address, u32 value) {
  return write(tile, address, {reinterpret_cast<const u8*>(&value), sizeof value});
}

bool Device::read32(Coord tile, u64 address, u32& value) {
  return read(tile, address, {reinterpret_cast<u8*>(&value), sizeof value});
}

bool Device::multicast(Coord first, Coord last, u64 address, std::span<const u8> bytes) {
  bool any = false;
  for (const Coord coord : impl_->board.tensix()) {
    if (coord.x < first.x || coord.x > last.x || coord.y < first.y || coord.y > last.y) continue;
    if (!write(coord, address, bytes)) return false;
    any = true;
  }
  return any;
}

bool Device::write_dram(unsigned bank, u64 offset, std::span<const u8> bytes) {
  if (bank >= impl_->board.dram_banks()) return false;
  return write(impl_->board.dram_node(bank), offset, bytes);
}

bool Device::read_dram(unsigned bank, u64 offset, std::span<u8> bytes) {
  if (bank >= impl_->board.dram_banks()) return false;
  return read(impl_->board.dram_node(bank), offset, bytes);
}

void Device::set_host_memory(pcie::HostMemory* memory) {
  impl_->pcie->set_host_memory(memory);
}

pcie::Endpoint& Device::pcie() {
  impl_->touched = true;
  return *impl_->pcie;
}

u64 Device::dram_bank_bytes() const {
  return dram::kBankBytes;
}

bool Device::has_host_memory() const {
  return impl_->pcie->host_memory() != nullptr;
}

void Device::set_host_memory(std::span<u8> memory, u64 base) {
  impl_->host_span = pcie::SpanMemory(memory, base & ~pcie::kHostWindow);
  impl_->pcie->set_host_memory(memory.empty() ? nullptr : &impl_->host_span);
}

RunResult Device::run_engine(Cycle end, const std::function<bool()>& asked, bool alone) {
  RunResult result;
  impl_->make_self_starting(alone);
  switch (impl_->engine->run(end, asked)) {
    case sched::Stop::Asked:
      result.status = impl_->spinning ? RunStatus::Spinning : RunStatus::Done;
      break;
    case sched::Stop::Limit:
      result.status = RunStatus::Cycles;
      break;
    case sched::Stop::Idle:
      result.status = RunStatus::Idle;
      break;
    case sched::Stop::Faulted:
      result.status = RunStatus::Faulted;
      break;
  }
  impl_->trace_edge();
  result.cycle = cycle();
  return result;
}

RunResult Device::run(Cycle limit, const std::function<bool()>& done) {
  const Cycle now = cycle();
  const Cycle end = limit > kNever - now ? kNever : now + limit;
  const auto asked = [&] {
    if (impl_->attendant != nullptr) impl_->attendant->at_edge();
    if (done && done()) return true;
    return impl_->spinning = impl_->livelock.holds(cycle());
  };
  RunResult result;
  do {
    impl_->spinning = false;
    result = run_engine(end, asked, false);
  } while (impl_->attendant != nullptr && impl_->attendant->at_end(result));
  return result;
}

RunResult Device::advance(Cycle cycles) {
  const Cycle end = cycle() + cycles;
  std::function<bool()> edge;
  if (impl_->attendant != nullptr)
    edge = [this] {
      impl_->attendant->at_edge();
      return false;
    };
  RunResult result;
  do {
    result = run_engine(end, edge, true);
  } while (impl_->attendant != nullptr && impl_->attendant->at_end(result));
  if (result.status == RunStatus::Idle) {
    impl_->engine->skip_to(end);
    impl_->trace_edge();
    result.cycle = cycle();
  }
  return result;
}

void Device::set_delays(std::shared_ptr<const DelayPlan> plan, std::span<const NodeId> nodes) {
  CHECK(plan == nullptr || impl_->options.timing == TimingModel::Chaos);
  if (plan == nullptr && impl_->delays == nullptr && nodes.empty()) return;
  impl_->end_lateness();
  impl_->touched = true;
  impl_->delays = nodes.empty() ? plan : nullptr;
  for (const auto& node : impl_->nodes)
    if (node != nullptr) node->set_delays(impl_->delays);
  for (const NodeId node : nodes) impl_->node(node).set_delays(plan);
}

std::shared_ptr<const DelayPlan> Device::delay_plan() const {
  return impl_->delays;
}

std::vector<Delay> Device::delays() const {
  std::vector<Delay> all;
  for (const auto& node : impl_->nodes) {
    const Delays* const delays = node == nullptr ? nullptr : node->delays();
    if (delays != nullptr) all.insert(all.end(), delays->notes().begin(), delays->notes().end());
  }
  std::sort(all.begin(), all.end(),
            [](const Delay& a, const Delay& b) { return a.key() < b.key(); });
  return all;
}

void Device::attend(Attendant* attendant) {
  CHECK(attendant == nullptr || impl_->options.threads <= 1);
  impl_->attendant = attendant;
}

void Device::rouse_parked(NodeId node) {
  tile::Tile* tile = tile_of(node);
  if (tile == nullptr) return;
  tile->rouse_parked(cycle());
  impl_->engine->touch(node);
}

std::vector<Fault> Device::faults() const {
  std::vector<Fault> all;
  for (const auto& node : impl_->nodes)
    if (node != nullptr)
      all.insert(all.end(), node->faults().faults().begin(), node->faults().faults().end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Fault& a, const Fault& b) { return a.cycle < b.cycle; });
  return all;
}

void Device::clear_faults() {
  for (const auto& node : impl_->nodes) {
    if (node == nullptr || node->faults().faults().empty()) continue;
    impl_->touched = true;
    node->faults().clear();
  }
  impl_->trace_forget_faults();
}

void Device::set_rule(Rule rule, Severity severity) {
  impl_->end_lateness();
  impl_->options.faults.severity[static_cast<unsigned>(rule)] = severity;
}

std::vector<Waiter> Device::waiters() {
  std::vector<Waiter> all;
  impl_->make_self_starting(false);
  if (impl_->image != nullptr) impl_->make_all_nodes();
  for (tile::Tile* tile : impl_->tiles) {
    if (tile == nullptr || !tile->in_use()) continue;
    tile->settle(cycle());
    for (unsigned core = 0; core < tile->shape().cores; ++core) {
      if (tile->is_waiting_for_work(core)) continue;
      const CoreId id = tile->shape().core[core];
      const tile::CoreStatus status = tile->status(id);
      Waiter waiter{tile->id(), agent_of(id), tile->core(id).pc, {}};
      if (impl_->spinning && tile->activity().reads[core] != 0 &&
          (status == tile::CoreStatus::Running ||
           (status == tile::CoreStatus::Parked && awaits_answer(tile->waiting(id), cycle())))) {
        Wait wait;
        wait.kind = Awaited::Remote;
        wait.until = Until::Changes;
        wait.node = tile->activity().read_target;
        wait.address = tile->activity().read_address;
        waiter.waits.waiting = true;
        waiter.waits.all.push_back(wait);
      } else if (status == tile::CoreStatus::Blocked || status == tile::CoreStatus::Parked ||
                 status == tile::CoreStatus::Halted) {
        waiter.waits = tile->waiting(id);
      } else {
        continue;
      }
      all.push_back(std::move(waiter));
    }
    for (unsigned thread = 0; tile->shape().is_tensix() && thread < kThreads; ++thread) {
      Waits waits = tile->coprocessor().waiting(thread);
      if (!waits.waiting) continue;
      const u32 word = waits.word;
      all.push_back({tile->id(), agent_of_thread(thread), word, std::move(waits)});
    }
  }
  return all;
}

std::string Device::name_of(NodeId node) const {
  return impl_->routing.name(node);
}

Totals Device::totals() const {
  Totals totals;
  totals.cycles = cycle();
  totals.noc_packets = impl_->engine->packets();
  impl_->make_self_starting(false);
  if (impl_->image != nullptr) impl_->make_all_nodes();
  // Tiles that are in reset by now count, too: totals never fall.
  for (tile::Tile* tile : impl_->tiles) {
    if (tile == nullptr) continue;
    tile->settle(cycle());
    totals.riscv_instructions += tile->instructions();
    totals.riscv_skipped += tile->skipped_instructions();
    totals.tensix_instructions += tile->tensix_instructions();
    totals.noc_bytes += tile->bytes_sent();
  }
  return totals;
}

u64 Device::hash() const {
  u64 hash = cycle();
  impl_->make_all_nodes();
  for (const auto& node : impl_->nodes) {
    if (tile::Tile* tile = impl_->tiles[node->id()]) tile->settle(cycle());
    hash = node->hash(hash * 31 + node->id());
  }
  return hash;
}

tile::Tile& Device::tile(Coord translated) {
  const NodeId id = impl_->board.node_at_translated(translated);
  CHECK(id != kNoNode && impl_->tile(id) != nullptr);
  return *impl_->tiles[id];
}

tile::Tile* Device::tile_of(NodeId node) {
  return node < impl_->tiles.size() ? impl_->tile(node) : nullptr;
}

noc::Node& Device::node(NodeId id) {
  CHECK(id < impl_->nodes.size());
  return impl_->node(id);
}

Coord Device::coord_of(NodeId node) const {
  return node < impl_->coords.size() ? impl_->coords[node] : Coord{0xFF, 0xFF};
}

}  // namespace bhemu
