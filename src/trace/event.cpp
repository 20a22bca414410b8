#include "trace/event.hpp"

namespace bhemu::trace {
namespace {

constexpr std::string_view kNames[kWhats] = {"riscv", "tensix", "noc",  "stall",
                                             "sync",  "reset",  "host", "fault"};

constexpr std::string_view kWaitNames[kWaits] = {
    "other",        "fifo",           "thread",     "tt-sync",       "mop",         "mailbox",
    "mailbox-room", "pcbuf",          "pcbuf-room", "pcbuf-barrier", "packed-tile", "tdma-room",
    "debugger",     "srca",           "srcb",       "srca-srcb",     "srca-free",   "srcb-free",
    "semaphore",    "semaphore-room", "mutex",      "unit",          "idle",        "word",
    "stream",       "reset",          "latch"};

/// By index of Detail.
constexpr What kWhatOf[] = {What::Riscv,  What::Riscv, What::Riscv, What::Riscv, What::Tensix,
                            What::Tensix, What::Stall, What::Stall, What::Noc,   What::Sync,
                            What::Sync,   What::Sync,  What::Reset, What::Host,  What::Fault};
static_assert(std::size(kWhatOf) == std::variant_size_v<Detail>);

/// The host acts between epochs; then what has arrived, the cores, the coprocessor.
constexpr u8 kRank[kAgents] = {3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 11, 0, 3, 4};

}  // namespace

std::string_view name_of(What what) {
  return kNames[static_cast<unsigned>(what)];
}

std::string_view name_of(Wait wait) {
  return kWaitNames[static_cast<unsigned>(wait)];
}

What what_of(const Detail& detail) {
  return kWhatOf[detail.index()];
}

bool comes_before(const Event& a, const Event& b) {
  if (a.cycle != b.cycle) return a.cycle < b.cycle;
  if (a.node != b.node) return a.node < b.node;
  return kRank[static_cast<unsigned>(a.agent)] < kRank[static_cast<unsigned>(b.agent)];
}

}  // namespace bhemu::trace
