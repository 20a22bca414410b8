// The client's registers as the kernel saved them for a signal handler on x86-64.
//
// Vector and mask registers lie in the XSAVE area of the signal frame, in the standard format
// (Intel SDM volume 1, 13.4; Linux: arch/x86/include/uapi/asm/sigcontext.h).
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>

#include "base/types.hpp"

namespace bhemu::shim {

/// The numbers that instructions use.
enum Gpr : unsigned { kRax = 0, kRcx, kRdx, kRbx, kRsp, kRbp, kRsi, kRdi };
constexpr unsigned kGprs = 16;

constexpr u64 kCarryFlag = 1u << 0;
constexpr u64 kParityFlag = 1u << 2;
constexpr u64 kAdjustFlag = 1u << 4;
constexpr u64 kZeroFlag = 1u << 6;
constexpr u64 kSignFlag = 1u << 7;
constexpr u64 kDirectionFlag = 1u << 10;
constexpr u64 kOverflowFlag = 1u << 11;
constexpr u64 kStatusFlags =
    kCarryFlag | kParityFlag | kAdjustFlag | kZeroFlag | kSignFlag | kOverflowFlag;

using Vector = std::array<u8, 64>;

class Frame {
 public:
  explicit Frame(ucontext_t& context) : context_(context) {}

  u64 gpr(unsigned number) const { return static_cast<u64>(greg(number)); }
  void set_gpr(unsigned number, u64 value) { greg(number) = static_cast<greg_t>(value); }
  u64 rip() const { return static_cast<u64>(context_.uc_mcontext.gregs[REG_RIP]); }
  void set_rip(u64 value) { context_.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(value); }
  u64 flags() const { return static_cast<u64>(context_.uc_mcontext.gregs[REG_EFL]); }
  void set_flags(u64 value) { context_.uc_mcontext.gregs[REG_EFL] = static_cast<greg_t>(value); }

  /// Null: the kernel saved no XSAVE area.
  u8* xsave_area() const;
  std::size_t xsave_bytes() const;
  /// The components that xsave_area() may hold, of those that instructions here can use: x87, SSE,
  /// AVX, and the three of AVX-512.
  u64 components() const;
  /// XMM, YMM or ZMM `number`, as far as it reaches; the rest is zero.
  Vector vector(unsigned number) const;
  /// AVX-512's k0 to k7.
  u64 mask(unsigned number) const;

 private:
  greg_t& greg(unsigned number) const;
  bool copy_component(unsigned component, u64 offset, std::size_t bytes, u8* to) const;

  ucontext_t& context_;
};

/// Base of FS or GS in this thread.
u64 segment_base(bool gs);

}  // namespace bhemu::shim
