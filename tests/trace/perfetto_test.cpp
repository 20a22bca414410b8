// A Perfetto trace of the grid's matrix product, read back with a small trace processor of ours:
// whether it is well formed, and whether its totals are the run's counters.
#include <gtest/gtest.h>

#include <map>
#include <protozero/pbf_reader.hpp>
#include <set>

#include "cli/command.hpp"
#include "debug/trace/perfetto_writer.hpp"

namespace bhemu::test {
namespace {

namespace pf = debug::perfetto;

struct Track {
  std::string name;
  u64 parent = 0;
  bool process = false;
  bool thread = false;
  bool counter = false;
};

struct TrackEvent {
  u64 timestamp = 0;
  i32 type = 0;
  u64 track = 0;
  std::string name;
  std::string category;
  std::map<std::string, u64> numbers;
  i64 value = 0;
  u64 flow = 0;
  bool ends = false;
};

/// What a trace processor takes from a trace.
class Trace {
 public:
  explicit Trace(const std::string& bytes) {
    protozero::pbf_reader trace(bytes);
    while (trace.next(pf::kTracePacket)) read_packet(trace.get_message());
  }
  std::map<u64, Track> tracks;
  std::vector<TrackEvent> events;

 private:
  void read_packet(protozero::pbf_reader packet) {
    u64 timestamp = 0;
    while (packet.next()) {
      switch (packet.tag()) {
        case pf::kTimestamp:
          timestamp = packet.get_uint64();
          break;
        case pf::kTrackDescriptor:
          read_track(packet.get_message());
          break;
        case pf::kTrackEvent:
          read_event(packet.get_message());
          events.back().timestamp = timestamp;
          break;
        default:
          packet.skip();
      }
    }
  }

  void read_track(protozero::pbf_reader message) {
    Track track;
    u64 uuid = 0;
    while (message.next()) {
      switch (message.tag()) {
        case pf::kUuid:
          uuid = message.get_uint64();
          break;
        case pf::kTrackName:
          track.name = message.get_string();
          break;
        case pf::kParentUuid:
          track.parent = message.get_uint64();
          break;
        case pf::kProcess:
          track.process = true;
          message.skip();
          break;
        case pf::kThread: {
          track.thread = true;
          protozero::pbf_reader thread = message.get_message();
          while (thread.next()) {
            if (thread.tag() == pf::kThreadName)
              track.name = thread.get_string();
            else
              thread.skip();
          }
          break;
        }
        case pf::kCounter:
          track.counter = true;
          message.skip();
          break;
        default:
          message.skip();
      }
    }
    EXPECT_TRUE(tracks.emplace(uuid, track).second) << "a track is described once: " << track.name;
  }

  void read_event(protozero::pbf_reader message) {
    TrackEvent event;
    while (message.next()) {
      switch (message.tag()) {
        case pf::kType:
          event.type = message.get_enum();
          break;
        case pf::kTrackUuid:
          event.track = message.get_uint64();
          break;
        case pf::kName:
          event.name = message.get_string();
          break;
        case pf::kCategories:
          event.category = message.get_string();
          break;
        case pf::kCounterValue:
          event.value = message.get_int64();
          break;
        case pf::kFlowIds:
        case pf::kTerminatingFlowIds:
          event.ends = message.tag() == pf::kTerminatingFlowIds;
          event.flow = message.get_fixed64();
          break;
        case pf::kAnnotations:
          read_annotation(message.get_message(), event);
          break;
        default:
          message.skip();
      }
    }
    events.push_back(std::move(event));
  }

  static void read_annotation(protozero::pbf_reader message, TrackEvent& event) {
    std::string name;
    while (message.next()) {
      if (message.tag() == pf::kAnnotationName)
        name = message.get_string();
      else if (message.tag() == pf::kUintValue)
        event.numbers[name] = message.get_uint64();
      else
        message.skip();
    }
  }
};

/// The matrix product is run and read.
class Perfetto : public testing::Test {
 protected:
  void SetUp() override {
    const std::string file = (scratch_.path() / "t.pftrace").string();
    const CommandResult result = bhemu(
        scratch_, std::string("run ") + BHEMU_SOURCE_DIR +
                      "/examples/matmul_multicast.yaml --json --trace-cycles run --trace " + file);
    EXPECT_EQ(result.status, 0) << result.err;
    counters_ = result.out.substr(result.out.find("\"run\":{"));
    trace_ = std::make_unique<Trace>(contents(file));
  }
  u64 counter(const std::string& key) {
    const std::string wanted = "\"" + key + "\":";
    return std::stoull(counters_.substr(counters_.find(wanted) + wanted.size()));
  }
  u64 instructions(bool threads) {
    u64 sum = 0;
    for (const TrackEvent& event : trace_->events) {
      const Track& track = trace_->tracks.at(event.track);
      const auto found = event.numbers.find("instructions");
      if (!track.thread || found == event.numbers.end()) continue;
      if (track.name.starts_with("thread") == threads) sum += found->second;
    }
    return sum;
  }

  Scratch scratch_{"bhemu_perfetto_test"};
  std::unique_ptr<Trace> trace_;
  std::string counters_;
};

TEST_F(Perfetto, describes_every_track_that_it_uses_before_it_is_used_and_its_parents) {
  ASSERT_FALSE(trace_->events.empty());
  size_t processes = 0;
  for (const auto& [uuid, track] : trace_->tracks) {
    EXPECT_FALSE(track.process && track.thread);
    processes += track.process ? 1 : 0;
    if (track.parent == 0) continue;
    EXPECT_EQ(trace_->tracks.count(track.parent), 1u) << track.name;
  }
  EXPECT_GE(processes, 120u) << "a process per tile";
  for (const TrackEvent& event : trace_->events)
    ASSERT_EQ(trace_->tracks.count(event.track), 1u) << event.name;
}

TEST_F(Perfetto, has_slices_that_neither_overlap_nor_stay_open) {
  std::map<u64, std::vector<TrackEvent>> by_track;
  for (const TrackEvent& event : trace_->events)
    if (event.type == pf::kSliceBegin || event.type == pf::kSliceEnd)
      by_track[event.track].push_back(event);
  for (auto& [uuid, events] : by_track) {
    std::stable_sort(events.begin(), events.end(), [](const TrackEvent& a, const TrackEvent& b) {
      return a.timestamp < b.timestamp;
    });
    int depth = 0;
    for (const TrackEvent& event : events) {
      depth += event.type == pf::kSliceBegin ? 1 : -1;
      ASSERT_TRUE(depth == 0 || depth == 1)
          << trace_->tracks.at(uuid).name << " at " << event.timestamp << ' ' << event.name;
    }
    EXPECT_EQ(depth, 0);
  }
}

TEST_F(Perfetto, has_as_many_instructions_as_the_run_has_counted) {
  EXPECT_EQ(instructions(false), counter("riscv_instructions"));
  EXPECT_EQ(instructions(true), counter("tensix_instructions"));
  u64 units = 0;
  for (const TrackEvent& event : trace_->events)
    if (trace_->tracks.at(event.track).name.starts_with("unit: ") &&
        event.numbers.count("instructions") != 0)
      units += event.numbers.at("instructions");
  EXPECT_EQ(units, counter("tensix_instructions"));
}

TEST_F(Perfetto, has_every_packet_as_a_flow_from_its_sender_to_its_target) {
  std::map<u64, TrackEvent> sent;
  u64 packets = 0;
  u64 bytes = 0;
  u64 ended = 0;
  for (const TrackEvent& event : trace_->events) {
    if (event.flow == 0) continue;
    if (!event.ends) {
      ++packets;
      // A request to read carries nothing, and the answers here come from DRAM.
      if (event.name.starts_with("sends write to") || event.name.starts_with("sends atomic to"))
        bytes += event.numbers.at("bytes");
      EXPECT_TRUE(sent.emplace(event.flow, event).second) << event.name;
      continue;
    }
    ++ended;
    const auto found = sent.find(event.flow);
    if (found == sent.end()) continue;  // what was under way when the launch began
    EXPECT_LT(found->second.timestamp, event.timestamp);
    EXPECT_EQ(found->second.numbers.at("bytes"), event.numbers.at("bytes"));
    EXPECT_NE(found->second.track, event.track);
  }
  EXPECT_EQ(packets, counter("noc_packets"));
  EXPECT_EQ(bytes, counter("noc_bytes"));
  EXPECT_GT(ended, packets / 2);
}

TEST_F(Perfetto, counts_pages_up_to_the_places_of_a_buffer_and_back) {
  std::map<u64, i64> last;
  std::set<std::string> names;
  for (const TrackEvent& event : trace_->events) {
    if (event.type != pf::kCounterEvent) continue;
    const Track& track = trace_->tracks.at(event.track);
    EXPECT_TRUE(track.counter) << track.name;
    EXPECT_GE(event.value, 0) << track.name;
    EXPECT_LE(event.value, track.name.starts_with("CB ") ? 2 : 15) << track.name;
    names.insert(track.name);
    last[event.track] = event.value;
  }
  EXPECT_EQ(names.count("CB 0 pages"), 1u);
  EXPECT_EQ(names.count("CB 16 pages"), 1u);
  EXPECT_EQ(names.count("semaphore 1"), 1u);
  for (const auto& [uuid, value] : last) {
    if (trace_->tracks.at(uuid).name != "CB 16 pages") continue;
    EXPECT_EQ(value, 0);
  }
}

TEST_F(Perfetto, names_functions_and_waits) {
  std::set<std::string> names;
  for (const TrackEvent& event : trace_->events) names.insert(event.name);
  for (const char* name :
       {"MVMUL", "waits for SrcA and SrcB to be valid", "MultiplyTiles", "waits for pages in CB 0"})
    EXPECT_EQ(names.count(name), 1u) << name;
}

TEST(PerfettoCommand, wants_a_file) {
  const Scratch scratch("bhemu_perfetto_file_test");
  const CommandResult result =
      bhemu(scratch, std::string("run ") + BHEMU_SOURCE_DIR +
                         "/examples/add_scalar.yaml --trace - --trace-format perfetto");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("wants a file"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bhemu::test
