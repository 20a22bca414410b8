// Requests whose responses are still to come, for the hang report.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "noc/command.hpp"
#include "noc/niu.hpp"
#include "noc/niu_state.hpp"
#include "noc/targets.hpp"

namespace bhemu::noc {

u32 Niu::track(PacketKind kind, const Command& command, u64 address, const Targets& targets,
               Cycle now) {
  NiuState& state = *state_;
  u32 index = state.free_outstanding;
  if (index == kUntracked) {
    index = static_cast<u32>(state.outstanding.size());
    state.outstanding.emplace_back();
  } else {
    state.free_outstanding = state.outstanding[index].next_free;
  }
  Outstanding& entry = state.outstanding[index];
  entry.kind = kind;
  entry.transaction_id = static_cast<u8>(command.transaction_id());
  entry.target = targets.all().front().node;
  entry.responses = static_cast<u16>(targets.all().size());
  entry.length = static_cast<u32>(command.length);
  entry.address = address;
  entry.issued = now;
  ++state.outstanding_count;
  return index;
}

void Niu::untrack(u32 index, u32 answers) {
  NiuState& state = *state_;
  if (index >= state.outstanding.size() || state.outstanding[index].responses == 0) return;
  u16& responses = state.outstanding[index].responses;
  responses = static_cast<u16>(responses - std::min<u32>(responses, answers));
  if (responses != 0) return;
  state.outstanding[index].next_free = state.free_outstanding;
  state.free_outstanding = index;
  --state.outstanding_count;
}

bool Niu::has_outstanding() const {
  return state_->outstanding_count != 0;
}

void Niu::find_outstanding(std::vector<Wait>& waits) const {
  std::map<std::tuple<PacketKind, NodeId>, Wait> groups;
  for (const Outstanding& entry : state_->outstanding) {
    if (entry.responses == 0) continue;
    const auto [group, is_first] = groups.try_emplace({entry.kind, entry.target});
    Wait& wait = group->second;
    wait.value += entry.responses;
    if (!is_first && entry.issued >= wait.since) continue;
    wait.since = entry.issued;
    wait.address = entry.address;
  }
  for (auto& [key, wait] : groups) {
    wait.kind = Awaited::Answers;
    wait.until = Until::Changes;
    wait.index = noc_;
    wait.packet = static_cast<u8>(std::get<PacketKind>(key));
    wait.node = std::get<NodeId>(key);
    waits.push_back(wait);
  }
}

std::string text_of_answers(const Wait& wait, const std::string& target) {
  const auto kind = static_cast<PacketKind>(wait.packet);
  return fmt::format("{} {}{} {} {} at 0x{:x} (first issued in cycle {})", wait.value,
                     name_of(kind), wait.value == 1 ? "" : "s",
                     kind == PacketKind::ReadRequest ? "from" : "to", target, wait.address,
                     wait.since);
}

std::string Niu::outstanding() const {
  std::vector<Wait> waits;
  find_outstanding(waits);
  std::string text;
  for (const Wait& wait : waits)
    text +=
        (text.empty() ? "" : "; ") + text_of_answers(wait, environment_.routing->name(wait.node));
  return text;
}

}  // namespace bhemu::noc
