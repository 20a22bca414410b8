// The trace of a device: ports for its nodes, and what happens at epoch edges.
#include <algorithm>

#include "device/device_impl.hpp"
#include "mem/mapping.hpp"

namespace bhemu {
namespace {

// Places whose last value is remembered for a host that polls.
constexpr std::size_t kMostHostReads = 1 << 16;

}  // namespace

std::vector<trace::NodeName> Device::Impl::node_names() const {
  std::vector<trace::NodeName> names;
  for (const TileSite* site : sites)
    names.push_back({coords[site->node], routing.name(site->node),
                     site->kind == noc::NodeKind::Tensix,
                     site->kind == noc::NodeKind::Ethernet ? CoreId::Erisc0 : CoreId::Brisc});
  return names;
}

void Device::start_trace(std::unique_ptr<trace::Sink> sink, const trace::Selection& selection) {
  stop_trace();
  impl_->make_all_nodes();
  for (tile::Tile* tile : impl_->tiles)
    if (tile != nullptr) tile->settle(cycle());
  impl_->trace =
      std::make_unique<trace::Collector>(std::move(sink), selection, impl_->node_names());
  for (const auto& node : impl_->nodes) node->set_trace(impl_->trace->port(node->id()));
  impl_->trace_forget();
  impl_->engine->on_edge([impl = impl_.get()] { impl->trace_edge(); });
}

trace::Summary Device::stop_trace() {
  if (!impl_->trace) return {};
  // What parked cores have repeated until now is counted.
  for (tile::Tile* tile : impl_->tiles)
    if (tile != nullptr) tile->settle(cycle());
  impl_->trace_edge();
  for (const auto& node : impl_->nodes) node->set_trace(nullptr);
  impl_->engine->on_edge(nullptr);
  impl_->trace->finish();
  const trace::Summary summary = impl_->trace->summary();
  impl_->trace.reset();
  return summary;
}

trace::Summary Device::trace_summary() const {
  return impl_->trace ? impl_->trace->summary() : trace::Summary{};
}

void Device::set_host_window(i32 window) {
  impl_->host_window = window;
}

void Device::Impl::trace_edge() {
  if (!trace || trace->is_over()) return;
  const Cycle now = engine->now();
  for (const auto& node : nodes) {
    if (trace->port(node->id()) == nullptr) continue;
    node->catch_up_trace(now);
    trace_faults(node->id());
  }
  trace->collect(now);
  if (!trace->is_over()) return;
  for (const auto& node : nodes) node->set_trace(nullptr);
  trace->finish();
}

/// Faults come from everywhere, so they are taken from where they are kept.
void Device::Impl::trace_faults(NodeId node) {
  trace::Port& port = *trace->port(node);
  const std::vector<Fault>& faults = nodes[node]->faults().faults();
  if (port.faults_seen() > faults.size()) port.faults_seen() = 0;  // a reset has cleared them
  for (std::size_t i = port.faults_seen(); i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    port.add(fault.cycle, fault.agent, Agent::Host,
             trace::Faulted{fault.rule, fault.severity, fault.pc, fault.text});
  }
  port.faults_seen() = faults.size();
}

void Device::Impl::trace_forget_faults() {
  for (const auto& node : nodes)
    if (trace::Port* port = trace ? trace->port(node->id()) : nullptr)
      port->faults_seen() = node->faults().faults().size();
}

void Device::Impl::trace_forget() {
  host_reads.clear();
  for (const auto& node : nodes)
    if (trace::Port* port = trace ? trace->port(node->id()) : nullptr) port->forget();
  trace_forget_faults();
}

void Device::Impl::trace_host(NodeId node, u64 address, std::span<const u8> bytes, bool write,
                              bool done) {
  if (trace->is_over() || trace->port(node) == nullptr) return;
  if (!write && done) {
    if (host_reads.size() >= kMostHostReads) host_reads.clear();
    const u64 value = hash_bytes(1, bytes.data(), bytes.size());
    const auto [place, first] = host_reads.try_emplace({node, address, bytes.size()}, value);
    if (!first && place->second == value) return;
    place->second = value;
  }
  trace::HostAccess access;
  access.write = write;
  access.done = done;
  access.window = host_window;
  access.address = address;
  access.bytes = bytes.size();
  std::copy_n(bytes.begin(), std::min(bytes.size(), access.head.size()), access.head.begin());
  trace_faults(node);
  trace->host({engine->now(), node, Agent::Host, access});
  if (!trace->is_over()) return;
  for (const auto& each : nodes) each->set_trace(nullptr);
  trace->finish();
}

}  // namespace bhemu
