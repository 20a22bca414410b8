#include "host/report/probe.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <unordered_map>

#include "base/bits.hpp"
#include "noc/niu_state.hpp"
#include "noc/registers.hpp"
#include "noc/stream.hpp"
#include "riscv/effect.hpp"
#include "riscv/execute.hpp"
#include "riscv/lines.hpp"
#include "tile/regions.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

constexpr u32 kSteps = 4096;         // looking for a loop
constexpr u32 kFutureSteps = 20000;  // looking into the future
constexpr u32 kMostWaits = 12;       // that are skipped then
constexpr u32 kWords = 64;

constexpr u32 kNiu0 = 0xFFB20000;
constexpr u32 kNiuSpan = 0x10000;
constexpr u32 kBufferSpan = 0x800;
constexpr u32 kBuffers = 4;
constexpr u32 kWallClock = 0xFFB121F0;

bool is_niu(u32 address) {
  return address >= kNiu0 && address < kNiu0 + 2 * kNiuSpan;
}

}  // namespace

bool peek_register(tile::Tile& tile, CoreId core, u32 address, u32& value) {
  constexpr u32 kSemaphores = 0xFFE80020;
  constexpr u32 kConfig = 0xFFEF0000;
  constexpr u32 kGprs = 0xFFE00000;
  constexpr u32 kStreams = 0xFFB40000;
  constexpr u32 kTdma = 0xFFB11000;
  constexpr u32 kDebug = 0xFFB12000;
  constexpr u32 kPeripherals = 0xFFB80000;
  value = 0;
  const bool tensix = tile.shape().is_tensix();
  const unsigned thread = has_thread(core) ? index_of(core) - index_of(CoreId::Trisc0) : 0;
  const u32 word = address & ~3u;
  if (tensix && word >= kSemaphores && word < kSemaphores + 0x20) {
    value = tile.coprocessor().read_semaphore((word - kSemaphores) / 4);
  } else if (tensix && word >= kConfig) {
    const Agent agent = has_thread(core) ? agent_of(core) : Agent::Brisc;
    if (!tile.coprocessor().read_config((word - kConfig) / 4, value, Author(agent, 0, 0)))
      return false;
  } else if (tensix && word >= kGprs && word < kGprs + 0x1000) {
    value = tile.coprocessor().read_gpr(thread, (word - kGprs) / 4 % 64);
  } else if (tensix && word >= kTdma && word < kDebug) {
    if (tensix::Coprocessor::tdma_read_has_effect(word - kTdma)) return false;
    tile.coprocessor().read_tdma(word - kTdma, value, {});
  } else if (word >= kDebug && word < kPeripherals) {
    if (is_niu(word) && noc::Niu::read_has_effect(word % kNiuSpan)) return false;
    if (word >= kStreams && noc::StreamFile::read_has_effect(word - kStreams)) return false;
    u8 bytes[4];
    if (!tile.host_read(word, bytes, 0)) return false;
    std::memcpy(&value, bytes, 4);
  } else {
    return false;
  }
  value >>= address % 4 * 8;
  return true;
}

/// The core's copy, and the tile as it sees it: the bus of riscv/core.hpp.
struct Probe::Copy {
  static constexpr bool kRecord = false;
  static constexpr u32 kL1Bytes = kL1Size;

  struct Step {
    u32 pc = 0;
    u32 word = 0;
    u32 a = 0, b = 0;  // operands
    u64 a_words = 0, b_words = 0;
  };

  Copy(tile::Tile& where, CoreId which, bool with_answers, u8* memory, const u8* flags)
      : tile(where),
        id(which),
        answered(with_answers),
        l1(memory),
        l1_flags(flags),
        code(lines.table()),
        ldm_size(riscv::ldm_size_of(which)) {
    const u32 bytes = std::min<u32>(kL1Size, tile.l1().size());
    std::memcpy(l1, tile.l1().data(), bytes);
    std::memset(l1 + bytes, 0, kL1Size - bytes);
    restart();
  }

  void restart() {
    for (const auto& [address, bytes] : changed)
      std::memcpy(l1 + address, tile.l1().data() + address, bytes);
    changed.clear();
    state = tile.core(id);
    carried.fill(0);
    stored.clear();
    overlay.clear();
    trace.clear();
    clock = false;
    own_memory = 0;
    for (unsigned noc = 0; answered && noc < kNocs; ++noc) expect_answers(noc);
  }

  void expect_answers(unsigned noc) {
    for (const noc::Outstanding& entry : tile.niu(noc).state().outstanding) {
      if (entry.responses == 0) continue;
      const u32 counter =
          entry.kind == noc::PacketKind::ReadRequest    ? noc::niu::NIU_MST_RD_RESP_RECEIVED
          : entry.kind == noc::PacketKind::WriteRequest ? noc::niu::NIU_MST_WR_ACK_RECEIVED
                                                        : noc::niu::NIU_MST_ATOMIC_RESP_RECEIVED;
      for (u32 i = 0; i < entry.responses; ++i) answer(kNiu0 + noc * kNiuSpan + counter);
    }
  }

  /// A response is counted.
  void answer(u32 counter) {
    u32 value = 0;
    if (const auto known = overlay.find(counter); known != overlay.end())
      value = known->second;
    else
      peek_register(tile, id, counter, value);
    overlay[counter] = value + 1;
  }

  void poke(u32 address, const void* source, u32 bytes) {
    std::memcpy(l1 + address, source, bytes);
    changed.emplace_back(address, bytes);
  }

  // --- The interpreter's side.
  riscv::Loaded load(riscv::CoreState&, u32 address, u32 size) {
    const u32 shift = address % 4 * 8;
    if (const auto found = overlay.find(address & ~3u); found != overlay.end())
      return {found->second >> shift & mask_for(size)};
    clock |= (address & ~0xFu) == kWallClock;
    u32 value = 0;
    peek_register(tile, id, address, value);
    return {value & mask_for(size)};
  }
  riscv::Outcome store(riscv::CoreState& core, u32 address, u32, u32 value) {
    if (deeds != nullptr) deeds->push_back({.pc = core.pc, .address = address, .value = value});
    constexpr u32 kBuffer0 = 0xFFE40000;
    if (address >= kBuffer0 && address < kBuffer0 + 0x30000) {
      const u32 own = has_thread(id) ? index_of(id) - index_of(CoreId::Trisc0) : 0;
      if (deeds != nullptr)
        deeds->back() = {.kind = Deed::Kind::Push,
                         .pc = core.pc,
                         .value = value,
                         .thread = has_thread(id) ? own : (address - kBuffer0) >> 16};
    } else if (is_niu(address) && address % kNiuSpan < kBuffers * kBufferSpan &&
               address % kBufferSpan == noc::niu::NOC_CMD_CTRL) {
      request(core.pc, address);
    } else if (is_niu(address)) {
      overlay[address] = value;
    } else if (address >= 0xFFB40000 && address < 0xFFB80000) {
      overlay[address] = value;
    }
    return riscv::Outcome::Ok;
  }
  riscv::Outcome store_l1(riscv::CoreState&, u32 address, const void* source, u32 bytes) {
    poke(address, source, bytes);
    return riscv::Outcome::Ok;
  }
  riscv::Outcome push_tensix(riscv::CoreState& core, u32 word) {
    if (deeds != nullptr)
      deeds->push_back({.kind = Deed::Kind::Push,
                        .pc = core.pc,
                        .value = word,
                        .thread = index_of(id) - index_of(CoreId::Trisc0)});
    return riscv::Outcome::Ok;
  }
  riscv::Loaded read_csr(riscv::CoreState&, u32) { return {0}; }
  riscv::Outcome write_csr(riscv::CoreState&, u32, u32) { return riscv::Outcome::Ok; }
  void decode(u32 pc) { lines.decode(pc, l1); }
  bool raise(riscv::CoreState&, Rule, std::string) { return true; }
  bool has_debugger() const { return false; }
  void pause() {}
  void note_load_l1(u32, u32) {}
  void note_impure() {}
  void note_clock() { clock = true; }

  static u32 mask_for(u32 bytes) { return bytes == 4 ? ~0u : (1u << bytes * 8) - 1; }

  /// The core sends a NoC request: it is answered at once, and by nothing new.
  void request(u32 pc, u32 address) {
    const u32 base = address - noc::niu::NOC_CMD_CTRL;
    const auto field = [&](u32 offset) {
      u32 value = 0;
      if (const auto found = overlay.find(base + offset); found != overlay.end())
        value = found->second;
      else
        peek_register(tile, id, base + offset, value);
      return value;
    };
    const auto wide = [&](u32 offset) { return field(offset) | u64{field(offset + 4)} << 32; };
    noc::Command command;
    command.buffer = base % kNiuSpan / kBufferSpan;
    command.target_address = wide(noc::niu::NOC_TARG_ADDR_LO);
    command.return_address = wide(noc::niu::NOC_RET_ADDR_LO);
    command.target_coordinate = field(noc::niu::NOC_TARG_ADDR_HI);
    command.return_coordinate = field(noc::niu::NOC_RET_ADDR_HI);
    command.tag = field(noc::niu::NOC_PACKET_TAG);
    command.control = field(noc::niu::NOC_CTRL);
    command.length = field(noc::niu::NOC_AT_LEN_BE);
    command.data = field(noc::niu::NOC_AT_DATA);
    const u32 niu = base - base % kNiuSpan;
    if (command.type() == noc::RequestType::Read) answer(niu + noc::niu::NIU_MST_RD_RESP_RECEIVED);
    if (command.type() == noc::RequestType::Write && command.response())
      answer(niu + noc::niu::NIU_MST_WR_ACK_RECEIVED);
    if (command.type() == noc::RequestType::Atomic && command.response())
      answer(niu + noc::niu::NIU_MST_ATOMIC_RESP_RECEIVED);
    if (deeds != nullptr)
      deeds->back() = {.kind = Deed::Kind::Request,
                       .pc = pc,
                       .noc = (niu - kNiu0) / kNiuSpan,
                       .command = command};
  }

  // --- One instruction, and what its result is made of.
  bool step() {
    if (!riscv::is_instruction_address(state.pc, kL1Bytes)) return false;
    Step now;
    now.pc = state.pc;
    std::memcpy(&now.word, l1 + state.pc, 4);
    const u32 opcode = now.word & 0x7F;
    const u32 rd = bits(now.word, 7, 5);
    const u32 first = bits(now.word, 15, 5);
    const u32 second = bits(now.word, 20, 5);
    const bool two = opcode == 0x33 || opcode == 0x63 || opcode == 0x23 || opcode == 0x2F;
    const bool one = two || opcode == 0x13 || opcode == 0x03 || opcode == 0x67;
    if (one) now.a = state.x[first], now.a_words = carried[first];
    if (two) now.b = state.x[second], now.b_words = carried[second];
    const riscv::Effect effect = riscv::effect_of(state, now.word);
    if (riscv::run(state, *this, state.cycle + 1) != riscv::Outcome::Ok) return false;
    u64 made_of = 0;
    if (effect.reach == riscv::Reach::Load || effect.reach == riscv::Reach::Atomic) {
      made_of = words_at(effect.address, effect.size, riscv::value_of(state, effect));
    } else if (opcode == 0x33 || opcode == 0x13) {
      made_of = now.a_words | now.b_words;
    }
    if (effect.reach == riscv::Reach::Store) {
      stored[effect.address & ~3u] = now.b_words;
      if (deeds != nullptr && effect.address < kL1Size)
        deeds->push_back({.pc = now.pc, .address = effect.address, .value = effect.stored});
    }
    if (effect.destination == riscv::Destination::Integer && rd != 0) carried[rd] = made_of;
    trace.push_back(now);
    return true;
  }

  u64 words_at(u32 address, u32 bytes, u32 value) {
    if (const auto found = stored.find(address & ~3u); found != stored.end()) return found->second;
    // A core's own memory is nobody else's business.
    if (address >= riscv::kLdmBase && address < riscv::kLdmBase + ldm_size) {
      own_memory = address;
      return 0;
    }
    for (size_t i = 0; i < words.size(); ++i)
      if (words[i].address == address && words[i].bytes == bytes) return u64{1} << i;
    if (words.size() == kWords) return 0;
    words.push_back({address, bytes, value & mask_for(bytes)});
    return u64{1} << (words.size() - 1);
  }

  bool at(const riscv::CoreState& other) const {
    return state.pc == other.pc &&
           std::equal(state.x.begin(), state.x.begin() + 32, other.x.begin());
  }

  /// Runs until the state is one that was there before, or `steps` are done. Compared is with a
  /// state that is renewed at growing distances, so every loop is met in the end. False: the core
  /// cannot go on.
  bool until_repeated(u32 steps, bool* repeated) {
    riscv::CoreState mark = state;
    u32 distance = 8;
    u32 since = 0;
    size_t begin = trace.size();
    *repeated = false;
    for (u32 i = 0; i < steps; ++i) {
      if (!step()) return false;
      if (at(mark)) {
        trace.erase(trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(begin));
        *repeated = true;
        return true;
      }
      if (++since == distance) {
        mark = state;
        begin = trace.size();
        since = 0;
        distance *= 2;
      }
    }
    // One that counts something as it goes round: the later half is surely inside of it.
    trace.erase(trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(trace.size() / 2));
    return true;
  }

  std::vector<u32> body() const {
    std::vector<u32> pcs;
    for (const Step& item : trace) pcs.push_back(item.pc);
    std::sort(pcs.begin(), pcs.end());
    pcs.erase(std::unique(pcs.begin(), pcs.end()), pcs.end());
    return pcs;
  }

  static u32 branch_target(u32 pc, u32 word) {
    const u32 offset = bits(word, 8, 4) << 1 | bits(word, 25, 6) << 5 | bit(word, 7) << 11 |
                       (bit(word, 31) ? 0xFFFFF000u : 0u);
    return pc + offset;
  }

  tile::Tile& tile;
  CoreId id;
  bool answered;
  std::vector<std::pair<u32, u32>> changed;  // of `l1`: address and bytes
  riscv::OwnLines lines;
  u8* l1;
  const u8* l1_flags;
  const riscv::CodeTable& code;
  u32 ldm_size;
  u32 own_memory = 0;
  bool attention = false;

  riscv::CoreState state;
  std::array<u64, 32> carried{};
  std::map<u32, u64> stored;   // words that were stored, and what they are made of
  std::map<u32, u32> overlay;  // registers whose value is another than the tile's
  std::vector<ProbedWord> words;
  std::vector<Step> trace;
  std::vector<Deed>* deeds = nullptr;
  bool clock = false;
};

namespace {

constexpr u32 kBranch = 0x63;

/// The relation in which `a` stands to `b` when a branch goes one way.
Relation compared(u32 word, bool taken) {
  const u32 kind = bits(word, 12, 3);
  const bool holds = taken != bit(kind, 0);  // odd ones are negations
  if (kind < 2) return holds ? Relation::Equal : Relation::NotEqual;
  return holds ? Relation::Less : Relation::AtLeast;
}

bool is_signed(u32 word) {
  const u32 kind = bits(word, 12, 3);
  return kind == 4 || kind == 5;
}

/// Exchanges the two sides: a < b is b > a, said as b >= a + 1; and b < a + 1 for a >= b.
void exchange(Relation& relation, u32& value, u32& wanted) {
  std::swap(value, wanted);
  if (relation == Relation::Less) {
    relation = Relation::AtLeast;
    ++wanted;
  } else if (relation == Relation::AtLeast) {
    relation = Relation::Less;
    ++wanted;
  }
}

/// A comparison of signs is one with the middle of the unsigned numbers.
void without_sign(u32 word, Relation& relation, u32& wanted) {
  if (!is_signed(word) || wanted != 0) return;
  constexpr u32 kMiddle = 1u << 31;
  if (relation == Relation::Less) {
    relation = Relation::AtLeast;
    wanted = kMiddle;
  } else if (relation == Relation::AtLeast) {
    relation = Relation::Less;
    wanted = kMiddle;
  }
}

}  // namespace

namespace {

/// Of the same branch in a round before, the step is known.
void note_count(ProbedLoop& loop, ProbedCount now) {
  for (ProbedCount& known : loop.counts) {
    if (known.pc != now.pc) continue;
    now.step = static_cast<i32>(now.value - known.value);
    now.wanted_step = static_cast<i32>(now.wanted - known.wanted);
    now.rounds = known.rounds + 1;
    now.steady = known.steady && (known.rounds == 0 ||
                                  (now.step == known.step && now.wanted_step == known.wanted_step));
    known = now;
    return;
  }
  loop.counts.push_back(now);
}

}  // namespace

// With the flags every store comes by store_l1.
ProbeMemory::ProbeMemory()
    : l1_(std::make_unique_for_overwrite<u8[]>(kL1Size)), flags_(kL1Size >> L1::kLineShift, 1) {}

Probe::Probe(tile::Tile& tile, CoreId core, bool answered, ProbeMemory& memory)
    : copy_(std::make_unique<Copy>(tile, core, answered, memory.l1_.get(), memory.flags_.data())) {}
Probe::~Probe() = default;

size_t awaited_exit(const ProbedLoop& loop) {
  const auto by_clock = [&](const ProbedExit& exit) {
    for (size_t i = 0; i < loop.words.size(); ++i)
      if ((exit.words >> i & 1) != 0 && (loop.words[i].address & ~0xFu) == kWallClock) return true;
    return false;
  };
  for (size_t i = loop.exits.size(); i-- > 0;)
    if (!by_clock(loop.exits[i])) return i;
  return loop.exits.size() - 1;
}

ProbedLoop Probe::loop() {
  Copy& copy = *copy_;
  copy.restart();
  copy.words.clear();
  ProbedLoop loop;
  bool repeated = false;
  if (!copy.until_repeated(kSteps, &repeated) || copy.trace.empty()) return loop;
  if (repeated) {
    // The first round began with values in registers of which nothing was known.
    const size_t round = copy.trace.size();
    copy.trace.clear();
    for (size_t i = 0; i < round; ++i)
      if (!copy.step()) return loop;
  }
  loop.found = true;
  loop.pcs = copy.body();
  loop.reads_clock = copy.clock;
  loop.own_memory = copy.own_memory;
  const auto inside = [&](u32 pc) {
    return std::binary_search(loop.pcs.begin(), loop.pcs.end(), pc);
  };
  for (const Copy::Step& step : copy.trace) {
    if ((step.word & 0x7F) != kBranch) continue;
    const bool stays_taken = inside(Copy::branch_target(step.pc, step.word));
    const bool stays = inside(step.pc + 4);
    if (stays_taken == stays) continue;
    const Relation by = compared(step.word, !stays_taken);
    if ((step.a_words | step.b_words) == 0) {
      note_count(loop, {step.pc, by, step.a, step.b});
      continue;
    }
    ProbedExit exit{step.pc, by, step.a, step.b, step.a_words, step.b_words};
    if (exit.words == 0) {
      std::swap(exit.words, exit.wanted_words);
      exchange(exit.leaves_when, exit.value, exit.wanted);
    }
    without_sign(step.word, exit.leaves_when, exit.wanted);
    const auto known = std::find_if(loop.exits.begin(), loop.exits.end(),
                                    [&](const ProbedExit& one) { return one.pc == exit.pc; });
    if (known == loop.exits.end())
      loop.exits.push_back(exit);
    else
      *known = exit;
  }
  loop.words = copy.words;
  std::erase_if(loop.counts, [](const ProbedCount& count) { return !count.steady; });
  for (ProbedCount& count : loop.counts) {
    if (count.step != 0 || count.wanted_step == 0) continue;
    exchange(count.leaves_when, count.value, count.wanted);
    std::swap(count.step, count.wanted_step);
  }
  return loop;
}

u32 Probe::bits_of(const ProbedLoop& loop, size_t exit, u32 address, u32 value) {
  u32 found = 0;
  for (u32 i = 0; i < 32; ++i)
    if (otherwise(loop, exit, address, value ^ 1u << i).value != loop.exits[exit].value)
      found |= 1u << i;
  return found;
}

Probe::Otherwise Probe::otherwise(const ProbedLoop& loop, size_t exit, u32 address, u32 value) {
  Copy& copy = *copy_;
  copy.restart();
  if (address < kL1Size)
    copy.poke(address, &value, 4);
  else
    copy.overlay[address & ~3u] = value;
  const ProbedExit& branch = loop.exits[exit];
  unsigned met = 0;  // at the first time the word may have been read before
  for (size_t i = 0; i < 2 * loop.pcs.size() + kSteps; ++i) {
    if (!copy.step()) break;
    const Copy::Step& step = copy.trace.back();
    if (step.pc != branch.pc) continue;
    const bool leaves = !std::binary_search(loop.pcs.begin(), loop.pcs.end(), copy.state.pc);
    if (leaves || ++met == 2) return {step.a_words != 0 ? step.a : step.b, leaves};
  }
  return {branch.value, false};
}

namespace {

/// Rounds of a loop do little that is new: of what is done at one place, the first few from
/// `begin` on stay.
void drop_rounds(std::vector<Deed>& deeds, size_t begin) {
  constexpr unsigned kRounds = 64;
  std::unordered_map<u32, unsigned> rounds;
  const auto first = deeds.begin() + static_cast<std::ptrdiff_t>(begin);
  deeds.erase(std::remove_if(first, deeds.end(),
                             [&](const Deed& deed) { return ++rounds[deed.pc] > kRounds; }),
              deeds.end());
}

}  // namespace

std::vector<Deed> Probe::future(u32 kernel_base) {
  Copy& copy = *copy_;
  copy.restart();
  std::vector<Deed> deeds;
  copy.deeds = &deeds;
  const auto over = [&] { return kernel_base != 0 && copy.state.pc < kernel_base; };
  for (u32 wait = 0; wait < kMostWaits && !over(); ++wait) {
    copy.trace.clear();
    const size_t before = deeds.size();
    bool repeated = false;
    const bool goes_on = copy.until_repeated(wait == 0 ? kSteps : kFutureSteps, &repeated);
    drop_rounds(deeds, before);
    if (!goes_on) break;
    const std::vector<u32> pcs = copy.body();
    const auto outside = [&](u32 pc) { return !std::binary_search(pcs.begin(), pcs.end(), pc); };
    bool left = false;
    for (u32 i = 0; i < kSteps && !left; ++i) {
      u32 word = 0;
      if (copy.state.pc + 4 > kL1Size) break;
      std::memcpy(&word, copy.l1 + copy.state.pc, 4);
      const u32 pc = copy.state.pc;
      const u32 target = Copy::branch_target(pc, word);
      const bool depends =
          copy.carried[bits(word, 15, 5)] != 0 || copy.carried[bits(word, 20, 5)] != 0;
      if ((word & 0x7F) == kBranch && depends && outside(target) != outside(pc + 4)) {
        copy.state.pc = outside(target) ? target : pc + 4;
        left = true;
      } else if (!copy.step()) {
        break;
      }
    }
    if (!left) break;
  }
  copy.deeds = nullptr;
  return deeds;
}

}  // namespace bhemu::host
