#include "eth/port.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.hpp"
#include "mem/mapping.hpp"

namespace bhemu::eth {
namespace {

constexpr u32 kGo = 31;  // of the update registers

std::string name_of(const Place& place) {
  const BlockInfo& block = info_of(place.info->block);
  std::string name = block.name;
  if (block.copies > 1) name += std::to_string(place.copy);
  name += fmt::format(" {}", place.info->name);
  if (place.info->count > 1) name += fmt::format("[{}]", place.index);
  return name;
}

/// A row as a type: a function chosen by it is missed when the program is compiled.
template <Block block, u32 offset>
struct Row {};
/// Functions of rows, one each.
template <class... Functions>
struct Rows : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Rows(Functions...) -> Rows<Functions...>;

constexpr u32 key_of(Block block, u32 offset) {
  return static_cast<u32>(block) << 16 | offset;
}

}  // namespace

Port::Port(const Environment& environment, std::unique_ptr<Link> link)
    : environment_(environment), link_(std::move(link)) {
  reset();
}

void Port::reset() {
  std::ranges::copy(reset_words(), words_.begin());
  classifier_ = {};
}

bool Port::raise(Rule rule, const Author& author, std::string text) {
  return environment_.faults->raise(rule, author.agent, author.pc, author.cycle, std::move(text));
}

bool Port::read(u32 address, u32& value, const Author& author) {
  const auto place = place_of(address);
  value = 0;
  if (!place)
    return !raise(Rule::EthUnknownRegister, author, fmt::format("load from 0x{:08x}", address));
  if (place->info->kind == Kind::Unmodelled)
    return !raise(Rule::EthNotModelled, author, fmt::format("{} was read", name_of(*place)));
  if (place->info->access == Access::WO) return true;
  value = place->info->kind == Kind::Live ? live(*place) : words_[place->slot];
  return true;
}

bool Port::write(u32 address, u32 value, const Author& author) {
  const auto place = place_of(address);
  if (!place)
    return !raise(Rule::EthUnknownRegister, author, fmt::format("store to 0x{:08x}", address));
  const RegisterInfo& info = *place->info;
  if (info.access == Access::RO)
    return !raise(Rule::TileReadOnlyRegister, author,
                  fmt::format("0x{:08x} written to {}", value, name_of(*place)));
  if ((info.kind == Kind::Unmodelled || (info.kind == Kind::Refused && value != 0)) &&
      raise(Rule::EthNotModelled, author,
            fmt::format("0x{:08x} written to {}", value, name_of(*place))))
    return false;
  environment_.wakeup->touch(Resource::Ethernet);
  if (info.kind == Kind::Trigger) return trigger(*place, value, author);
  words_[place->slot] = value;
  return true;
}

bool Port::is_steady(u32 address) {
  const auto place = place_of(address);
  return place && place->info->kind != Kind::Unmodelled;
}

u32 Port::live(const Place& place) const {
  const auto rows = Rows{
      [&](Row<Block::Control, reg::Control::PCS_STATUS>) { return link_->is_up() ? 1u : 0u; },
      // A command that is not refused is taken at once.
      [](Row<Block::Txq, reg::Txq::STATUS>) { return 0u; },
  };
  const auto read = [&]<Kind kind, Block block, u32 offset>() -> u32 {
    if constexpr (kind == Kind::Live) return rows(Row<block, offset>{});
    return 0;
  };
  switch (key_of(place.info->block, place.info->offset)) {
#define BLOCK(...)
#define ETH_REG(block, name, offset, count, access, kind, reset, meaning) \
  case key_of(Block::block, offset):                                      \
    return read.template operator()<Kind::kind, Block::block, offset>();
#include "eth/registers.def"
#undef ETH_REG
#undef BLOCK
    default:
      return 0;
  }
}

bool Port::trigger(const Place& place, u32 value, const Author& author) {
  u32& stored = words_[place.slot];
  const auto update = [&](auto access) {
    stored = value;
    if (bit(value, kGo)) (this->*access)(value);
    return true;
  };
  const auto rows = Rows{
      [&](Row<Block::RiscControl, reg::RiscControl::INTERRUPT_MODE>) {
        if (value != 0 &&
            raise(Rule::EthNotModelled, author,
                  fmt::format("interrupt {} is switched on, in mode {}", place.index, value)))
          return false;
        stored = value;
        return true;
      },
      [&](Row<Block::Txq, reg::Txq::CMD>) { return command(place.copy, value, author); },
      [&](Row<Block::Rxq, reg::Rxq::CTRL>) {
        stored = value & 0b110;
        return true;
      },
      [&](Row<Block::Classifier, reg::Classifier::TCAM_FLUSH>) {
        stored = value;
        if (value == 1) classifier_.flush();
        return true;
      },
      [&](Row<Block::Classifier, reg::Classifier::TCAM_ROW_UPDATE>) {
        return update(&Port::access_tcam_row);
      },
      [&](Row<Block::Classifier, reg::Classifier::TCAM_UPDATE>) {
        return update(&Port::access_tcam);
      },
      [&](Row<Block::Classifier, reg::Classifier::FTABLE_UPDATE>) {
        return update(&Port::access_flow_table);
      },
  };
  const auto write = [&]<Kind kind, Block block, u32 offset>() -> bool {
    if constexpr (kind == Kind::Trigger) return rows(Row<block, offset>{});
    return true;
  };
  switch (key_of(place.info->block, place.info->offset)) {
#define BLOCK(...)
#define ETH_REG(block, name, offset, count, access, kind, reset, meaning) \
  case key_of(Block::block, offset):                                      \
    return write.template operator()<Kind::kind, Block::block, offset>();
#include "eth/registers.def"
#undef ETH_REG
#undef BLOCK
    default:
      return true;
  }
}

// EthernetTxRx.md, ETH_TXQ_CMD. What the command says must be right before it matters that there is
// nobody to hear it.
bool Port::command(u32 queue, u32 value, const Author& author) {
  constexpr u32 kRaw = 1;
  constexpr u32 kL1Write = 2;
  constexpr u32 kMmioWrite = 4;
  constexpr u32 kFlush = 8;
  if (value == 0) return true;
  const u32 start = word(Block::Txq, queue, reg::Txq::TRANSFER_START_ADDR);
  const u32 size = word(Block::Txq, queue, reg::Txq::TRANSFER_SIZE_BYTES);
  const u32 target = word(Block::Txq, queue, reg::Txq::DEST_ADDR);
  const bool sends_l1 = value == kRaw || value == kL1Write;
  if (value == kFlush)
    return !raise(Rule::EthNotModelled, author, fmt::format("flush of TXQ{}", queue));
  if (!sends_l1 && value != kMmioWrite)
    return !raise(Rule::EthCommand, author, fmt::format("command 0x{:x} on TXQ{}", value, queue));
  const std::string what =
      value == kMmioWrite
          ? fmt::format("MMIO write to 0x{:08x} on TXQ{}", target, queue)
          : fmt::format("{} of {} bytes from 0x{:05x} on TXQ{}",
                        value == kRaw ? "raw frame" : "L1 write", size, start, queue);
  const bool misplaced = value == kL1Write     ? ((start | size | target) & 15) != 0
                         : value == kMmioWrite ? (target & 3) != 0 || queue == 2
                                               : false;
  const bool outside =
      sends_l1 && (start > environment_.l1_bytes || size > environment_.l1_bytes - start);
  if ((misplaced || outside) && raise(Rule::EthCommand, author, what)) return false;
  if (!link_->is_up())
    return !raise(Rule::EthNoLink, author,
                  fmt::format("{} of E{}: {}", what, environment_.instance, link_->reason()));
  CHECK(false && "there are no links yet");
  return true;
}

void Port::access_tcam_row(u32 update) {
  const u32 row = bits(update, 0, 6);
  if (bit(update, 16)) {
    classifier_.enable(row, bit(update, 8));
  } else {
    word(Block::Classifier, 0, reg::Classifier::TCAM_ROW_STATUS) =
        row | u32{classifier_.enabled(row)} << 8;
  }
}

namespace {

using Part = Classifier::Part;
namespace tcam = reg::Classifier;

/// The registers of the window, by part of the pattern.
struct Window {
  u32 part, words, write, read;
};
constexpr Window kWindow[] = {
    {Part::kType, 1, tcam::TCAM_TUPLE_TYPE_WRITE, tcam::TCAM_TUPLE_TYPE_READ},
    {Part::kSourceAddress, 4, tcam::TCAM_SA_WRITE, tcam::TCAM_SA_READ},
    {Part::kDestinationAddress, 4, tcam::TCAM_DA_WRITE, tcam::TCAM_DA_READ},
    {Part::kAddressFlags, 1, tcam::TCAM_NON_IP_ADDR_FLAGS_WRITE, tcam::TCAM_NON_IP_ADDR_FLAGS_READ},
    {Part::kSourcePort, 1, tcam::TCAM_SRC_PORT_WRITE, tcam::TCAM_SRC_PORT_READ},
    {Part::kDestinationPort, 1, tcam::TCAM_DST_PORT_WRITE, tcam::TCAM_DST_PORT_READ},
    {Part::kProtocol, 1, tcam::TCAM_PROTOCOL_WRITE, tcam::TCAM_PROTOCOL_READ},
    {Part::kEthertype, 1, tcam::TCAM_ETHERTYPE_WRITE, tcam::TCAM_ETHERTYPE_READ},
    {Part::kPriority, 1, tcam::TCAM_PRIORITY_WRITE, tcam::TCAM_PRIORITY_READ},
};

/// A read fills the registers that belong to the kind of its row, no others.
bool belongs(u32 part, u32 type) {
  const bool not_ip = type == 0;
  switch (part) {
    case Part::kAddressFlags:
    case Part::kEthertype:
    case Part::kPriority:
      return not_ip;
    case Part::kSourcePort:
    case Part::kDestinationPort:
    case Part::kProtocol:
      return !not_ip;
    default:
      return true;
  }
}

}  // namespace

void Port::access_tcam(u32 update) {
  const bool writes = bit(update, 9);
  Classifier::Pattern pattern{};
  if (!writes) pattern = classifier_.pattern(bits(update, 0, 6), bit(update, 8));
  const u32 type = classifier_.pattern(bits(update, 0, 6), false)[Part::kType] & 3;
  for (const Window& window : kWindow) {
    if (!writes && !belongs(window.part, type)) continue;
    for (u32 i = 0; i < window.words; ++i) {
      if (writes)
        pattern[window.part + i] = word(Block::Classifier, 0, window.write + 4 * i);
      else
        word(Block::Classifier, 0, window.read + 4 * i) = pattern[window.part + i];
    }
  }
  if (writes) classifier_.write_pattern(update, pattern);
}

void Port::access_flow_table(u32 update) {
  Classifier::FlowRow& row = classifier_.flow(bits(update, 0, 6));
  for (u32 i = 0; i < row.size(); ++i) {
    u32& stored = word(Block::Classifier, 0, reg::Classifier::FTABLE_LABELS + 4 * i);
    if (bit(update, 8))
      row[i] = stored;
    else
      stored = row[i];
  }
}

u32 Port::start_pc(unsigned core) const {
  return word(Block::RiscControl, 0, reg::RiscControl::RESET_PC_0 + 8 * core);
}

void Port::set_start_pc(unsigned core, u32 pc, u32 end_pc) {
  word(Block::RiscControl, 0, reg::RiscControl::RESET_PC_0 + 8 * core) = pc;
  word(Block::RiscControl, 0, reg::RiscControl::END_PC_0 + 8 * core) = end_pc;
}

u64 Port::hash(u64 seed) const {
  return classifier_.hash(hash_bytes(seed, words_.data(), sizeof words_));
}

void Port::archive(Archive& archive) {
  archive.value(words_);
  archive.value(classifier_);
}

}  // namespace bhemu::eth
