// Brings the events of all nodes into one order and to a sink; knows when to stop.
#pragma once

#include <memory>

#include "trace/port.hpp"
#include "trace/sink.hpp"

namespace bhemu::trace {

class Collector {
 public:
  Collector(std::unique_ptr<Sink> sink, const Selection& selection,
            const std::vector<NodeName>& nodes);
  ~Collector() { finish(); }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  const Selection& selection() const { return selection_; }
  /// Null when nobody wants to know about the node.
  Port* port(NodeId node) { return node < ports_.size() ? ports_[node].get() : nullptr; }

  /// Takes what every port holds; the caller has seen to it that nothing older will come.
  void collect(Cycle now);
  /// Something of the host's, between epochs, and what it led to in the node.
  void host(Event event);
  /// The limit is reached, the range of cycles is over, or the sink cannot take more.
  bool is_over() const { return over_; }
  /// After the last event; what is still being repeated ends here.
  void finish();
  const Summary& summary() const { return summary_; }

 private:
  void write(const Event& event);
  void flush();

  Selection selection_;
  std::unique_ptr<Sink> sink_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Event> batch_;
  Summary summary_;
  bool over_ = false;
  bool finished_ = false;
};

}  // namespace bhemu::trace
