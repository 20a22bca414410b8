#include "debug/trace/perfetto_writer.hpp"

#include <protozero/pbf_writer.hpp>

namespace bhemu::debug {
namespace {

using protozero::pbf_writer;
constexpr u32 kSequence = 1;

void annotate(pbf_writer& event, const PerfettoWriter::Numbers& numbers, const std::string& text) {
  for (const auto& [name, number] : numbers) {
    pbf_writer annotation(event, perfetto::kAnnotations);
    annotation.add_string(perfetto::kAnnotationName, name);
    annotation.add_uint64(perfetto::kUintValue, number);
  }
  if (text.empty()) return;
  pbf_writer annotation(event, perfetto::kAnnotations);
  annotation.add_string(perfetto::kAnnotationName, "what");
  annotation.add_string(perfetto::kStringValue, text);
}

}  // namespace

void PerfettoWriter::event(u64 track, Cycle at, const std::string& body) {
  pbf_writer trace(out_);
  pbf_writer packet(trace, perfetto::kTracePacket);
  packet.add_uint64(perfetto::kTimestamp, at);
  packet.add_uint32(perfetto::kSequenceId, kSequence);
  std::string whole;
  pbf_writer event(whole);
  event.add_uint64(perfetto::kTrackUuid, track);
  whole += body;
  packet.add_message(perfetto::kTrackEvent, whole);
}

void PerfettoWriter::descriptor(const std::string& body) {
  pbf_writer trace(out_);
  pbf_writer packet(trace, perfetto::kTracePacket);
  packet.add_uint32(perfetto::kSequenceId, kSequence);
  packet.add_message(perfetto::kTrackDescriptor, body);
}

void PerfettoWriter::process(u64 uuid, u32 pid, const std::string& name) {
  std::string body;
  {
    pbf_writer writer(body);
    writer.add_uint64(perfetto::kUuid, uuid);
    pbf_writer process(writer, perfetto::kProcess);
    process.add_int32(perfetto::kProcessPid, static_cast<i32>(pid));
    process.add_string(perfetto::kProcessName, name);
  }
  descriptor(body);
}

void PerfettoWriter::thread(u64 uuid, u32 pid, u32 tid, const std::string& name) {
  std::string body;
  {
    pbf_writer writer(body);
    writer.add_uint64(perfetto::kUuid, uuid);
    pbf_writer thread(writer, perfetto::kThread);
    thread.add_int32(perfetto::kThreadPid, static_cast<i32>(pid));
    thread.add_int32(perfetto::kThreadTid, static_cast<i32>(tid));
    thread.add_string(perfetto::kThreadName, name);
  }
  descriptor(body);
}

void PerfettoWriter::track(u64 uuid, u64 parent, const std::string& name) {
  std::string body;
  pbf_writer writer(body);
  writer.add_uint64(perfetto::kUuid, uuid);
  writer.add_string(perfetto::kTrackName, name);
  writer.add_uint64(perfetto::kParentUuid, parent);
  descriptor(body);
}

void PerfettoWriter::counter(u64 uuid, u64 parent, const std::string& name) {
  std::string body;
  pbf_writer writer(body);
  writer.add_uint64(perfetto::kUuid, uuid);
  writer.add_string(perfetto::kTrackName, name);
  writer.add_uint64(perfetto::kParentUuid, parent);
  writer.add_message(perfetto::kCounter, std::string());
  descriptor(body);
}

void PerfettoWriter::slice(u64 track, const Slice& slice) {
  std::string body;
  {
    pbf_writer writer(body);
    writer.add_enum(perfetto::kType, perfetto::kSliceBegin);
    writer.add_string(perfetto::kCategories, slice.category);
    writer.add_string(perfetto::kName, slice.name);
    annotate(writer, slice.numbers, slice.text);
  }
  event(track, slice.begin, body);
  body.clear();
  pbf_writer(body).add_enum(perfetto::kType, perfetto::kSliceEnd);
  event(track, slice.end, body);
}

void PerfettoWriter::instant(u64 track, Cycle at, const std::string& name, const char* category,
                             u64 flow, bool ends, const Numbers& numbers, const std::string& text) {
  std::string body;
  {
    pbf_writer writer(body);
    writer.add_enum(perfetto::kType, perfetto::kInstant);
    writer.add_string(perfetto::kCategories, category);
    writer.add_string(perfetto::kName, name);
    if (flow != 0)
      writer.add_fixed64(ends ? perfetto::kTerminatingFlowIds : perfetto::kFlowIds, flow);
    annotate(writer, numbers, text);
  }
  event(track, at, body);
}

void PerfettoWriter::value(u64 track, Cycle at, i64 value) {
  std::string body;
  pbf_writer writer(body);
  writer.add_enum(perfetto::kType, perfetto::kCounterEvent);
  writer.add_int64(perfetto::kCounterValue, value);
  event(track, at, body);
}

}  // namespace bhemu::debug
