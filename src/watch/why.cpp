#include "watch/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/error.hpp"
#include "tensix/disasm.hpp"
#include "tensix/isa.hpp"

namespace bhemu::watch {
namespace {

using host::InputError;

// More parts of one place than anybody reads.
constexpr std::size_t kMostParts = 6;

Answer answer_of(NodeId node, const Written& written) {
  Answer answer;
  answer.node = node;
  answer.place = written.place;
  answer.writer = written.writer;
  answer.known = written.known;
  return answer;
}

Answer nobody(NodeId node, const Place& place) {
  Answer answer;
  answer.node = node;
  answer.place = place;
  answer.known = false;
  return answer;
}

bool same_writer(const Actor& a, const Actor& b) {
  return a.kind == b.kind && a.author.agent == b.author.agent && a.author.pc == b.author.pc &&
         a.author.cycle == b.author.cycle && a.author.tile == b.author.tile &&
         a.request == b.request;
}

/// The same half of the next row of Dst.
bool is_next_half(const Place& before, const Place& place) {
  return place.area == Area::Dst && place.size() == kHalfUnits && place.begin % kHalfUnits == 0 &&
         before.size() % kRowUnits == kHalfUnits && before.begin % kHalfUnits == 0 &&
         before.end + kHalfUnits == place.begin;
}

class Trail {
 public:
  explicit Trail(const WritersOfDevice& writers) : writers_(writers) {}

  void follow(Answer& answer, unsigned depth) const {
    const std::vector<Written>* sources = nullptr;
    NodeId node = answer.node;
    std::vector<Written> found;
    switch (answer.writer.kind) {
      case Actor::Kind::Thread:
        if (Writers* of = writers_.of(node))
          if (const Record* record = of->record(answer.writer.record)) {
            found = of->sources_of(answer.writer.record, answer.place);
            sources = &found;
            answer.modes = record->modes;
          }
        answer.cut = sources == nullptr && answer.writer.record != 0;
        break;
      case Actor::Kind::Noc:
        sources = sources_of_request(answer, node, found);
        break;
      default:
        return;
    }
    if (sources == nullptr) return;
    if (depth == 0) {
      answer.cut |= !sources->empty();
      return;
    }
    add(answer, node, *sources, depth - 1);
    if (answer.writer.kind == Actor::Kind::Thread)
      for (Answer& source : answer.from) find_passed_over(source, answer);
  }

 private:
  /// Among what the reader has read: who has written beside the source after it was written.
  void find_passed_over(Answer& source, const Answer& reader) const {
    const bool dst = source.place.area == Area::Dst;
    if (!source.known || (!dst && source.place.area != Area::LReg)) return;
    Writers* const of = writers_.of(source.node);
    const Record* const read = of == nullptr ? nullptr : of->record(reader.writer.record);
    if (read == nullptr) return;
    const u32 opcode = dst ? tensix::op::SFPSTORE::kOpcode : tensix::op::SFPLOAD::kOpcode;
    const u64 width = dst ? kHalfUnits : kLaneUnits;
    Cycle latest = source.writer.author.cycle;
    for (const Written& beside : read->sources) {
      const Author& author = beside.writer.author;
      const bool same_row = beside.place.area == source.place.area &&
                            beside.place.begin / width == source.place.begin / width;
      if (!same_row || beside.writer.kind != Actor::Kind::Thread ||
          tensix::opcode_of(author.pc) != opcode || author.cycle <= latest)
        continue;
      latest = author.cycle;
      source.passed_over = beside.writer;
      const Record* const record = of->record(beside.writer.record);
      source.passed_modes = record == nullptr ? std::vector<Written>() : record->modes;
    }
  }

  /// What a request carried to the place: from its sender's L1, or from where it was read. `node`:
  /// where.
  const std::vector<Written>* sources_of_request(Answer& answer, NodeId& node,
                                                 std::vector<Written>& found) const {
    const Actor& writer = answer.writer;
    Writers* sender = writers_.of(writer.author.tile);
    const Sent* sent = sender == nullptr ? nullptr : sender->sent(writer.request);
    answer.cut = sent == nullptr;
    if (sent == nullptr) return nullptr;
    const trace::Request& request = sent->request;
    if (request.kind == trace::RequestKind::Write) {
      node = writer.author.tile;
      found = carried(answer.place, sent->source, request.remote, request.local, request.length);
      return &found;
    }
    node = sent->target;
    Writers* target = writers_.of(node);
    const std::vector<Written>* all =
        target == nullptr ? nullptr : target->served({writer.author.tile, writer.request});
    if (all == nullptr || request.kind != trace::RequestKind::Read) return all;
    found = carried(answer.place, *all, request.local, request.remote, request.length);
    return &found;
  }

  /// Of what a request of `length` bytes took from `source` to `target`: what came to a place.
  static std::vector<Written> carried(const Place& place, const std::vector<Written>& all,
                                      u64 target, u64 source, u32 length) {
    if (place.area != Area::Memory || place.begin < target || place.end > target + length)
      return all;
    const u64 begin = source + (place.begin - target);
    const u64 end = begin + place.size();
    std::vector<Written> parts;
    for (const Written& one : all) {
      Written part = one;
      part.place.begin = std::max(part.place.begin, begin);
      part.place.end = std::min(part.place.end, end);
      if (part.place.begin < part.place.end) parts.push_back(part);
    }
    return parts;
  }

  /// A row of Dst to which MVMUL adds for the hundredth time has no more to tell the hundredth
  /// time.
  static bool accumulates(const Answer& answer, const Answer& source) {
    return answer.writer.kind == Actor::Kind::Thread && source.writer.kind == Actor::Kind::Thread &&
           answer.place.area == source.place.area &&
           tensix::opcode_of(answer.writer.author.pc) == tensix::opcode_of(source.writer.author.pc);
  }

  void add(Answer& answer, NodeId node, const std::vector<Written>& sources, unsigned depth) const {
    for (const Written& source : sources) {
      // Parts of one thing by one writer are one.
      if (!answer.from.empty()) {
        Answer& before = answer.from.back();
        if (before.known && source.known && same_writer(before.writer, source.writer) &&
            before.place.area == source.place.area &&
            (before.place.end == source.place.begin || is_next_half(before.place, source.place))) {
          before.place.end = source.place.end;
          continue;
        }
      }
      if (answer.from.size() == kMostParts) {
        answer.cut = true;
        break;
      }
      answer.from.push_back(answer_of(node, source));
    }
    for (Answer& source : answer.from) {
      source.repeats = accumulates(answer, source);
      if (source.known && !source.repeats) follow(source, depth);
    }
  }

  const WritersOfDevice& writers_;
};

bool is_object(Area area) {
  return area >= Area::Semaphore;
}

void add_changes(Writers& writers, NodeId node, const Place& place, std::vector<Answer>& answers) {
  for (u64 index = place.begin; index < place.end; ++index) {
    const Place one{place.area, index, index + 1};
    const std::vector<Change> changes = writers.changes(one);
    for (const Change& change : changes) {
      Answer answer;
      answer.node = node;
      answer.place = one;
      answer.writer = change.actor;
      answer.values = true;
      answer.taken = change.taken;
      answer.before = change.before;
      answer.after = change.after;
      answers.push_back(std::move(answer));
    }
    if (changes.empty()) answers.push_back(nobody(node, one));
  }
}

}  // namespace

std::vector<Answer> why(const WritersOfDevice& writers, const Question& question, unsigned depth) {
  std::vector<Answer> answers;
  Writers* of = writers.of(question.node);
  const Trail trail(writers);
  for (const Place& place : question.places) {
    if (of == nullptr || is_object(place.area)) {
      if (of != nullptr) add_changes(*of, question.node, place, answers);
      continue;
    }
    const std::vector<Written> parts = of->last(place);
    u64 done = place.begin;
    const auto nobody_until = [&](u64 end) {
      if (end > done) answers.push_back(nobody(question.node, {place.area, done, end}));
    };
    for (const Written& part : parts) {
      nobody_until(part.place.begin);
      done = part.place.end;
      const bool goes_on = !answers.empty() && answers.back().known &&
                           answers.back().place.area == place.area &&
                           answers.back().place.end == part.place.begin &&
                           same_writer(answers.back().writer, part.writer);
      if (goes_on)
        answers.back().place.end = part.place.end;
      else
        answers.push_back(answer_of(question.node, part));
    }
    nobody_until(place.end);
  }
  for (Answer& answer : answers)
    if (answer.known && !answer.values) trail.follow(answer, depth);
  return answers;
}

Question parse_question(const std::string& setting, const std::string& text, const Board& board) {
  // The tile is what stands before the first space behind it or the first colon.
  std::string tile;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == ')') continue;
    if (c == ':') break;
    if (c == ' ') {
      const bool inside = tile.empty() || tile.back() == ',' || tile.back() == '-';
      if (inside) continue;
      break;
    }
    tile += c;
  }
  const std::size_t dash = tile.find_first_of("-,");
  u32 x = 256, y = 256;
  const auto number = [&](std::size_t from, std::size_t to, u32& value) {
    const auto read = std::from_chars(tile.data() + from, tile.data() + to, value);
    return read.ec == std::errc() && read.ptr == tile.data() + to && value < 256;
  };
  if (dash == std::string::npos || at >= text.size() || !number(0, dash, x) ||
      !number(dash + 1, tile.size(), y))
    throw InputError(setting, "",
                     fmt::format("'{}' must be a tile and a place in it, like '1-2 0x1000+64' or "
                                 "'1-2 dst:0'",
                                 text));
  Question question;
  question.tile = {static_cast<u8>(x), static_cast<u8>(y)};
  question.text = text;
  question.node = board.node_at_translated(question.tile);
  if (question.node == kNoNode)
    throw InputError(setting, "",
                     fmt::format("the board {} has no tile {}-{} (translated coordinates, see "
                                 "bhemu info)",
                                 board.name(), x, y));
  question.places = parse_places(setting, text.substr(at + 1));
  return question;
}

namespace {

std::string tile_text(const Device& device, NodeId node) {
  const Coord tile = device.coord_of(node);
  return fmt::format("({}, {})", tile.x, tile.y);
}

std::string place_at(Agent agent, u32 pc, Coord tile, const host::CodeMap& code) {
  const std::string where = code.locate(agent, pc, tile).text();
  return where.empty() ? fmt::format("pc {:#x}", pc) : where;
}

std::string instruction_text(const Actor& actor, const Device& device, const host::CodeMap& code) {
  std::string text = tensix::disassemble(actor.author.pc);
  if (const std::size_t space = text.find(' '); space != std::string::npos)
    text = text.substr(0, space);
  text = fmt::format("{} with {} {:#010x}", name_of(actor.author.agent), text, actor.author.pc);
  if (actor.author.origin == Origin::Mop) text += " of a MOP";
  if (actor.author.origin == Origin::Replay) text += " of a replay";
  text += fmt::format(" in cycle {}", actor.author.cycle);
  if (actor.pushed_from != Actor::kNoPc)
    text += fmt::format(
        ", pushed by {} at {}", name_of(actor.pusher),
        place_at(actor.pusher, actor.pushed_from, device.coord_of(actor.author.tile), code));
  return text;
}

void add_lines(const Device& device, const Answer& answer, NodeId asked, unsigned level,
               const host::CodeMap& code, std::string& text) {
  const std::string indent(2 + 2 * level, ' ');
  const std::string of = answer.node == asked ? "" : " of " + tile_text(device, answer.node);
  text += fmt::format("{}{}{}{}: ", indent, level == 0 ? "" : "from ", describe(answer.place), of);
  if (!answer.known) {
    text += "nobody has written it\n";
    return;
  }
  if (answer.taken)
    text += fmt::format("{} taken by ", answer.after);
  else if (answer.values)
    text += fmt::format("{} -> {} by ", answer.before, answer.after);
  text += text_of(device, answer.writer, code) + "\n";
  if (answer.passed_over)
    text += fmt::format("{}  (passed over by {}, whose lane was off)\n", indent,
                        text_of(device, *answer.passed_over, code));
  if (answer.repeats) text += fmt::format("{}  (and so on)\n", indent);
  for (const Answer& source : answer.from)
    add_lines(device, source, answer.node, level + 1, code, text);
  if (answer.cut && answer.from.empty())
    text += fmt::format("{}  (not followed further)\n", indent);
  else if (answer.cut)
    text += fmt::format("{}  and more\n", indent);
}

}  // namespace

std::string text_of(const Device& device, const Actor& actor, const host::CodeMap& code) {
  const Author& author = actor.author;
  const Coord tile = device.coord_of(author.tile);
  switch (actor.kind) {
    case Actor::Kind::Core:
      return fmt::format("{} at {} in cycle {}", name_of(author.agent),
                         place_at(author.agent, author.pc, tile, code), author.cycle);
    case Actor::Kind::Thread:
      return instruction_text(actor, device, code);
    case Actor::Kind::Noc:
      if (!is_core(actor.issuer) || actor.request == 0)
        return fmt::format("{} in cycle {}", name_of(author.agent), author.cycle);
      return fmt::format("{} in cycle {}, for {} of {} at {}", name_of(author.agent), author.cycle,
                         name_of(actor.issuer), tile_text(device, author.tile),
                         place_at(actor.issuer, author.pc, tile, code));
    case Actor::Kind::Mover:
      return fmt::format("the mover in cycle {}, for {} at {}", author.cycle, name_of(author.agent),
                         place_at(author.agent, author.pc, tile, code));
    case Actor::Kind::Host:
      break;
  }
  return fmt::format("the host in cycle {}", author.cycle);
}

std::string text_of(const Device& device, const Question& question,
                    const std::vector<Answer>& answers, const host::CodeMap& code) {
  std::string text = fmt::format("why {}\n", question.text);
  for (const Answer& answer : answers) add_lines(device, answer, question.node, 0, code, text);
  if (answers.empty()) text += "  nothing here is written by anybody\n";
  return text;
}

}  // namespace bhemu::watch
