#include "debug/trace/tee.hpp"

#include <algorithm>

namespace bhemu::debug {
namespace {

/// The agent that selections are compared with: for a packet, the one that issued it.
Agent subject_of(const trace::Event& event) {
  if (const auto* packet = std::get_if<trace::Packet>(&event.detail)) return packet->issuer;
  return std::holds_alternative<trace::Faulted>(event.detail) ? Agent::Host : event.agent;
}

}  // namespace

void TeeSink::add(std::unique_ptr<trace::Sink> sink, const trace::Selection& selection,
                  std::shared_ptr<trace::Summary> summary) {
  if (summary == nullptr) summary = std::make_shared<trace::Summary>();
  branches_.push_back({std::move(sink), selection, std::move(summary)});
}

trace::Selection TeeSink::selection() const {
  trace::Selection all;
  all.what = all.cores = 0;
  all.from = kNever;
  all.until = 0;
  bool every_node = false;
  for (const Branch& branch : branches_) {
    const trace::Selection& one = branch.selection;
    all.what |= one.what;
    all.cores |= one.cores;
    all.from = std::min(all.from, one.from);
    all.until = std::max(all.until, one.until);
    every_node |= one.nodes.empty();
    all.nodes.resize(std::max(all.nodes.size(), one.nodes.size()));
    for (size_t i = 0; i < one.nodes.size(); ++i) all.nodes[i] = all.nodes[i] || one.nodes[i];
  }
  if (every_node) all.nodes.clear();
  return all;
}

void TeeSink::begin(const std::vector<trace::NodeName>& nodes) {
  for (Branch& branch : branches_) branch.sink->begin(nodes);
}

void TeeSink::write(const trace::Event& event) {
  for (Branch& branch : branches_) write(branch, event);
}

void TeeSink::write(Branch& branch, const trace::Event& event) {
  const trace::Selection& selection = branch.selection;
  if (branch.over || !selection.wants_node(event.node) || !selection.wants(what_of(event.detail)) ||
      !selection.wants_agent(subject_of(event)))
    return;
  trace::Event cut = event;
  if (auto* repeated = std::get_if<trace::Repeated>(&cut.detail)) {
    // What lies outside of the range of cycles is not counted.
    const Cycle first = std::max(repeated->first, selection.from);
    const Cycle end = std::min(repeated->first + repeated->instructions, selection.until);
    if (end <= first) return;
    repeated->first = first;
    repeated->instructions = end - first;
    cut.cycle = std::min(cut.cycle, end);
  } else if (event.cycle < selection.from || event.cycle >= selection.until) {
    return;
  }
  if (branch.summary->events == selection.limit) {
    branch.summary->limit_reached = branch.over = true;
    return;
  }
  ++branch.summary->events;
  branch.sink->write(cut);
}

bool TeeSink::flush() {
  bool any = false;
  for (Branch& branch : branches_) {
    if (branch.summary->error.empty() && !branch.sink->flush()) {
      branch.summary->error = branch.sink->error();
      branch.over = true;
    }
    any |= !branch.over;
  }
  return any;
}

void TeeSink::end(const trace::Summary& summary) {
  for (Branch& branch : branches_) {
    branch.summary->cycle = summary.cycle;
    branch.sink->end(*branch.summary);
    if (branch.summary->error.empty()) branch.summary->error = branch.sink->error();
  }
}

}  // namespace bhemu::debug
