// Requests whose responses are still to come, for the hang report.
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

void Niu::untrack(u32 index) {
  NiuState& state = *state_;
  if (index >= state.outstanding.size() || state.outstanding[index].responses == 0) return;
  if (--state.outstanding[index].responses != 0) return;
  state.outstanding[index].next_free = state.free_outstanding;
  state.free_outstanding = index;
  --state.outstanding_count;
}

bool Niu::has_outstanding() const {
  return state_->outstanding_count != 0;
}

std::string Niu::outstanding() const {
  struct Group {
    u32 count = 0;
    u64 address = 0;
    Cycle issued = kNever;
  };
  std::map<std::tuple<PacketKind, NodeId>, Group> groups;
  for (const Outstanding& entry : state_->outstanding) {
    if (entry.responses == 0) continue;
    Group& group = groups[{entry.kind, entry.target}];
    group.count += entry.responses;
    if (entry.issued < group.issued) {
      group.issued = entry.issued;
      group.address = entry.address;
    }
  }
  std::string text;
  for (const auto& [key, group] : groups) {
    const auto [kind, target] = key;
    text +=
        fmt::format("{}{} {}{} {} {} at 0x{:x} (first issued in cycle {})",
                    text.empty() ? "" : "; ", group.count, name_of(kind),
                    group.count == 1 ? "" : "s", kind == PacketKind::ReadRequest ? "from" : "to",
                    environment_.routing->name(target), group.address, group.issued);
  }
  return text;
}

}  // namespace bhemu::noc
