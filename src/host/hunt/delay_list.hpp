// Lists of delays (base/delays.hpp): as bytes in a bundle, as text for people, and as the arguments
// of LLK's TT-NOP injector, which puts instructions that do nothing in front of a thread's sync
// instruction on a card.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/hunt/bundle.hpp"
#include "host/report/report.hpp"

namespace bhemu::host {

/// The name of a bundle's section.
inline constexpr const char* kDelaySection = "delays";

BundleSection delay_section(std::span<const Delay> delays);
/// Null: the bundle has none. Throws ArchiveError.
std::shared_ptr<const DelayPlan> delay_plan_of(const Bundle& bundle);

/// A delay, and the shortest and the longest that do the same.
struct DelayBand {
  Delay delay;
  u32 least = 0;
  u32 most = 0;
};

/// "delay gate of thread 0 of (1, 2) before UNPACR_NOP ... by 5 to 31 cycles"
std::string text_of(const DelayBand& band, Device& device, const CodeMap& code);
/// One line: arguments of TT-NOP's focus tool, or why there are none.
std::string nop_arguments(const DelayBand& band, Device& device, const CodeMap& code);

}  // namespace bhemu::host
