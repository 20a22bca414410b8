// Observers of a device's nodes (trace/observer.hpp).
#include <algorithm>
#include <numeric>

#include "device/device_impl.hpp"
#include "trace/fanout.hpp"

namespace bhemu {

unsigned Device::observe(const ObserverMaker& make) {
  std::vector<NodeId> all(impl_->nodes.size());
  std::iota(all.begin(), all.end(), NodeId{0});
  return observe(all, make);
}

unsigned Device::observe(std::span<const NodeId> nodes, const ObserverMaker& make) {
  Impl::Observation observation;
  observation.id = impl_->next_observation++;
  observation.of_node.resize(impl_->nodes.size());
  for (const NodeId id : nodes) {
    impl_->node(id);
    observation.of_node[id] = make(id);
  }
  observation.of_all = nodes.size() == impl_->nodes.size();
  impl_->observations.push_back(std::move(observation));
  impl_->connect_observers();
  return impl_->observations.back().id;
}

void Device::stop_observing(unsigned id) {
  auto& all = impl_->observations;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.id == id; });
  if (found == all.end()) return;
  const Impl::Observation gone = std::move(*found);  // told until the nodes have let go of it
  all.erase(found);
  impl_->connect_observers();
}

void Device::Impl::connect_observers() {
  std::vector<std::unique_ptr<trace::Observer>> fans(nodes.size());
  for (const auto& node : nodes) {
    if (node == nullptr) continue;  // nobody observes it: who does has it made
    if (tile::Tile* tile = tiles[node->id()]) tile->settle(engine->now());
    std::vector<trace::Observer*> observers;
    for (const Observation& observation : observations)
      if (trace::Observer* one = observation.of_node[node->id()].get()) observers.push_back(one);
    trace::Observer* observer = observers.empty() ? nullptr : observers.front();
    if (observers.size() > 1) {
      fans[node->id()] = std::make_unique<trace::Fanout>(std::move(observers));
      observer = fans[node->id()].get();
    }
    if (observer != node->observer()) node->set_observer(observer);
  }
  fanouts = std::move(fans);
}

void Device::Impl::observers_forget() {
  for (const auto& node : nodes)
    if (node != nullptr && node->observer() != nullptr) node->observer()->forget();
}

}  // namespace bhemu
