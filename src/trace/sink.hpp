// Where events go: a writer of text or JSON today; a Perfetto trace or a race detector can be
// another. A sink gets events in the order of the trace, from one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "trace/event.hpp"

namespace bhemu::trace {

struct NodeName {
  Coord translated;
  std::string name;  // "Tensix tile (1,2)", "DRAM bank 3 (17,21)"
  bool tensix = false;
  CoreId first_core = CoreId::Brisc;
};

/// How a trace ended.
struct Summary {
  u64 events = 0;
  Cycle cycle = 0;
  bool limit_reached = false;
  std::string error;  // of the sink; empty: none
};

class Sink {
 public:
  Sink() = default;
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  /// Before the first event; `nodes` is indexed by NodeId.
  virtual void begin(const std::vector<NodeName>& nodes) = 0;
  virtual void write(const Event& event) = 0;
  /// Everything so far may be looked at by others. False: the sink can take no more.
  virtual bool flush() = 0;
  /// After the last event.
  virtual void end(const Summary& summary) = 0;
  /// Why flush() said no, or end() failed; empty: all is well.
  virtual std::string error() const = 0;
};

}  // namespace bhemu::trace
