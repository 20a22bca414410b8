// The few messages of a Perfetto trace that ours consists of. A cycle is written as a nanosecond.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace bhemu::debug {

/// Numbers of fields, as in the .proto files named in trace_perfetto.hpp.
namespace perfetto {
enum : u32 {
  kTracePacket = 1,  // of Trace
  // TracePacket
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kTrackDescriptor = 60,
  // TrackEvent
  kAnnotations = 4,
  kType = 9,
  kTrackUuid = 11,
  kCategories = 22,
  kName = 23,
  kCounterValue = 30,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
  // TrackDescriptor
  kUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kThread = 4,
  kParentUuid = 5,
  kCounter = 8,
  // ProcessDescriptor, ThreadDescriptor
  kProcessPid = 1,
  kProcessName = 6,
  kThreadPid = 1,
  kThreadTid = 2,
  kThreadName = 5,
  // DebugAnnotation
  kUintValue = 3,
  kStringValue = 6,
  kAnnotationName = 10,
};
enum : i32 { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterEvent = 4 };
}  // namespace perfetto

class PerfettoWriter {
 public:
  using Numbers = std::vector<std::pair<const char*, u64>>;
  struct Slice {
    Cycle begin = 0;
    Cycle end = 0;
    std::string name;
    const char* category = "";
    Numbers numbers;
    std::string text;  // what there is to say about it; empty: nothing
  };

  void process(u64 uuid, u32 pid, const std::string& name);
  void thread(u64 uuid, u32 pid, u32 tid, const std::string& name);
  void track(u64 uuid, u64 parent, const std::string& name);
  void counter(u64 uuid, u64 parent, const std::string& name);

  void slice(u64 track, const Slice& slice);
  /// `flow`: 0 for none; `ends`: the flow ends here.
  void instant(u64 track, Cycle at, const std::string& name, const char* category, u64 flow,
               bool ends, const Numbers& numbers, const std::string& text = "");
  void value(u64 track, Cycle at, i64 value);

  /// What has been written since the last time.
  std::string take() { return std::exchange(out_, {}); }
  std::size_t size() const { return out_.size(); }

 private:
  void event(u64 track, Cycle at, const std::string& body);
  void descriptor(const std::string& body);

  std::string out_;
};

}  // namespace bhemu::debug
