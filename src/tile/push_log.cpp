#include "tile/push_log.hpp"

#include <algorithm>

#include "tensix/frontend/frontend.hpp"

namespace bhemu::tile {
namespace {

constexpr std::size_t kMostFound = 64;  // of broken rules, all told

bool of_thread(const Fault& fault) {
  return fault.agent >= Agent::Thread0 && fault.agent <= Agent::Thread2;
}

void add(std::vector<PushLog::From>& origins, const PushLog::From& from) {
  if (std::find(origins.begin(), origins.end(), from) == origins.end()) origins.push_back(from);
}

}  // namespace

void PushLog::record(Thread& of, u32 word, Agent core, u32 pc) {
  if (of.left != 0) {
    of.slots[of.slot++ % tensix::kReplaySlots] = {word, pc, 0, core};
    --of.left;
    return;
  }
  const tensix::op::REPLAY insn{word};
  of.left = tensix::frontend::replayed_words(insn);
  of.slot = insn.start_idx();
}

void PushLog::configured(unsigned thread, u32 index, u32 word, Agent core, u32 pc) {
  if (index < tensix::kMopConfigWords) thread_of(thread).mop[index] = {word, pc, 0, core};
}

void PushLog::look(const std::vector<Fault>& faults) {
  if (faults.size() < seen_) seen_ = 0;
  for (; seen_ < faults.size(); ++seen_) {
    const Fault& fault = faults[seen_];
    if (!of_thread(fault) || found_.size() == kMostFound) continue;
    found_.push_back({fault.agent, fault.pc, fault.cycle, search(fault)});
  }
}

std::vector<PushLog::From> PushLog::search(const Fault& fault) const {
  const auto thread = static_cast<unsigned>(fault.agent) - static_cast<unsigned>(Agent::Thread0);
  std::vector<From> origins;
  if (threads_[thread] == nullptr) return origins;
  const Thread& of = *threads_[thread];
  // What is pushed later than it is executed is another one.
  for (const Push& push : of.last)
    if (push.core != Agent::Host && push.word == fault.pc && push.cycle <= fault.cycle)
      add(origins, {push.core, push.pc, false});
  if (!origins.empty()) return origins;
  for (const Push& push : of.slots)
    if (push.core != Agent::Host && push.word == fault.pc)
      add(origins, {push.core, push.pc, false});
  if (!origins.empty()) return origins;
  for (const Push& push : of.mop)
    if (push.core != Agent::Host && push.word == fault.pc) add(origins, {push.core, push.pc, true});
  return origins;
}

std::vector<PushLog::From> PushLog::origins_of(const Fault& fault) const {
  if (!of_thread(fault)) return {};
  for (const Found& one : found_)
    if (one.agent == fault.agent && one.word == fault.pc && one.cycle == fault.cycle)
      return one.origins;
  return search(fault);
}

void PushLog::forget() {
  threads_ = {};
  seen_ = 0;
  found_.clear();
}

}  // namespace bhemu::tile
