#include "watch/pushes.hpp"

#include <algorithm>
#include <utility>

#include "base/bits.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"
#include "tile/tile.hpp"

namespace bhemu::watch {

void Pushes::pushed(const trace::Push& one) {
  if (one.by_brisc) return;
  kept_[one.thread][one.number % kKept] = {one.number, one.author.pc, one.word};
  last_[one.thread] = one.number;
}

const Pushes::Pushed* Pushes::find(unsigned thread, u64 number) const {
  const Pushed& found = kept_[thread][number % kKept];
  return number != 0 && found.number == number ? &found : nullptr;
}

/// What an instruction hands over is told of before the instruction.
void Pushes::moved(const trace::BankMove& one) {
  if (!one.gives) return;
  host::HandOver& hand_over = hand_overs_[one.src][one.bank];
  hand_over = {true, one.thread, one.author.pc, one.author.cycle, std::nullopt};
  moves_.push_back(&hand_over);
}

void Pushes::issued(const trace::Issue& one) {
  const Pushed* push = one.push.by_brisc ? nullptr : find(one.thread, one.push.number);
  if (push != nullptr)
    for (host::HandOver* hand_over : moves_) hand_over->pushed_from = push->pc;
  moves_.clear();
  const Author& author = one.operation.author;
  const u32 word = author.pc;
  for (Traced& wanted : wanted_) {
    if (wanted.thread != one.thread || wanted.word != word || wanted.cycle != author.cycle)
      continue;
    wanted.origin = author.origin;
    if (push != nullptr) wanted.pushed_from = push->pc;
  }
  const u32 opcode = tensix::opcode_of(word);
  constexpr u32 kOnMaximum = 2;
  const bool waits = opcode == tensix::op::SEMWAIT::kOpcode &&
                     (tensix::op::SEMWAIT{word}.wait_sem_cond() & kOnMaximum) != 0;
  if (!waits && opcode != tensix::op::SEMPOST::kOpcode) return;
  const u32 mask =
      waits ? tensix::op::SEMWAIT{word}.sem_sel() : tensix::op::SEMPOST{word}.sem_sel();
  for (u32 semaphore = 0; semaphore < tensix::kSemaphores; ++semaphore) {
    if (!bit(mask, semaphore)) continue;
    host::UnpostedWaits& unposted = unposted_[one.thread][semaphore];
    if (waits)
      unposted = {unposted.count + 1, push == nullptr ? 0 : push->pc};
    else
      unposted = {};
  }
}

void Pushes::forget() {
  kept_ = {};
  unposted_ = {};
  hand_overs_ = {};
  moves_.clear();
}

/// Words leave the queues in the order in which they entered: of those that were pushed, some are
/// still in front of the MOP expander, and of some the last word is still behind it. What is at the
/// gate may be of the next one or, in the midst of a MOP, of the one after that.
std::optional<u32> Pushes::source_of_gate(const tensix::Frontend& frontend, unsigned thread) const {
  if (!frontend.gate_full || frontend.gate_from_brisc) return std::nullopt;
  u64 behind = frontend.mop.phase != tensix::MopPhase::Idle;
  for (u32 i = 0; i < frontend.behind_mop.size(); ++i) behind += frontend.behind_mop[i].ends;
  const u64 popped = last_[thread] - frontend.fifo.size();
  const auto fits = [&](const Pushed& push) {
    const u32 opcode = tensix::opcode_of(push.word);
    const bool mop = opcode == tensix::op::MOP::kOpcode;
    switch (frontend.gate_origin) {
      case Origin::Mop:
        return mop;
      case Origin::Replay:
        return mop || opcode == tensix::op::REPLAY::kOpcode;
      default:
        return push.word == frontend.gate_word;
    }
  };
  // While it plays, the REPLAY itself has left the queues, and others may follow it.
  for (u64 i = 0; i <= 2; ++i) {
    const u64 number = popped - behind + (i == 2 ? ~u64{0} : i);
    const Pushed* push = find(thread, number);
    if (push != nullptr && fits(*push)) return push->pc;
  }
  return std::nullopt;
}

PushesOfDevice::PushesOfDevice(Device& device, std::map<NodeId, std::vector<Traced>> wanted)
    : device_(device) {
  id_ = device.observe([&](NodeId node) -> std::unique_ptr<trace::Observer> {
    pushes_.resize(std::max<std::size_t>(pushes_.size(), node + 1u));
    tile::Tile* tile = device.tile_of(node);
    if (tile == nullptr || !tile->shape().is_tensix()) return nullptr;
    const auto found = wanted.find(node);
    auto pushes =
        std::make_unique<Pushes>(found == wanted.end() ? std::vector<Traced>() : found->second);
    pushes_[node] = pushes.get();
    return pushes;
  });
}

PushesOfDevice::~PushesOfDevice() {
  device_.stop_observing(id_);
}

std::optional<u32> PushesOfDevice::pushed_from(NodeId node, unsigned thread) const {
  const Pushes* pushes = of(node);
  if (pushes == nullptr) return std::nullopt;
  return pushes->source_of_gate(device_.tile_of(node)->coprocessor().state().frontend[thread],
                                thread);
}

host::UnpostedWaits PushesOfDevice::unposted_waits(NodeId node, unsigned thread,
                                                   u32 semaphore) const {
  const Pushes* pushes = of(node);
  return pushes == nullptr ? host::UnpostedWaits{} : pushes->unposted(thread, semaphore);
}

std::optional<Traced> PushesOfDevice::traced(NodeId node, const Traced& wanted) const {
  const Pushes* pushes = of(node);
  if (pushes == nullptr) return std::nullopt;
  for (const Traced& one : pushes->wanted())
    if (one.thread == wanted.thread && one.word == wanted.word && one.cycle == wanted.cycle &&
        one.pushed_from)
      return one;
  // What a thread has stopped at is still at its gate.
  const auto& frontend = std::as_const(*device_.tile_of(node)).coprocessor().state().frontend;
  const tensix::Frontend& thread = frontend[wanted.thread];
  if (!thread.stopped || thread.gate_word != wanted.word) return std::nullopt;
  Traced stopped = wanted;
  stopped.origin = thread.gate_origin;
  stopped.pushed_from = pushes->source_of_gate(thread, wanted.thread);
  return stopped.pushed_from ? std::optional(stopped) : std::nullopt;
}

host::HandOver PushesOfDevice::hand_over(NodeId node, unsigned src, unsigned bank) const {
  const Pushes* pushes = of(node);
  return pushes == nullptr ? host::HandOver{} : pushes->hand_over(src, bank);
}

}  // namespace bhemu::watch
