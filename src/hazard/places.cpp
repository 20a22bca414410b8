#include "hazard/places.hpp"

#include <array>

#include "noc/registers.hpp"
#include "tensix/config.hpp"
#include "tile/regions.hpp"

namespace bhemu::hazard {
namespace {

using race::Location;
using race::Place;
using tile::Region;

using tensix::kGlobalConfigBase;
constexpr u32 kStreamStride = 0x1000;

/// Which rows of config.def belong to a word.
struct FieldsOfWord {
  u16 first = 0;
  u16 count = 0;
};
std::array<FieldsOfWord, tensix::kConfigWords> find_fields() {
  std::array<FieldsOfWord, tensix::kConfigWords> found{};
  for (u16 i = 0; i < std::size(tensix::kConfigFields); ++i) {
    FieldsOfWord& fields = found[tensix::kConfigFields[i].word];
    if (fields.count == 0) fields.first = i;
    fields.count = static_cast<u16>(i - fields.first + 1);
  }
  return found;
}
const FieldsOfWord& fields_of(u32 word) {
  static const std::array<FieldsOfWord, tensix::kConfigWords> kFields = find_fields();
  return kFields[word];
}

u32 mask_of(const tensix::ConfigFieldInfo& field) {
  const u32 ones = field.width >= 32 ? ~0u : (1u << field.width) - 1;
  return ones << field.low;
}

/// The field covers more than one byte of its word.
bool is_wide(const tensix::ConfigFieldInfo& field) {
  return field.low / 8 != (field.low + field.width - 1) / 8;
}

u32 offset_in(Region region, u32 address) {
  return address - (tile::tensix_regions())[region].first;
}

/// A register that is only told apart from the others.
Location apart(u32 address) {
  return {Place::Counter, 1, 0x100000000u + address};
}

Location initiator_register(unsigned niu, u32 offset) {
  const u32 buffer = offset / noc::kBufferStride;
  return {Place::Initiator, 1, (niu * 4u + buffer) * 32 + offset % noc::kBufferStride / 4};
}

CorePlace place_in_niu(unsigned niu, u32 offset) {
  constexpr u32 kCounters = noc::niu::NIU_MST_ATOMIC_RESP_RECEIVED;
  constexpr u32 kCountersEnd = noc::niu::NIU_SLV_ATOMIC_RESP_SENT;
  const u32 in_buffer = offset % noc::kBufferStride;
  if (offset < noc::kCommandBuffers * noc::kBufferStride && in_buffer <= noc::niu::NOC_CMD_CTRL)
    return {race::Region::Niu, initiator_register(niu, offset), true};
  if (offset >= kCounters && offset < kCountersEnd)
    return {race::Region::Niu, {Place::Counter, 1, niu * 64u + (offset - kCounters) / 4}, false};
  return {race::Region::Niu, apart(niu * 0x10000 + offset), false};
}

}  // namespace

std::vector<Location> config_fields(u32 word, u32 mask) {
  std::vector<Location> runs;
  add_config_fields(word, mask, runs);
  return runs;
}

void add_config_fields(u32 word, u32 mask, std::vector<Location>& runs) {
  const std::size_t before = runs.size();
  const u32 in_bank = word % tensix::kConfigWords;
  // A global word is the same in both banks.
  const u64 bank =
      in_bank < kGlobalConfigBase ? word / tensix::kConfigWords * u64{race::kConfigBank} : 0;
  const auto add = [&](u64 at) {
    if (runs.size() > before && runs.back().end() == at) {
      ++runs.back().size;
    } else {
      runs.push_back({Place::Config, 1, at});
    }
  };
  const FieldsOfWord& fields = fields_of(in_bank);
  const u32 end = u32{fields.first} + fields.count;
  bool any_wide = false;
  for (u32 i = fields.first; i < end; ++i) {
    const tensix::ConfigFieldInfo& field = tensix::kConfigFields[i];
    if (field.word != in_bank || (mask_of(field) & mask) == 0) continue;
    const bool wide = is_wide(field);
    any_wide |= wide;
    if (!wide || (mask_of(field) & mask & 0xFF) != 0) add(bank + i);
  }
  for (u32 byte = 1; any_wide && byte < 4; ++byte) {
    for (u32 i = fields.first; i < end; ++i) {
      const tensix::ConfigFieldInfo& field = tensix::kConfigFields[i];
      if (field.word != in_bank || !is_wide(field)) continue;
      if ((mask_of(field) & mask & 0xFFu << 8 * byte) != 0)
        add(bank + i + u64{byte} * race::kConfigByte);
    }
  }
  if (fields.count == 0) add(bank + race::kUnnamedConfig + in_bank);
}

std::vector<Location> single_fields(const std::vector<Location>& runs) {
  std::vector<Location> fields;
  for (const Location& run : runs)
    for (u64 at = run.begin; at < run.end(); ++at) fields.push_back({Place::Config, 1, at});
  return fields;
}

u32 stream_register(u32 address) {
  const u32 offset = offset_in(Region::Overlay, address);
  return offset / kStreamStride << 10 | offset % kStreamStride / 4;
}

u32 config_place(u32 word) {
  const u32 in_bank = word % tensix::kConfigWords;
  return in_bank < kGlobalConfigBase ? word : in_bank;
}

u32 word_of_fields(const Location& run) {
  const u64 field = run.begin % race::kConfigBank;
  const u32 bank = static_cast<u32>(run.begin / race::kConfigBank & 1) * tensix::kConfigWords;
  return bank + (field < std::size(tensix::kConfigFields)
                     ? tensix::kConfigFields[field].word
                     : static_cast<u32>(field - race::kUnnamedConfig));
}

u32 mask_of_fields(const Location& run) {
  u32 mask = 0;
  for (u64 at = run.begin; at < run.end(); ++at) {
    const u64 field = at % race::kConfigBank;
    if (field >= std::size(tensix::kConfigFields)) return ~0u;
    const tensix::ConfigFieldInfo& info = tensix::kConfigFields[field];
    const u32 byte = static_cast<u32>(at / race::kConfigByte);
    mask |= is_wide(info) ? mask_of(info) & 0xFFu << 8 * byte : mask_of(info);
  }
  return mask;
}

void locations_of(const tensix::Touch& touch, std::vector<Location>& out) {
  using tensix::Space;
  switch (touch.space) {
    case Space::L1:
      out.push_back({Place::L1, touch.size, touch.begin});
      break;
    case Space::Config:
      for (u32 word = touch.begin; word < touch.end(); ++word)
        add_config_fields(word, touch.mask, out);
      break;
    case Space::Dst:
      out.push_back({Place::Dst, touch.size, touch.begin});
      break;
    case Space::SrcA:
      out.push_back({Place::SrcA, touch.size, touch.begin});
      break;
    case Space::SrcB:
      out.push_back({Place::SrcB, touch.size, touch.begin});
      break;
    case Space::LReg:
      out.push_back({Place::LReg, touch.size, touch.begin});
      break;
    case Space::Gpr:
      if (touch.mask <= 0xFFFF || (touch.mask & 0xFFFF) == 0) {
        for (u32 word = touch.begin; word < touch.end(); ++word)
          out.push_back({Place::Gpr, 1, word * 2 + (touch.mask <= 0xFFFF ? 0u : 1u)});
      } else {
        out.push_back({Place::Gpr, touch.size * 2, u64{touch.begin} * 2});
      }
      break;
    default:
      break;
  }
}

bool place_of(const trace::CoreAccess& access, unsigned core, CorePlace& place) {
  const u32 address = access.address;
  const u32 thread = core >= 2 ? core - 2 : 0;
  switch (access.region) {
    case Region::L1:
      place = {race::Region::L1, {Place::L1, access.size, address}, true};
      return true;
    case Region::OwnLdm:
    case Region::LdmB:
    case Region::LdmN:
    case Region::LdmT0:
    case Region::LdmT1:
    case Region::LdmT2:
      return false;
    case Region::Config:
      place = {race::Region::Config, {}, true};  // several runs: config_fields
      return true;
    case Region::Gpr: {
      const u32 word = offset_in(access.region, address) / 4;
      const u32 owner = core == 0 ? word / 64 : thread;
      const u32 halves = access.size == 4 ? 2 : 1;
      const u64 half = halves == 2 ? 0 : address / 2 % 2;
      place = {
          race::Region::Config, {Place::Gpr, halves, (owner * 64 + word % 64) * 2 + half}, true};
      return true;
    }
    case Region::Tdma:
      place = {race::Region::Config, apart(address), false};
      return true;
    case Region::MopConfig:
      // Behind the same queue as pushes (row 11 of edges.def).
      place = {race::Region::Push,
               {Place::MopConfig, 1, thread * 9 + offset_in(access.region, address) / 4},
               true};
      return true;
    case Region::Dst:
      place = {race::Region::Dst, {Place::Dst, 1, offset_in(access.region, address) / 32}, true};
      return true;
    case Region::Niu0:
    case Region::Niu1:
      place =
          place_in_niu(access.region == Region::Niu1 ? 1 : 0, offset_in(access.region, address));
      return true;
    case Region::Overlay: {
      // As the detector names the page counter that a store there advances.
      place = {race::Region::Overlay, race::place_of(race::Object::Pages, stream_register(address)),
               false};
      return true;
    }
    case Region::PcBuf0:
    case Region::PcBuf1:
    case Region::PcBuf2:
      place = {race::Region::PcBuf, apart(address), false};
      return true;
    case Region::Mailbox:
      place = {race::Region::Mailbox, apart(address), false};
      return true;
    default:
      place = {race::Region::Control, apart(address), false};
      return true;
  }
}

}  // namespace bhemu::hazard
