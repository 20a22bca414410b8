#include "shim/frame.hpp"

#include <asm/prctl.h>
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace bhemu::shim {
namespace {

// Components of the XSAVE area (Intel SDM volume 1, 13.1).
constexpr unsigned kSse = 1;
constexpr unsigned kAvx = 2;
constexpr unsigned kOpmask = 5;
constexpr unsigned kZmmHigh256 = 6;
constexpr unsigned kHigh16Zmm = 7;
constexpr u64 kUsable = 0b1110'0111;

constexpr u64 kXmmOffset = 160;         // in the legacy region
constexpr u64 kSoftwareOffset = 464;    // struct _fpx_sw_bytes
constexpr u64 kSizeOffset = 468;        // its extended_size
constexpr u64 kFeaturesOffset = 472;    // its xfeatures
constexpr u64 kHeaderOffset = 512;      // XSTATE_BV
constexpr u32 kExtended = 0x46505853u;  // FP_XSTATE_MAGIC1

u64 component_offset(unsigned component) {
  u32 eax = 0, ebx = 0, ecx = 0, edx = 0;
  __cpuid_count(0xD, component, eax, ebx, ecx, edx);
  return ebx;
}

}  // namespace

greg_t& Frame::greg(unsigned number) const {
  static constexpr std::array<int, kGprs> kPlace = {
      REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return context_.uc_mcontext.gregs[kPlace[number]];
}

u8* Frame::xsave_area() const {
  auto* area = reinterpret_cast<u8*>(context_.uc_mcontext.fpregs);
  if (area == nullptr) return nullptr;
  u32 magic = 0;
  std::memcpy(&magic, area + kSoftwareOffset, sizeof magic);
  return magic == kExtended ? area : nullptr;
}

std::size_t Frame::xsave_bytes() const {
  u32 bytes = 0;
  if (const u8* area = xsave_area()) std::memcpy(&bytes, area + kSizeOffset, sizeof bytes);
  return bytes;
}

u64 Frame::components() const {
  const u8* area = xsave_area();
  if (area == nullptr) return 0;
  u64 features = 0;
  std::memcpy(&features, area + kFeaturesOffset, sizeof features);
  return features & kUsable;
}

/// False: the component is in its initial state, all zero.
bool Frame::copy_component(unsigned component, u64 offset, std::size_t bytes, u8* to) const {
  const u8* area = xsave_area();
  if (area == nullptr || (components() >> component & 1) == 0) return false;
  u64 present = 0;
  std::memcpy(&present, area + kHeaderOffset, sizeof present);
  if ((present >> component & 1) == 0) return false;
  std::memcpy(to, area + offset, bytes);
  return true;
}

Vector Frame::vector(unsigned number) const {
  Vector value{};
  if (number >= 16) {
    copy_component(kHigh16Zmm, component_offset(kHigh16Zmm) + (number - 16) * 64, 64, value.data());
    return value;
  }
  copy_component(kSse, kXmmOffset + number * 16, 16, value.data());
  copy_component(kAvx, component_offset(kAvx) + number * 16, 16, value.data() + 16);
  copy_component(kZmmHigh256, component_offset(kZmmHigh256) + number * 32, 32, value.data() + 32);
  return value;
}

u64 Frame::mask(unsigned number) const {
  std::array<u8, 8> bytes{};
  copy_component(kOpmask, component_offset(kOpmask) + number * 8, 8, bytes.data());
  u64 value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

u64 segment_base(bool gs) {
  unsigned long base = 0;
  ::syscall(SYS_arch_prctl, gs ? ARCH_GET_GS : ARCH_GET_FS, &base);
  return base;
}

}  // namespace bhemu::shim
