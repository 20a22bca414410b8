#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace bhemu::cli {
namespace {

constexpr auto kFirstShown = std::chrono::milliseconds(400);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr unsigned kWidth = 24;
constexpr unsigned kBlock = 6;

/// Filled in proportion when the end is known; otherwise a block that travels to and fro.
std::string bar(u64 done, u64 limit, unsigned turn) {
  std::string text(kWidth, '-');
  if (limit != 0) {
    const auto filled = static_cast<size_t>(static_cast<double>(std::min(done, limit)) /
                                            static_cast<double>(limit) * kWidth);
    std::fill_n(text.begin(), filled, '#');
    return text;
  }
  constexpr unsigned kTravel = kWidth - kBlock;
  const unsigned phase = turn % (2 * kTravel);
  std::fill_n(text.begin() + (phase < kTravel ? phase : 2 * kTravel - phase), kBlock, '#');
  return text;
}

}  // namespace

std::string grouped(u64 number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string short_count(u64 number) {
  constexpr u64 kExactBelow = 10'000;
  if (number < kExactBelow) return grouped(number);
  const auto value = static_cast<double>(number);
  if (number < 1'000'000) return fmt::format("{:.1f} k", value / 1e3);
  if (number < 1'000'000'000) return fmt::format("{:.1f} M", value / 1e6);
  return fmt::format("{:.2f} G", value / 1e9);
}

std::string byte_count(u64 bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 10 * 1024) return fmt::format("{} bytes", grouped(bytes));
  if (bytes < 1024 * 1024) return fmt::format("{:.1f} KiB", value / 1024);
  if (bytes < u64{1} << 30) return fmt::format("{:.1f} MiB", value / (1024 * 1024));
  return fmt::format("{:.2f} GiB", value / (1024.0 * 1024 * 1024));
}

ProgressLine::ProgressLine(std::string label, bool enabled)
    : label_(std::move(label)),
      enabled_(enabled && ::isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      next_(begin_ + kFirstShown) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(const Totals& totals, u64 limit) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  fmt::print(stderr, "\r\033[K{} [{}] {:.1f} s, {} cycles, {} instructions", label_,
             bar(totals.cycles, limit, turn_++), seconds, grouped(totals.cycles),
             short_count(totals.riscv_instructions));
  std::fflush(stderr);
}

}  // namespace bhemu::cli
