#include "eth/base_firmware.hpp"

#include <bit>
#include <cstring>
#include <span>

#include "base/bits.hpp"

// The assembler looks for the file along the compiler's include path, that is from src/. The names
// are hidden, not local: on aarch64 the address of a local one would be taken from a table of
// addresses in which the linker has only the beginning of the section.
__asm__(
    ".pushsection .rodata\n"
    ".globl bhemu_ethernet_firmware, bhemu_ethernet_firmware_end\n"
    ".hidden bhemu_ethernet_firmware, bhemu_ethernet_firmware_end\n"
    ".balign 16\n"
    "bhemu_ethernet_firmware: .incbin \"../firmware/ethernet/prebuilt/base.bin\"\n"
    "bhemu_ethernet_firmware_end: .byte 0\n"
    ".popsection\n");

namespace bhemu::eth {

extern "C" {
[[gnu::visibility("hidden")]] extern const u8 bhemu_ethernet_firmware[];
[[gnu::visibility("hidden")]] extern const u8 bhemu_ethernet_firmware_end[];
}

namespace {

// firmware/ethernet/base.S
constexpr u32 kWaitFirst = 0x180;
constexpr u32 kWaitEnd = 0x184;
constexpr u32 kVersion = 0x188;

std::span<const u8> image() {
  return {bhemu_ethernet_firmware, bhemu_ethernet_firmware_end};
}

u32 image_word(u32 offset) {
  u32 word;
  std::memcpy(&word, image().data() + offset, 4);
  return word;
}

// The values of tt-metal's eth_fw_api.h, and the post codes of tt-umd.
constexpr u32 kPostFail = 0xC0DEB000;
constexpr u32 kPostPass = 0xC0DEA000;
constexpr u32 kPostSkip = 0xC0DE0000;
constexpr u32 kPortDown = 2;
constexpr u32 kPortUnused = 3;
constexpr u32 kTrainSkip = 1;
constexpr u32 kTrainNoAutoNegotiation = 6;
constexpr u32 kSpeed = 400;
constexpr u32 kMacOrganisation = 0x208C47;

/// SerDes and its lanes, by instance (ethdump's sample output of a P150).
struct SerdesInfo {
  u8 number;
  u8 lanes;
};
constexpr SerdesInfo kSerdes[14] = {{0, 0},    {0, 0},    {0, 0},    {0, 0},   {2, 0x0F},
                                    {2, 0},    {2, 0xF0}, {5, 0xF0}, {5, 0},   {5, 0x0F},
                                    {4, 0xF0}, {4, 0x0F}, {3, 0xF0}, {3, 0x0F}};

u32 mac_device(const BootFacts& facts) {
  return static_cast<u32>(facts.asic_id & 0xFFFF) * 12;
}

/// Board identification; the serial number's upper bits tell boards apart (tt-umd).
u32 pcb_type(const BootFacts& facts) {
  return static_cast<u32>(facts.board_id >> 36) & 0xFF;
}

class Writer {
 public:
  Writer(L1& l1, u32 base, Cycle now) : l1_(l1), base_(base), now_(now) {}
  void operator()(u32 offset, u32 value) {
    l1_.write32(base_ + offset, value, {Agent::Host, 0, now_});
  }

 private:
  L1& l1_;
  u32 base_;
  Cycle now_;
};

void write_parameters(L1& l1, const BootFacts& facts, Cycle now) {
  const std::array<u8, kBootResults - kBootParameters> nothing{};
  l1.write(kBootParameters, nothing.data(), sizeof nothing, {Agent::Host, 0, now});
  Writer word(l1, kBootParameters, now);
  // The two bytes above tell which of three tiles share two connections: those that are there.
  const u32 west = !bit(facts.enabled, 4) ? 0b11 : !bit(facts.enabled, 5) ? 0b10 : 0b00;
  const u32 east = !bit(facts.enabled, 7) ? 0b00 : !bit(facts.enabled, 8) ? 0b10 : 0b11;
  word(0x00, facts.ports | west << 16 | east << 24);
  word(0x80, pcb_type(facts));
  word(0x84, facts.asic_location);
  word(0x88, static_cast<u32>(facts.board_id >> 32));
  word(0x8C, static_cast<u32>(facts.board_id));
  word(0x90, kMacOrganisation);
  word(0x94, mac_device(facts));
  word(0x98, static_cast<u32>(facts.asic_id >> 32));
  word(0x9C, static_cast<u32>(facts.asic_id));
  word(0xA0, facts.enabled);
}

void write_results(L1& l1, const BootFacts& facts, Cycle now) {
  const std::array<u8, 0x400> nothing{};
  l1.write(kBootResults, nothing.data(), sizeof nothing, {Agent::Host, 0, now});
  Writer word(l1, kBootResults, now);
  const bool port = facts.has_port();
  word(0x00, port ? kPostFail : kPostSkip);
  word(0x04, port ? kPortDown : kPortUnused);
  word(0x08, port ? kTrainNoAutoNegotiation : kTrainSkip);
  word(0x70, heartbeat_at(now));
  if (port) {
    word(0x80, kPostPass);
    word(0x84, kSerdes[facts.instance].number);
    word(0x88, kSerdes[facts.instance].lanes);
    word(0x8C, kSpeed);
  }
  word(0x3BC, facts.version.word());
  // From bundle 18.12 on the logical number is the one that tt-umd's channels have.
  word(0x3C0,
       pcb_type(facts) | facts.asic_location << 8 | facts.instance << 16 | facts.channel << 24);
  word(0x3C4, static_cast<u32>(facts.board_id >> 32));
  word(0x3C8, static_cast<u32>(facts.board_id));
  word(0x3CC, kMacOrganisation);
  const u32 before = facts.ports & ((1u << facts.instance) - 1);
  word(0x3D0, mac_device(facts) + static_cast<u32>(std::popcount(before)));
  word(0x3D4, static_cast<u32>(facts.asic_id >> 32));
  word(0x3D8, static_cast<u32>(facts.asic_id));
}

}  // namespace

void load_base_firmware(L1& l1, const BootFacts& facts, Cycle now) {
  const std::span<const u8> code = image();
  l1.write(kFirmwareBase, code.data(), static_cast<u32>(code.size()), {Agent::Host, 0, now});
  Writer(l1, kFirmwareBase, now)(kVersion, facts.version.word());
  write_parameters(l1, facts, now);
  write_results(l1, facts, now);
}

bool is_waiting(u32 pc) {
  return pc >= image_word(kWaitFirst) && pc < image_word(kWaitEnd);
}

u32 heartbeat_at(Cycle now) {
  constexpr unsigned kShift = 16;  // about every 50 microseconds
  return 0xABCD0000 | (static_cast<u32>(now >> kShift) & 0xFFFF);
}

}  // namespace bhemu::eth
