// Stores to what is somebody else's, and stacks that grow into data.
#include <fmt/format.h>

#include "check/tile_checker.hpp"

namespace bhemu::check {
namespace {

constexpr u32 kOwnLdm = 0xFFB00000;
/// BRISC starts at L1[0]; NULL and small offsets from it lead here. Above, firmware keeps words
/// that requests of kernels may write (the result of an atomic is at 4).
constexpr u32 kNullEnd = 16;

}  // namespace

void TileChecker::check_stack(const trace::Instruction& one) {
  CoreView& core = cores_[one.core];
  const u32 before = core.sp;
  core.sp = one.value;
  const u32 offset = core.sp - kOwnLdm;
  // What a function has left behind on the stack is nobody's.
  if (core.sp > before && before >= kOwnLdm && core.sp - before < 0x2000)
    ldm_[one.core].clear(before - kOwnLdm, core.sp - before);
  if (!has(CheckGroup::Guards) || !in_kernel(one.author.pc) || core.stack_told) return;
  const u32 limit = layout_->stack_limit[one.core];
  if (limit == 0 || core.sp >= before || static_cast<i32>(offset) >= static_cast<i32>(limit))
    return;
  core.stack_told = true;
  raise(Rule::GuardStack, one.author,
        fmt::format(
            "its stack grows by {} bytes down to {:#x}, but its variables end at {:#x}: it is "
            "{} bytes too large",
            before - core.sp, core.sp, kOwnLdm + limit, limit - offset));
}

/// A call through a pointer that nobody has set goes to where BRISC's firmware begins.
void TileChecker::check_jump(const Author& author, u32 target) {
  if (target >= kNullEnd || !in_kernel(author.pc)) return;
  raise(
      Rule::GuardNull, author,
      fmt::format("it jumps to L1[{:#x}], where a pointer to a function leads that nobody has set; "
                  "what lies there is the start of BRISC",
                  target));
}

void TileChecker::check_store(u64 address, u64 bytes, const Author& author, Agent issuer,
                              bool result) {
  const bool foreign = author.agent == Agent::Niu0 || author.agent == Agent::Niu1;
  const bool of_another_tile = author.tile != kNoNode && author.tile != node_;
  if (layout_->by_client && of_another_tile) return;
  const auto complain = [&](Rule rule, const std::string& what) {
    raise(rule, author,
          fmt::format("{} L1[{:#x}, +{}], {}",
                      foreign ? fmt::format("a request (issued at {} pc {:#x}) writes",
                                            name_of(issuer), author.pc)
                              : std::string("it writes"),
                      address, bytes, what));
  };
  const Layout& layout = *layout_;
  if (address < kNullEnd && !result)
    return complain(Rule::GuardNull,
                    "where a null pointer leads; BRISC starts there after a reset");
  if (layout.mailboxes.overlaps(address, bytes))
    return complain(Rule::GuardMailbox, "where host and firmware leave each other messages");
  if (layout.firmware.overlaps(address, bytes))
    return complain(Rule::GuardFirmware, "where the firmware's code lies");
  for (unsigned core = 0; core < kCores; ++core)
    if (layout.text[core].overlaps(address, bytes))
      return complain(Rule::GuardKernel, fmt::format("where the kernel of {} lies",
                                                     name_of(static_cast<CoreId>(core))));
  const bool to_semaphores =
      address >= layout.semaphores.begin && address + bytes <= layout.semaphores.end;
  if (layout.settings.overlaps(address, bytes) && !to_semaphores)
    complain(Rule::GuardKernel, "where arguments and descriptions of circular buffers lie");
}

}  // namespace bhemu::check
