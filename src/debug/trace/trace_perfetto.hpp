// A trace as Perfetto's protobuf, for ui.perfetto.dev and its trace processor. docs/TRACE.md says
// which tracks there are.
//
// Documents: google/perfetto protos/perfetto/trace/trace_packet.proto,
// track_event/track_event.proto, track_event/track_descriptor.proto;
// docs/reference/synthetic-track-event.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "trace/sink.hpp"

namespace bhemu::debug {

/// The name of the function at a core's pc; empty when nobody knows.
using FunctionNamer = std::function<std::string(Agent agent, u32 pc)>;

/// Opens the file and replaces what is in it; throws host::InputError. `namer` may be empty.
std::unique_ptr<trace::Sink> perfetto_sink(const std::string& path, FunctionNamer namer);

}  // namespace bhemu::debug
