// Circular buffers and who works on them: data that runs over a buffer's end, and tiles of another
// format than the buffer's.
//
// Packers, unpackers and cores work in many small steps. What counts is a run: accesses of one
// agent, each beginning where the one before it ended. A run that begins in a buffer and leaves it
// at its end was made for larger pages, or for more of them.
#include <fmt/format.h>

#include <algorithm>

#include "base/bits.hpp"
#include "check/tile_checker.hpp"
#include "numeric/format_codes.hpp"
#include "tensix/config.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"

namespace bhemu::check {
namespace {

using namespace tensix;

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

}  // namespace

const Buffer* TileChecker::buffer_at(u64 address) const {
  const auto found = std::find_if(
      layout_->buffers.begin(), layout_->buffers.end(),
      [&](const Buffer& buffer) { return buffer.range.has(static_cast<u32>(address)); });
  return found == layout_->buffers.end() ? nullptr : &*found;
}

void TileChecker::raise_beyond(const Buffer& buffer, u64 begin, u64 end, const Author& author,
                               const std::string& what) {
  raise(Rule::CbOverrun, author,
        fmt::format("{} L1[{:#x}, +{}], which begins in CB {} ({} page{} of {} bytes) and ends {} "
                    "bytes beyond its end, in {}",
                    what, begin, end - begin, buffer.index, buffer.pages,
                    buffer.pages == 1 ? "" : "s", buffer.page_size, end - buffer.range.end,
                    place(buffer.range.end)));
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
  }
  run.end = address + bytes;
  if (run.buffer == nullptr || run.told || run.end <= run.buffer->range.end) return;
  run.told = true;
  raise_beyond(*run.buffer, run.begin, run.end, author, what);
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
