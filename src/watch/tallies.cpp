#include "watch/tallies.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bits.hpp"
#include "host/boot/mailboxes.hpp"
#include "tensix/frontend/frontend.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"
#include "tile/tile.hpp"

namespace bhemu::watch {
namespace {

using tensix::Space;
namespace op = tensix::op;

/// A host says go by the signal in a go message.
bool is_go(u64 address, std::span<const u8> bytes) {
  constexpr u64 kMessages = host::kProtocol96.go_messages;
  constexpr u64 kEnd = host::kProtocol96.go_message_index;
  for (u64 at = kMessages + host::kGoSignalByte; at < kEnd; at += 4)
    if (at >= address && at - address < bytes.size() && bytes[at - address] == host::kGoGo)
      return true;
  return false;
}

/// What goes on by an address mode whose counters matter.
bool counts_rows(u32 opcode) {
  switch (opcode) {
    case op::MOVA2D::kOpcode:
    case op::MOVB2D::kOpcode:
    case op::ELWADD::kOpcode:
    case op::ELWSUB::kOpcode:
    case op::ELWMUL::kOpcode:
    case op::MVMUL::kOpcode:
      return true;
    default:
      return false;
  }
}

}  // namespace

Tallies::Tallies(Device& device, tile::Tile& tile, NodeId node)
    : Accesses(node, tile.shape().l1_bytes), device_(device), tile_(tile) {}

void Tallies::host_wrote(u64 address, std::span<const u8> bytes, Cycle now) {
  Accesses::host_wrote(address, bytes, now);
  if (is_go(address, bytes)) begin_launch();
}

void Tallies::begin_launch() {
  const tensix::State& state = tile_.coprocessor().state();
  if (launch_++ == 0) {
    first_settings_ = state.cfg;
    for (u32 i = 0; i < tensix::kSemaphores; ++i)
      first_semaphores_[i] = state.sync.semaphore[i].value;
    settings_.clear();
  }
  for (auto& [key, setting] : settings_) {
    for (u32 i = 0; i < 8; ++i)
      if (bit(setting.written, i)) setting.by_before[i] = setting.by[i];
    setting.before |= setting.written;
    setting.written = 0;
  }
  stale_.clear();
  unset_modes_.clear();
  source_ = {};
  dst_ = {};
  packing_ = {};
  packed_rows_.clear();
  cleared_rows_.clear();
  lost_.clear();
  wide_ = {};
  vectors_ = {};
  width_.reset();
  worked_rows_.clear();
  whole_rows_.clear();
  accumulator_.reset();
  pools_ = false;
  mixed_.reset();
  posts_ = {};
  pages_ = 0;
  left_.clear();
  left_banks_.clear();
  resets_ = {};
  if (launch_ == 1) return;
  for (u32 i = 0; i < tensix::kSemaphores; ++i)
    if (const u32 value = state.sync.semaphore[i].value; value != first_semaphores_[i])
      left_.push_back({i, value, posters_[i]});
  for (u32 src = 0; src < 2; ++src)
    for (const tensix::SrcOwner owner : (src == 0 ? state.fpu.src_a : state.fpu.src_b).owner)
      if (owner == tensix::SrcOwner::Matrix) left_banks_.push_back(src == 0 ? "SrcA" : "SrcB");
}

void Tallies::changed(const trace::ObjectChange& one) {
  Accesses::changed(one);
  const bool thread = one.author.agent >= Agent::Thread0 && one.author.agent <= Agent::Thread2;
  constexpr u32 kAcked = tile::Ledger::kAcked / 4;
  if (one.object == trace::Object::Stream && one.author.agent == Agent::Thread0 &&
      one.index % 1024 == kAcked) {
    pages_ += (one.after - one.before) & 0xFFFF;
    for (Source& source : source_) source.handed_by_then = source.handed;
  }
  if (one.object != trace::Object::Semaphore || !thread) return;
  if (tensix::opcode_of(one.author.pc) == op::SEMINIT::kOpcode)
    value_before_init_[one.index % tensix::kSemaphores] = one.before;
  if (one.after <= one.before) return;
  ++posts_[static_cast<unsigned>(one.author.agent) - static_cast<unsigned>(Agent::Thread0)];
  if (one.author.agent != Agent::Thread1) return;
  for (Source& source : source_) source.released_by_then = source.released;
}

u32 Tallies::setting_key(Space space, u32 word, u32 byte) {
  return (space == Space::Config ? word : 2 * tensix::kConfigWords + word) * 4 + byte;
}

void Tallies::accessed(const Access& access, const Actor& actor) {
  const Place& place = access.place;
  if (!access.writes || (place.area != Area::Config && place.area != Area::ThreadConfig)) return;
  const Space space = place.area == Area::Config ? Space::Config : Space::ThreadConfig;
  constexpr u32 kBits = 8;
  const u32 number = number_of(actor);
  for (u64 bit = place.begin; bit < place.end;) {
    const u32 byte = static_cast<u32>(bit / kBits);
    const u64 end = std::min<u64>(place.end, u64{byte + 1} * kBits);
    Setting& setting = settings_[setting_key(space, byte / 4, byte % 4)];
    setting.written |= static_cast<u8>(((1u << (end - bit)) - 1) << bit % kBits);
    for (; bit < end; ++bit) setting.by[bit % kBits] = number;
  }
}

/// Places that write settings are few, and write them often.
u32 Tallies::number_of(const Actor& setter) {
  const bool thread = setter.kind == Actor::Kind::Thread;
  const auto key =
      std::tuple(setter.author.agent, setter.author.pc, thread ? setter.pushed_from : launch_);
  const auto [found, is_new] = setter_numbers_.emplace(key, setters_.size());
  if (is_new) setters_.push_back(setter);
  return found->second;
}

void Tallies::issuing(const trace::Issue& one, Actor& actor) {
  const std::vector<trace::BankMove> moves = std::move(moves_);
  moves_.clear();
  if (launch_ == 0 || one.touches == nullptr || one.discarded) return;
  const u32 word = one.operation.author.pc;
  const u32 opcode = tensix::opcode_of(word);
  if (opcode == op::SEMPOST::kOpcode) note_posts(word, actor);
  if (opcode == op::SEMINIT::kOpcode) note_reset(word, actor);
  pools_ |= opcode == op::GMPOOL::kOpcode || opcode == op::GAPOOL::kOpcode;
  for (const tensix::Touch& touch : *one.touches) {
    switch (touch.space) {
      case Space::SrcA:
      case Space::SrcB:
        note_source(one, touch, actor);
        break;
      case Space::Dst:
        note_dst(one, touch, actor);
        break;
      case Space::Config:
      case Space::ThreadConfig:
        note_setting(one, touch, actor);
        break;
      default:
        break;
    }
  }
  if (opcode == op::PACR::kOpcode && op::PACR{word}.last() != 0) end_packing(actor);
  for (const trace::BankMove& move : moves)
    if (move.gives) hand_over(move);
}

void Tallies::note_source(const trace::Issue& one, const tensix::Touch& touch, const Actor& actor) {
  const u32 opcode = tensix::opcode_of(one.operation.author.pc);
  const bool clears = opcode == op::ZEROSRC::kOpcode || opcode == op::UNPACR_NOP::kOpcode;
  Source& source = source_[touch.space == Space::SrcB];
  for (u64 row = touch.begin; row < std::min<u64>(touch.end(), 2 * tensix::kSrcRows); ++row) {
    Bank& bank = source.bank[row / tensix::kSrcRows];
    const Rows bit = Rows{1} << row % tensix::kSrcRows;
    if (tensix::reads(touch.access)) {
      bank.taken |= bit;
      source.take = actor;
    } else if (clears) {
      bank.cleared |= bit;
    } else {
      bank.filled |= bit;
      source.fill = actor;
    }
  }
}

void Tallies::hand_over(const trace::BankMove& move) {
  Source& source = source_[move.src];
  if (!move.matrix) {
    ++source.handed;
    return;
  }
  ++source.released;
  Bank& bank = source.bank[move.bank];
  if (bank.filled != 0 && bank.taken != 0) {
    const Rows less = bank.filled & ~bank.taken;
    source.less = source.compared == 0 ? less : source.less & less;
    source.beyond |= bank.taken & ~(bank.filled | bank.cleared);
    source.filled |= bank.filled;
    ++source.compared;
  }
  bank = {};
}

void Tallies::note_dst(const trace::Issue& one, const tensix::Touch& touch, const Actor& actor) {
  const u32 opcode = tensix::opcode_of(one.operation.author.pc);
  const bool packs = opcode == op::PACR::kOpcode;
  const bool clears = opcode == op::ZEROACC::kOpcode;
  const bool adds = opcode == op::MVMUL::kOpcode || opcode == op::ELWMUL::kOpcode ||
                    opcode == op::ELWADD::kOpcode || opcode == op::ELWSUB::kOpcode;
  const bool reads = tensix::reads(touch.access);
  const bool writes = tensix::writes(touch.access);
  const bool stores = opcode == op::SFPSTORE::kOpcode;
  for (u64 at = touch.begin; at < std::min<u64>(touch.end(), tensix::kDstRows); ++at) {
    const u32 row = static_cast<u32>(at);
    Row& state = dst_[row];
    note_width(one, row, actor);
    if (writes) vectors_[row] = stores;
    if (writes && stores) storer_ = actor;
    if (packs && reads) {
      packing_.rows.insert(row);
      if (vectors_[row]) packing_.of_vectors.insert(row);
      if (state == Row::Cleared) packing_.cleared.insert(row);
      if (state == Row::Computed) state = Row::Packed;
      lost_.erase(row);
    } else if (clears && writes) {
      if (state == Row::Computed) {
        lost_.insert(row);
        clearer_ = actor;
      }
      state = Row::Cleared;
    } else if (writes) {
      if (adds && reads && state == Row::Packed && !accumulator_) accumulator_ = actor;
      state = Row::Computed;
      computer_ = actor;
    } else if (reads && state == Row::Computed) {
      // Moved elsewhere.
      state = Row::Packed;
    }
  }
}

/// What the matrix unit computes is 16 or 32 bits by the configuration, and so is what is packed.
/// What the vector unit stores says its width itself, and is left out.
void Tallies::note_width(const trace::Issue& one, u32 row, const Actor& actor) {
  const u32 word = one.operation.author.pc;
  const tensix::Unit unit = tensix::info_of_word(word).unit;
  const auto& config = one.state->config(one.thread);
  if (unit == tensix::Unit::Fpu && tensix::opcode_of(word) != op::ZEROACC::kOpcode) {
    wide_[row] = tensix::cfg::ALU_ACC_CTRL_Fp32_enabled::get(config) != 0 ||
                 tensix::cfg::ALU_ACC_CTRL_INT8_math_enabled::get(config) != 0;
    return;
  }
  if (tensix::opcode_of(word) != op::PACR::kOpcode || width_) return;
  if (dst_[row] != Row::Computed || vectors_[row]) return;
  const bool wide = tensix::cfg::PCK_DEST_RD_CTRL_Read_32b_data::get(config) != 0;
  if (wide != wide_[row]) width_ = Width{computer_, actor, wide_[row]};
}

void Tallies::end_packing(const Actor& actor) {
  packer_ = actor;
  constexpr std::size_t kFace = 8;  // rows; fewer are no part of a tile that was forgotten
  const std::size_t worked = packing_.of_vectors.size();
  if (worked >= kFace && worked + kFace <= packing_.rows.size()) {
    worked_rows_ = packing_.of_vectors;
    whole_rows_ = packing_.rows;
  }
  const bool some = !packing_.cleared.empty() && packing_.cleared.size() < packing_.rows.size();
  if (some) {
    packed_rows_ = packing_.rows;
    cleared_rows_ = packing_.cleared;
  }
  packing_ = {};
}

void Tallies::note_setting(const trace::Issue& one, const tensix::Touch& touch,
                           const Actor& actor) {
  if (!tensix::reads(touch.access)) return;
  const tensix::Unit unit = tensix::info_of_word(one.operation.author.pc).unit;
  if (unit != tensix::Unit::Unpack && unit != tensix::Unit::Pack && unit != tensix::Unit::Fpu)
    return;
  const bool shared = touch.space == Space::Config;
  const u32 of = shared ? tensix::kConfigWords : tensix::kThreadConfigWords;
  for (u64 at = touch.begin; at < touch.end(); ++at) {
    const u32 word = static_cast<u32>(at);
    const auto value = [&](const tensix::CfgState& state) -> u32 {
      return shared ? state.bank[word / of][word % of] : state.thread[word / of][word % of];
    };
    u32 before = 0;
    const Actor* setter = nullptr;
    bool known = false;
    for (u32 byte = 0; byte < 4; ++byte) {
      const auto found = settings_.find(setting_key(touch.space, word, byte));
      if (found == settings_.end()) continue;
      known = true;
      const u8 left = found->second.before & static_cast<u8>(~found->second.written);
      const u32 bits = u32{left} << 8 * byte & touch.mask;
      before |= bits;
      const u32 changed = (value(one.state->cfg) ^ value(first_settings_)) & bits;
      if (changed != 0 && setter == nullptr)
        setter = &setters_[found->second.by_before[std::countr_zero(changed >> 8 * byte)]];
    }
    if (!shared && !known && counts_rows(tensix::opcode_of(one.operation.author.pc)))
      unset_modes_.emplace(word, actor);
    const u32 changed = (value(one.state->cfg) ^ value(first_settings_)) & before;
    if (changed == 0 || setter == nullptr) continue;
    const auto same = [&](const Stale& other) {
      return other.touch.space == touch.space && other.touch.begin == word;
    };
    if (std::any_of(stale_.begin(), stale_.end(), same)) continue;
    stale_.push_back({{touch.space, tensix::Access::Read, word, 1, changed},
                      value(one.state->cfg),
                      actor,
                      *setter});
  }
}

void Tallies::note_posts(u32 word, const Actor& actor) {
  for (u32 i = 0; i < tensix::kSemaphores; ++i)
    if (bit(op::SEMPOST{word}.sem_sel(), i)) posters_[i] = actor;
}

void Tallies::note_reset(u32 word, const Actor& actor) {
  const op::SEMINIT insn{word};
  for (u32 i = 0; i < tensix::kSemaphores; ++i) {
    const u32 before = std::exchange(value_before_init_[i], 0);
    if (bit(insn.sem_sel(), i) && before > insn.init_value())
      resets_[i] = Reset{before, actor, posters_[i]};
  }
}

/// REPLAYs are met in front of the wait gate, in the order in which they are pushed; those of a MOP
/// when it is pushed.
void Tallies::pushed(const trace::Push& one) {
  Accesses::pushed(one);
  Actor actor;
  actor.kind = Actor::Kind::Core;
  actor.author = one.author;
  const u32 opcode = tensix::opcode_of(one.word);
  if (opcode == op::REPLAY::kOpcode) note_replay(one.thread, one.word, actor);
  if (opcode != op::MOP::kOpcode || op::MOP{one.word}.mop_type() == 0) return;
  for (const u32 word : tile_.coprocessor().state().frontend[one.thread].mop_config)
    if (tensix::opcode_of(word) == op::REPLAY::kOpcode) note_replay(one.thread, word, actor);
}

void Tallies::note_replay(unsigned thread, u32 word, const Actor& actor) {
  const op::REPLAY insn{word};
  const u32 length = tensix::frontend::replayed_words(insn);
  auto& slots = slots_[thread];
  if (insn.load_mode() != 0) {
    recordings_.push_back({actor, insn.start_idx(), length});
    for (u32 i = 0; i < length; ++i)
      slots[(insn.start_idx() + i) % tensix::kReplaySlots] = static_cast<i32>(recordings_.size());
    return;
  }
  for (u32 i = 1; i < length && !mixed_; ++i) {
    const i32 first = slots[insn.start_idx() % tensix::kReplaySlots];
    const i32 other = slots[(insn.start_idx() + i) % tensix::kReplaySlots];
    if (first != 0 && other != 0 && first != other)
      mixed_ = Mixture{actor, static_cast<u32>(std::min(first, other)) - 1,
                       static_cast<u32>(std::max(first, other)) - 1};
  }
}

TalliesOfDevice::TalliesOfDevice(Device& device) : device_(device) {
  id_ = device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    tallies_.resize(std::max<std::size_t>(tallies_.size(), node + 1u));
    tile::Tile* tile = device.tile_of(node);
    if (tile == nullptr || !tile->shape().is_tensix()) return nullptr;
    auto tallies = std::make_unique<Tallies>(device, *tile, node);
    tallies_[node] = tallies.get();
    return tallies;
  });
}

TalliesOfDevice::~TalliesOfDevice() {
  device_.stop_observing(id_);
}

}  // namespace bhemu::watch
