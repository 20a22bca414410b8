#include "trace/collector.hpp"

#include <algorithm>
#include <iterator>

namespace bhemu::trace {

Collector::Collector(std::unique_ptr<Sink> sink, const Selection& selection,
                     const std::vector<NodeName>& nodes)
    : selection_(selection), sink_(std::move(sink)), ports_(nodes.size()) {
  for (std::size_t node = 0; node < nodes.size(); ++node)
    if (selection_.wants_node(static_cast<NodeId>(node)))
      ports_[node] =
          std::make_unique<Port>(static_cast<NodeId>(node), selection_, nodes[node].first_core);
  sink_->begin(nodes);
  flush();
}

void Collector::collect(Cycle now) {
  summary_.cycle = now;
  if (now >= selection_.until && !over_)
    for (const auto& port : ports_)
      for (unsigned core = 0; port && core < kCores; ++core) port->end_repeats(core);
  for (const auto& port : ports_) {
    if (!port || port->events().empty()) continue;
    std::move(port->events().begin(), port->events().end(), std::back_inserter(batch_));
    port->events().clear();
  }
  if (!batch_.empty()) {
    std::stable_sort(batch_.begin(), batch_.end(), comes_before);
    for (const Event& event : batch_) write(event);
    batch_.clear();
    flush();
  }
  over_ = over_ || now >= selection_.until;
}

void Collector::host(Event event) {
  Port* const own = port(event.node);
  if (own == nullptr) return;
  const bool wanted = own->wants(What::Host) && own->covers(event.cycle);
  if (wanted) write(event);
  if (!own->events().empty()) collect(event.cycle);
}

void Collector::write(const Event& event) {
  if (over_) return;
  if (summary_.events == selection_.limit) {
    summary_.limit_reached = over_ = true;
    return;
  }
  sink_->write(event);
  ++summary_.events;
}

void Collector::flush() {
  if (finished_ || sink_->flush()) return;
  summary_.error = sink_->error();
  over_ = true;
}

void Collector::finish() {
  if (finished_) return;
  for (const auto& port : ports_)
    for (unsigned core = 0; port && core < kCores; ++core) port->end_repeats(core);
  collect(summary_.cycle);
  over_ = finished_ = true;
  sink_->end(summary_);
  if (summary_.error.empty()) summary_.error = sink_->error();
}

}  // namespace bhemu::trace
