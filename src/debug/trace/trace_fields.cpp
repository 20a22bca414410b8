#include "debug/trace/trace_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "riscv/disasm.hpp"
#include "tensix/disasm.hpp"
#include "tile/wait_text.hpp"

namespace bhemu::debug {
namespace {

using trace::Event;

constexpr unsigned kWord = 8;  // digits of a 32-bit value
constexpr unsigned kPc = 5;    // of an address of L1

/// Field names of a memory access: address, and what was there or is there now.
void add_memory(TraceFields& out, const trace::MemoryUse& memory) {
  if (memory.size == 0) return;
  out.hex("addr", memory.address, kPc);
  out.number("size", memory.size);
  const unsigned digits = memory.size * 2u;
  const u64 mask = ~u32{0} >> (32 - 8 * memory.size);
  if (memory.load) out.hex("load", memory.loaded & mask, digits);
  if (memory.store) out.hex("store", memory.stored & mask, digits);
}

std::string_view name_of_register(trace::RegisterFile file, u8 reg) {
  return file == trace::RegisterFile::Float ? riscv::float_register_name(reg)
                                            : riscv::integer_register_name(reg);
}

std::string target_name(NodeId node, const std::vector<trace::NodeName>& nodes) {
  return node < nodes.size() ? trace_name_of(nodes[node].translated) : "?";
}

constexpr std::string_view kSources[] = {"queue", "brisc", "mop", "replay"};
constexpr std::string_view kPackets[] = {"write",         "read",      "atomic",
                                         "read-response", "write-ack", "atomic-response"};

/// Writes the fields of each kind of event.
struct Describe {
  const Event& event;
  const std::vector<trace::NodeName>& nodes;
  TraceFields& out;

  void operator()(const trace::Retired& e) {
    out.event = "retire";
    out.hex("pc", e.pc, kPc);
    out.hex("word", e.word, kWord);
    if (e.file != trace::RegisterFile::None) {
      out.text("rd", std::string(name_of_register(e.file, e.reg)));
      out.hex("value", e.value, kWord);
    }
    add_memory(out, e.memory);
    out.remark = riscv::disassemble(e.word, e.pc);
  }
  void operator()(const trace::VectorElement& e) {
    out.event = "element";
    out.hex("pc", e.pc, kPc);
    out.number("index", e.index);
    add_memory(out, e.memory);
  }
  void operator()(const trace::Repeated& e) {
    out.event = "repeat";
    out.number("period", e.period);
    out.number("instructions", e.instructions);
    out.number("first", e.first);
    const u64 rest = e.instructions % e.period;
    out.remark =
        fmt::format("the last {} instruction{} {} more time{}", e.period, e.period == 1 ? "" : "s",
                    e.instructions / e.period, e.instructions / e.period == 1 ? "" : "s");
    if (rest != 0) out.remark += fmt::format(", and {} of them again", rest);
  }
  void operator()(const trace::Interrupted& e) {
    out.event = "interrupt";
    out.hex("pc", e.from, kPc);
    out.hex("handler", e.handler, kPc);
  }
  void operator()(const trace::Pushed& e) {
    out.event = "push";
    out.number("thread", e.thread);
    out.hex("word", e.word, kWord);
    out.remark = tensix::disassemble(e.word);
  }
  void operator()(const trace::Executed& e) {
    out.event = "execute";
    out.hex("word", e.word, kWord);
    out.text("from", std::string(kSources[static_cast<unsigned>(e.source)]));
    if (e.end > event.cycle + 1) out.number("until", e.end);
    out.remark = tensix::disassemble(e.word);
  }
  void operator()(const trace::StallBegin& e) {
    out.event = "stall";
    at(e.at);
    out.text("wait", std::string(trace::name_of(e.reason.wait)));
    if (e.reason.index != 0) out.number("index", e.reason.index);
    if (e.since != kNever) out.number("since", e.since);
    out.remark = tile::what_of(e.waits);
    if (const std::string who = tile::who_of(e.waits); !who.empty())
      out.remark += fmt::format("; can be released by: {}", who);
  }
  void operator()(const trace::StallEnd& e) {
    out.event = "resume";
    at(e.at);
    if (e.begin != kNever) out.number("after", event.cycle - e.begin);
  }
  /// Where an agent stands: a pc, or the instruction word of a thread.
  void at(u32 where) {
    const bool thread = event.agent >= Agent::Thread0 && event.agent <= Agent::Thread2;
    if (thread)
      out.hex("word", where, kWord);
    else
      out.hex("pc", where, kPc);
  }
  void operator()(const trace::Packet& e) {
    out.event = e.arrives ? "arrive" : "send";
    out.text("kind", std::string(kPackets[static_cast<unsigned>(e.kind)]));
    out.number("noc", e.noc);
    out.text("from", target_name(e.source, nodes));
    out.text("to", target_name(e.target, nodes));
    out.hex("addr", e.address, kPc);
    out.number("size", e.length);
    if (e.length != 0 && e.length <= 4) out.hex("value", e.value, kWord);
    out.number("id", e.transaction_id);
    out.number("vc", e.virtual_channel);
    out.text("by", std::string(trace_name_of(e.issuer)));
    out.hex("by_pc", e.issuer_pc, kPc);
    out.flag("posted", e.posted);
    out.flag("linked", e.linked);
    out.flag("inline", e.inline_data);
    if (e.arrives)
      out.number("sent", e.issued);
    else
      out.number("arrives", e.arrival);
  }
  void operator()(const trace::SemaphoreChanged& e) {
    out.event = "semaphore";
    out.number("index", e.index);
    out.number("before", e.before);
    out.number("after", e.after);
    out.number("max", e.max);
  }
  void operator()(const trace::QueueMoved& e) {
    const bool mailbox = e.queue == trace::Queue::Mailbox;
    out.event = mailbox ? "mailbox" : "pcbuf";
    out.text("op", e.push ? "push" : "pop");
    out.text("from", std::string(trace_name_of(agent_of(e.from))));
    out.text("to", std::string(trace_name_of(agent_of(e.to))));
    out.hex("value", e.value, kWord);
  }
  void operator()(const trace::StreamChanged& e) {
    // The registers that software uses as the counters of a circular buffer.
    constexpr u16 kAcked = 8;
    constexpr u16 kReceived = 10;
    out.event = "stream";
    out.number("stream", e.stream);
    out.number("index", e.index);
    out.hex("before", e.before);
    out.hex("after", e.after);
    out.remark = e.name;
    if (e.index == kAcked) out.remark += " (pages acknowledged)";
    if (e.index == kReceived) out.remark += " (pages received)";
  }
  void operator()(const trace::ResetChanged& e) {
    out.event = e.held ? "reset" : "release";
    out.hex("pc", e.pc, kPc);
  }
  void operator()(const trace::HostAccess& e) {
    out.event = e.write ? "host-write" : "host-read";
    out.hex("addr", e.address, kPc);
    out.number("size", e.bytes);
    std::string data;
    for (u64 i = 0; i < std::min<u64>(e.bytes, e.head.size()); ++i)
      data += fmt::format("{:02x}", e.head[i]);
    out.text("data", e.bytes > e.head.size() ? data + "..." : data);
    if (e.window != trace::HostAccess::kNoWindow) out.number("window", static_cast<u64>(e.window));
    out.flag("refused", !e.done);
  }
  void operator()(const trace::Faulted& e) {
    out.event = "fault";
    out.text("rule", info_of(e.rule).name);
    out.text("severity", e.severity == Severity::Error ? "error" : "warn");
    at(e.pc);
    out.remark = e.text;
  }
};

}  // namespace

std::string_view trace_name_of(Agent agent) {
  static constexpr std::string_view kNames[kAgents] = {
      "brisc",   "ncrisc", "trisc0", "trisc1", "trisc2", "thread0", "thread1",
      "thread2", "niu0",   "niu1",   "mover",  "host",   "erisc0",  "erisc1"};
  return kNames[static_cast<unsigned>(agent)];
}

std::string trace_name_of(Coord tile) {
  return fmt::format("{}-{}", tile.x, tile.y);
}

TraceFields fields_of(const Event& event, const std::vector<trace::NodeName>& nodes) {
  TraceFields out;
  std::visit(Describe{event, nodes, out}, event.detail);
  return out;
}

}  // namespace bhemu::debug
