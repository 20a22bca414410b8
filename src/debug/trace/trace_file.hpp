// Traces into files.
#pragma once

#include <memory>

#include "debug/trace/trace_perfetto.hpp"
#include "device/device.hpp"
#include "host/settings/trace_settings.hpp"
#include "trace/sink.hpp"

namespace bhemu::debug {

/// Opens the file ("-": standard error) and replaces what is in it. Throws host::InputError.
/// `namer` names functions where a format shows them.
std::unique_ptr<trace::Sink> open_trace(const host::TraceOptions& options,
                                        FunctionNamer namer = {});

/// Begins what the user has asked for; nothing when that is nothing.
void start_trace(Device& device, const host::TraceSettings& settings, host::SettingStyle style);

}  // namespace bhemu::debug
