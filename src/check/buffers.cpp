// Circular buffers and who works on them: data that runs over a buffer's end, and tiles of another
// format than the buffer's.
//
// Packers, unpackers and cores work in many small steps. What counts is a run: accesses of one
// agent, each beginning where the one before it ended. A run that begins in a buffer and leaves it
// at its end was made for larger pages, or for more of them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bits.hpp"
#include "check/tile_checker.hpp"
#include "noc/command.hpp"
#include "numeric/format_codes.hpp"
#include "tensix/config.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"

namespace bhemu::check {
namespace {

using namespace tensix;

constexpr u32 kStreams = 0xFFB40000;
constexpr u32 kSectionWords =
    cfg::THCON_SEC1_REG0_TileDescriptor::kWord - cfg::THCON_SEC0_REG0_TileDescriptor::kWord;

/// TF32 is 32 bits in L1, of which the unpacker takes 19.
u8 in_memory(u32 code) {
  const auto format = numeric::format_of(code);
  return static_cast<u8>(format == numeric::Format::Tf32 ? numeric::Format::Fp32 : format);
}

const char* name_of(u8 code) {
  return numeric::name_of(numeric::format_of(code));
}

/// Of 32 x 32 datums in the buffer's format; 0: not known.
u32 tile_bytes(const Buffer& buffer) {
  constexpr u32 kDatums = 1024;
  if (!buffer.format) return 0;
  switch (numeric::format_of(*buffer.format)) {
    case numeric::Format::Fp32:
    case numeric::Format::Int32:
      return 4 * kDatums;
    case numeric::Format::Bf16:
    case numeric::Format::Fp16:
      return 2 * kDatums;
    default: {
      // Blocks of 16 share an exponent, which is a byte.
      const u32 bits = numeric::bits_of(numeric::format_of(*buffer.format));
      const u32 exponents = numeric::is_bfp(numeric::format_of(*buffer.format)) ? kDatums / 16 : 0;
      return kDatums * bits / 8 + exponents;
    }
  }
}

/// The core that acts, or for which a thread does.
unsigned core_behind(Agent agent) {
  const bool thread = agent >= Agent::Thread0 && agent <= Agent::Thread2;
  return thread ? index_of(CoreId::Trisc0) + static_cast<unsigned>(agent) -
                      static_cast<unsigned>(Agent::Thread0)
                : index_of(core_of(agent));
}

}  // namespace

const Buffer* TileChecker::buffer_at(u64 address) const {
  const auto found = std::find_if(
      layout_->buffers.begin(), layout_->buffers.end(),
      [&](const Buffer& buffer) { return buffer.range.has(static_cast<u32>(address)); });
  return found == layout_->buffers.end() ? nullptr : &*found;
}

void TileChecker::note_push(u32 address, const Author& author, std::string from) {
  const u32 offset = address - kStreams;
  const u32 reg = offset % noc::kStreamStride;
  if (offset / noc::kStreamStride >= noc::kStreams ||
      (reg != tile::Ledger::kReceived && reg != tile::Ledger::kAcked))
    return;
  if (is_core(author.agent) && !in_kernel(author.pc)) return;  // firmware begins anew
  users_[offset / noc::kStreamStride] |= static_cast<u8>(1u << core_behind(author.agent));
  if (reg == tile::Ledger::kReceived)
    producers_[offset / noc::kStreamStride] = {author, std::move(from)};
}

bool TileChecker::is_filled(const Buffer& buffer, u64 address) const {
  if (buffer.page_size == 0 || buffer.pages == 0) return false;
  const auto count = [&](u32 reg) {
    u8 value[4] = {};
    // Not as the host reads: that would end the turn of whoever is at work.
    tile_.look(CoreId::Brisc, kStreams + buffer.index * noc::kStreamStride + reg, value);
    return static_cast<u32>(value[0] | value[1] << 8);
  };
  const u32 taken = count(tile::Ledger::kAcked);
  const u32 filled = (count(tile::Ledger::kReceived) - taken) & 0xFFFF;
  const u32 slot = (static_cast<u32>(address) - buffer.range.begin) / buffer.page_size;
  const u32 ahead = (slot + buffer.pages - taken % buffer.pages) % buffer.pages;
  return ahead < filled;
}

void TileChecker::check_landing_place(const trace::Request& one) {
  if (!has(CheckGroup::Reads) || one.length == 0 || noc::is_register(one.local) ||
      !is_core(one.author.agent) || !in_kernel(one.author.pc))
    return;
  const Buffer* buffer = buffer_at(one.local);
  if (buffer == nullptr || !is_filled(*buffer, one.local)) return;
  raise(Rule::CbOverrun, one.author,
        fmt::format("it reads over the NoC to L1[{:#x}, +{}], a page of CB {} ({} page{} of {} "
                    "bytes) that is filled and that nobody has taken yet",
                    one.local, one.length, buffer->index, buffer->pages,
                    buffer->pages == 1 ? "" : "s", buffer->page_size));
}

bool TileChecker::blame_producer(u64 address, u64 bytes, const Author& reader) {
  const Buffer* buffer = buffer_at(address);
  if (buffer == nullptr || buffer->page_size == 0 || buffer->pages == 0) return false;
  const Producer& producer = producers_[buffer->index];
  if (producer.author.cycle == 0) return false;
  if (!is_filled(*buffer, address)) return false;
  const u32 slot = (static_cast<u32>(address) - buffer->range.begin) / buffer->page_size;
  const u64 page = buffer->range.begin + slot * u64{buffer->page_size};
  u64 missing = page;
  while (missing < address && l1_.any(missing, 1)) ++missing;
  const u32 first = static_cast<u32>(missing - page);
  const std::string reads =
      issue_ != nullptr && !pushed_from(*issue_).empty()
          ? fmt::format("{} at {}", bhemu::name_of(reader.agent), pushed_from(*issue_))
          : fmt::format("{} at {} pc {:#x}", bhemu::name_of(reader.agent),
                        bhemu::name_of(reader.agent), reader.pc);
  const trace::Issue* issue = std::exchange(issue_, nullptr);
  raise(Rule::UninitialisedL1, producer.author,
        fmt::format("it has pushed a page of circular buffer {} of which nobody has written {} in "
                    "this launch; there {} reads L1[{:#x}, +{}]{}",
                    buffer->index,
                    first == 0 ? std::string("anything")
                               : fmt::format("more than the first {} of {} bytes", first,
                                             buffer->page_size),
                    reads, address, bytes,
                    producer.from.empty() ? "" : fmt::format(" (pushed at {})", producer.from)));
  issue_ = issue;
  return true;
}

void TileChecker::raise_beyond(const Buffer& buffer, u64 begin, u64 end, const Author& author,
                               const std::string& what) {
  const std::string small =
      tile_bytes(buffer) <= buffer.page_size
          ? ""
          : fmt::format(": its pages have {} bytes, and a tile of {} has {}", buffer.page_size,
                        name_of(*buffer.format), tile_bytes(buffer));
  raise(Rule::CbOverrun, author,
        fmt::format("{} L1[{:#x}, +{}], which begins in CB {} ({} page{} of {} bytes) and ends {} "
                    "bytes beyond its end, in {}{}",
                    what, begin, end - begin, buffer.index, buffer.pages,
                    buffer.pages == 1 ? "" : "s", buffer.page_size, end - buffer.range.end,
                    place(buffer.range.end), small));
}

/// Of somebody's data, which came or went at once.
void TileChecker::check_extent(u64 address, u64 bytes, const Author& author,
                               const std::string& what) {
  const Buffer* first = nullptr;
  for (const Buffer& buffer : layout_->buffers) {
    if (!buffer.range.has(static_cast<u32>(address))) continue;
    if (address + bytes <= buffer.range.end) return;
    if (first == nullptr) first = &buffer;
  }
  if (first != nullptr) raise_beyond(*first, address, address + bytes, author, what);
}

/// `key`: what begins a run anew, wherever it begins.
void TileChecker::extend(Run& run, u64 address, u64 bytes, u64 key, const Author& author,
                         const char* what) {
  if (address != run.end || key != run.key) {
    run = {address, address, key, buffer_at(address), false};
    if (run.buffer != nullptr && is_core(author.agent)) note_stranger(*run.buffer, address, author);
  }
  run.end = address + bytes;
  if (run.buffer == nullptr || run.told) return;
  if (run.end <= run.buffer->range.end) {
    // A tile that goes on into the next page: the pages were made for less than a tile.
    const u32 page = run.buffer->page_size;
    const bool begins = page != 0 && (run.begin - run.buffer->range.begin) % page == 0;
    if (is_core(author.agent) || !begins || run.end - run.begin <= page ||
        page >= tile_bytes(*run.buffer))
      return;
    run.told = true;
    raise(Rule::CbOverrun, author,
          fmt::format("{} {} bytes that begin in a page of CB {} and go on into the next one: its "
                      "pages have {} bytes, and a tile of {} has {}",
                      what, run.end - run.begin, run.buffer->index, page,
                      name_of(*run.buffer->format), tile_bytes(*run.buffer)));
    return;
  }
  run.told = true;
  raise_beyond(*run.buffer, run.begin, run.end, author, what);
}

/// Who writes into a buffer fills its pages, or changes them before it gives them back. Which of
/// these a core does may show itself only later.
void TileChecker::note_stranger(const Buffer& buffer, u64 address, const Author& author) {
  std::vector<Stranger>& known = strangers_[index_of(core_of(author.agent))];
  const auto same = [&](const Stranger& other) { return other.buffer == buffer.index; };
  if (std::none_of(known.begin(), known.end(), same))
    known.push_back({buffer.index, address, author});
}

void TileChecker::end_kernel(unsigned core) {
  for (const Stranger& one : std::exchange(strangers_[core], {})) {
    u32 users = 0;  // of all buffers that lie there
    for (const Buffer& buffer : layout_->buffers)
      if (buffer.range.has(static_cast<u32>(one.address))) users |= users_[buffer.index];
    if (users == 0 || bit(users, core)) continue;
    std::string names;
    for (unsigned other = 0; other < kCores; ++other)
      if (bit(users, other))
        names += fmt::format("{}{}", names.empty() ? "" : " and ",
                             bhemu::name_of(static_cast<CoreId>(other)));
    raise(Rule::CbOverrun, one.author,
          fmt::format("it writes L1[{:#x}] in CB {}, whose pages {} push and take, and it does "
                      "neither",
                      one.address, one.buffer, names));
  }
}

/// Data of packer and unpackers, and the format they take it for.
void TileChecker::check_tile_data(const trace::Issue& one) {
  const Author& author = one.operation.author;
  const u32 opcode = author.pc >> 24;
  const bool packs = opcode == op::PACR::kOpcode;
  if (!packs && opcode != op::UNPACR::kOpcode) return;
  const ConfigWords& config = one.state->config(one.thread);
  const unsigned unpacker = packs ? 0 : op::UNPACR{author.pc}.unpack_block_selection();
  const u32 section = unpacker * kSectionWords;
  Run& run = packs ? packed_ : unpacked_[unpacker];
  const u32 base = cfg::THCON_SEC0_REG3_Base_address::kWord + section;
  const u64 key = packs ? 0 : u64{config[base]} << 32 | config[base + 1];
  const Access access = packs ? Access::Write : Access::Read;
  const Buffer* buffer = nullptr;
  for (const Touch& touch : *one.touches) {
    if (touch.space != Space::L1 || touch.access != access) continue;
    const u32 from = touch.begin;
    const bool messages = from < layout_->mailboxes.end || layout_->firmware.has(from);
    if (!packs && has(CheckGroup::Guards) && messages && launched())
      raise(Rule::GuardFirmware, author,
            fmt::format("it unpacks L1[{:#x}, +{}], where firmware and its messages lie: the base "
                        "address of the configuration context was never set, or is not in units of "
                        "16 bytes",
                        touch.begin, touch.size));
    if (buffer == nullptr) buffer = buffer_at(touch.begin);
    extend(run, touch.begin, touch.size, key, author, packs ? "it packs into" : "it unpacks");
  }
  if (packs && op::PACR{author.pc}.last() != 0) run = {};
  if (buffer == nullptr || !buffer->format) return;
  u8 taken = 0;
  if (packs) {
    taken = in_memory(cfg::THCON_SEC0_REG1_Out_data_format::get(config));
  } else {
    // With formats by context, which one counts is not looked up.
    if (cfg::THCON_SEC0_REG2_Ovrd_data_format::get(config, section) != 0) return;
    taken = in_memory(config[cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section] & 0xF);
  }
  if (taken == *buffer->format) return;
  raise(packs ? Rule::PackFormatMismatch : Rule::UnpackFormatPair, author,
        fmt::format("it {} CB {} as {}, and the buffer's format is {}",
                    packs ? "packs into" : "unpacks from", buffer->index, name_of(taken),
                    name_of(*buffer->format)));
}

}  // namespace bhemu::check
