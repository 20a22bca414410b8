// What a person sees: numbers with separators, a progress bar on a terminal.
#pragma once

#include <chrono>
#include <string>

#include "device/device.hpp"

namespace bhemu::cli {

std::string grouped(u64 number);      // 1,234,567
std::string short_count(u64 number);  // 12.3 M
std::string byte_count(u64 bytes);    // 12.3 MiB

/// A line on standard error that shows a long run is alive. Silent unless that is a terminal.
class ProgressLine {
 public:
  ProgressLine(std::string label, bool enabled);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// `limit`: cycles at which the run would be stopped, 0 when there is none.
  void show(const Totals& totals, u64 limit);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool enabled_;
  bool shown_ = false;
  unsigned turn_ = 0;
  Clock::time_point begin_;
  Clock::time_point next_;
};

}  // namespace bhemu::cli
