// The packets of gdb's remote serial protocol that are answered (gdb manual, "Packets", "General
// Query Packets", "vCont"). Threads are numbered from 1: p<tile>.<core> where gdb knows of
// processes, else eight times the tile's number plus the core's.
#include <fmt/format.h>

#include <algorithm>

#include "gdb/registers.hpp"
#include "gdb/server.hpp"

namespace bhemu::gdb {
namespace {

constexpr const char* kOk = "OK";
constexpr const char* kMalformed = "E01";
constexpr const char* kNoSuchThread = "E02";
constexpr const char* kNoMemory = "E03";
constexpr unsigned kThreadsPerTile = 8;
constexpr std::size_t kMostMemory = 0x1000;  // bytes in a reply
constexpr u32 kMostLdm = 0x2000;

std::string word_text(u32 value) {
  return to_hex(std::span(reinterpret_cast<const u8*>(&value), sizeof value));
}

std::optional<u32> word_of(std::string_view text) {
  const auto bytes = bytes_of_hex(text);
  if (!bytes || bytes->size() != 4) return std::nullopt;
  u32 value = 0;
  std::copy(bytes->begin(), bytes->end(), reinterpret_cast<u8*>(&value));
  return value;
}

std::string escaped_xml(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

}  // namespace

std::optional<std::string> Server::reply_to(std::string_view packet) {
  if (packet.empty()) return "";
  const std::string_view rest = packet.substr(1);
  switch (packet[0]) {
    case '?':
      return stop_text(stop_.why == Why::Begin ? Stop{Why::Step, stop_.place} : stop_);
    case '!':
      return kOk;
    case 'q':
      return answer_query(packet);
    case 'Q':
      return answer_set(packet);
    case 'H':
      return select_thread(rest);
    case 'T': {
      Fields fields(rest);
      return place_of(fields, general_) ? kOk : kNoSuchThread;
    }
    case 'g':
      return read_registers();
    case 'G':
      return write_registers(rest);
    case 'p':
      return read_one(rest);
    case 'P':
      return write_one(rest);
    case 'm':
      return read_memory(rest);
    case 'M':
      return write_memory(rest, false);
    case 'X':
      return write_memory(rest, true);
    case 'Z':
    case 'z':
      return change_breakpoint(packet);
    default:
      return answer_other(packet);
  }
}

std::optional<std::string> Server::answer_other(std::string_view packet) {
  if (packet.starts_with("vCont;")) return resume(packet.substr(6));
  if (packet == "vCont?") return "vCont;c;C;s;S;t;r";
  if (packet.starts_with("vAttach;")) return attach(packet.substr(8));
  const bool kills = packet == "k" || packet.starts_with("vKill;");
  if (kills || packet[0] == 'D') {
    if (packet != "k") tell(kOk);
    killed_ = kills;
    resumed_ = true;
    link_.close();
    return std::nullopt;
  }
  if (packet[0] == 'c' || packet[0] == 'C') return go_on(std::nullopt);
  if (packet[0] == 's' || packet[0] == 'S')
    return go_on(Stepping{control_, state_of(control_).instret, 0, 0, false});
  if (packet == "bs" || packet == "bc") return go_back(packet == "bs");
  return "";
}

// --- Queries.

std::string Server::answer_query(std::string_view packet) {
  if (packet.starts_with("qSupported")) {
    multiprocess_ = packet.find("multiprocess+") != std::string_view::npos;
    return fmt::format(
        "PacketSize={:x};QStartNoAckMode+;vContSupported+;qXfer:features:read+;"
        "qXfer:threads:read+;swbreak+;hwbreak+;ReverseStep+;ReverseContinue+{}",
        kMostMemory * 2 + 64, multiprocess_ ? ";multiprocess+" : "");
  }
  if (packet.starts_with("qXfer:")) return transfer(packet.substr(6));
  if (packet == "qfThreadInfo") return "m" + thread_list();
  if (packet == "qsThreadInfo") return "l";
  if (packet == "qC") return "QC" + thread_id(general_);
  if (packet.starts_with("qAttached")) return "1";
  if (packet.starts_with("qSymbol")) return kOk;
  if (packet.starts_with("qThreadExtraInfo,")) {
    Fields fields(packet.substr(17));
    const auto place = place_of(fields, general_);
    return place ? to_hex(core_text(*place)) : kNoSuchThread;
  }
  if (packet.starts_with("qRcmd,")) {
    const auto command = bytes_of_hex(packet.substr(6));
    if (!command) return kMalformed;
    const std::string text =
        monitor({reinterpret_cast<const char*>(command->data()), command->size()});
    return text.empty() ? kOk : to_hex(text);
  }
  return "";
}

std::string Server::answer_set(std::string_view packet) {
  if (packet == "QStartNoAckMode") return kOk;
  return packet == "QNonStop:0" ? kOk : "";
}

/// qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH
std::string Server::transfer(std::string_view packet) {
  Fields fields(packet);
  const std::string_view object = fields.until(':');
  const std::string_view operation = fields.until(':');
  const std::string_view annex = fields.until(':');
  const auto offset = fields.number();
  const bool comma = fields.take(",");
  const auto length = fields.number();
  if (operation != "read" || !offset || !comma || !length) return kMalformed;
  std::string text;
  if (object == "threads" && annex.empty())
    text = threads_xml();
  else if (object == "features" && annex == "target.xml")
    text = target_description();
  else
    return "E00";
  if (*offset >= text.size()) return "l";
  const std::size_t count = static_cast<std::size_t>(std::min<u64>(*length, kMostMemory));
  const std::string_view part = std::string_view(text).substr(*offset, count);
  return (*offset + part.size() < text.size() ? "m" : "l") + escaped(part);
}

// --- Threads.

std::string Server::thread_id(Place place) const {
  return multiprocess_ ? fmt::format("p{:x}.{:x}", place.tile + 1, place.core + 1)
                       : fmt::format("{:x}", place.tile * kThreadsPerTile + place.core + 1);
}

/// Any thread (0, -1, none named) is `otherwise`, or the first of its process.
std::optional<Server::Place> Server::place_of(Fields& fields, Place otherwise) const {
  const auto number = [&fields]() -> std::optional<u64> {
    return fields.take("-1") ? 0 : fields.number();
  };
  if (fields.take("p")) {
    const auto process = number();
    if (!process || *process > tiles_.size()) return std::nullopt;
    const unsigned tile = *process == 0 ? otherwise.tile : static_cast<unsigned>(*process - 1);
    const unsigned any = tile == otherwise.tile ? otherwise.core : 0;
    if (!fields.take(".")) return Place{tile, any};
    const auto thread = number();
    if (!thread || *thread > kCores) return std::nullopt;
    return Place{tile, *thread == 0 ? any : static_cast<unsigned>(*thread - 1)};
  }
  const auto thread = number();
  if (!thread || *thread > tiles_.size() * kThreadsPerTile) return std::nullopt;
  if (*thread == 0) return otherwise;
  const Place place{static_cast<unsigned>((*thread - 1) / kThreadsPerTile),
                    static_cast<unsigned>((*thread - 1) % kThreadsPerTile)};
  if (place.core >= kCores) return std::nullopt;
  return place;
}

std::string Server::thread_list() const {
  std::string list;
  for (unsigned tile = ended_; tile < tiles_.size(); ++tile)
    for (unsigned core = 0; core < kCores; ++core)
      list += (list.empty() ? "" : ",") + thread_id({tile, core});
  return list;
}

std::string Server::threads_xml() const {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (unsigned tile = ended_; tile < tiles_.size(); ++tile) {
    const Member& member = tiles_[tile];
    for (unsigned core = 0; core < kCores; ++core) {
      std::string name = name_of(member.tile->shape().core[core]);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      text += fmt::format("<thread id=\"{}\" core=\"{}\" name=\"({},{}) {}\">{}</thread>\n",
                          thread_id({tile, core}), tile * kCores + core, member.coord.x,
                          member.coord.y, name, escaped_xml(core_text({tile, core})));
    }
  }
  return text + "</threads>\n";
}

std::string Server::select_thread(std::string_view arguments) {
  if (arguments.empty()) return kMalformed;
  Fields fields(arguments.substr(1));
  const bool steps = arguments[0] == 'c';
  if (!steps && arguments[0] != 'g') return kMalformed;
  const auto place = place_of(fields, stop_.place);
  if (!place) return kNoSuchThread;
  (steps ? control_ : general_) = *place;
  return kOk;
}

std::string Server::attach(std::string_view arguments) {
  Fields fields(arguments);
  const auto process = fields.number();
  if (!process || *process == 0 || *process > tiles_.size()) return kNoSuchThread;
  general_ = control_ = {static_cast<unsigned>(*process - 1), 0};
  return stop_text({Why::Attached, general_});
}

// --- Registers.

riscv::CoreState& Server::changeable(Place place) {
  changed_ = true;
  history_.clear();
  return tiles_[place.tile].tile->state_for_debugger(place.core);
}

/// x and pc. gdb asks for the others one by one; for an inferior whose description it has not
/// fetched there are no others.
std::string Server::read_registers() {
  std::string text;
  for (u32 number = 0; number <= kPcNumber; ++number)
    text += word_text(read_register(state_of(general_), number).value_or(0));
  return text;
}

std::string Server::write_registers(std::string_view arguments) {
  const auto bytes = bytes_of_hex(arguments);
  if (!bytes || bytes->size() % 4 != 0 || bytes->size() > kFirstCsr * 4) return kMalformed;
  riscv::CoreState& state = changeable(general_);
  for (u32 number = 0; number < bytes->size() / 4; ++number)
    write_register(state, number, word_of(arguments.substr(number * 8, 8)).value_or(0));
  return kOk;
}

std::string Server::read_one(std::string_view arguments) {
  Fields fields(arguments);
  const auto number = fields.number();
  if (!number || *number > 0xFFFF) return kMalformed;
  const riscv::CoreState& state = state_of(general_);
  if (const auto vector = read_vector(state, static_cast<u32>(*number))) {
    // "Not available" of a core that has none.
    if (state.id != CoreId::Trisc2) return std::string(2 * vector->size(), 'x');
    return to_hex(*vector);
  }
  const auto value = read_register(state, static_cast<u32>(*number));
  return value ? word_text(*value) : kMalformed;
}

std::string Server::write_one(std::string_view arguments) {
  Fields fields(arguments);
  const auto number = fields.number();
  const bool is = fields.take("=");
  const std::string_view digits = fields.rest();
  if (!number || *number > 0xFFFF || !is) return kMalformed;
  if (*number >= kFirstVector) return write_wide(static_cast<u32>(*number), digits);
  const auto value = word_of(digits);
  if (!value) return kMalformed;
  return write_register(changeable(general_), static_cast<u32>(*number), *value) ? kOk : kMalformed;
}

std::string Server::write_wide(u32 number, std::string_view digits) {
  const auto bytes = bytes_of_hex(digits);
  VectorBytes value;
  if (!bytes || bytes->size() != value.size()) return kMalformed;
  std::copy(bytes->begin(), bytes->end(), value.begin());
  riscv::CoreState& state = changeable(general_);
  return state.id == CoreId::Trisc2 && write_vector(state, number, value) ? kOk : kMalformed;
}

// --- Memory.

std::string Server::read_memory(std::string_view arguments) {
  Fields fields(arguments);
  const auto address = fields.number();
  const bool comma = fields.take(",");
  const auto length = fields.number();
  if (!address || !comma || !length || *address > ~u32{0}) return kMalformed;
  std::vector<u8> bytes(static_cast<std::size_t>(std::min<u64>(*length, kMostMemory)));
  tile::Tile& tile = *tiles_[general_.tile].tile;
  const CoreId core = tile.shape().core[general_.core];
  if (bytes.empty() || !tile.look(core, static_cast<u32>(*address), bytes)) return kNoMemory;
  return to_hex(bytes);
}

std::string Server::write_memory(std::string_view arguments, bool binary) {
  Fields fields(arguments);
  const auto address = fields.number();
  const bool comma = fields.take(",");
  const auto length = fields.number();
  const bool colon = fields.take(":");
  if (!address || !comma || !length || !colon || *address > ~u32{0}) return kMalformed;
  std::vector<u8> bytes(fields.rest().begin(), fields.rest().end());
  if (!binary) {
    const auto decoded = bytes_of_hex(fields.rest());
    if (!decoded) return kMalformed;
    bytes = *decoded;
  }
  if (bytes.size() != *length) return kMalformed;
  if (bytes.empty()) return kOk;
  tile::Tile& tile = *tiles_[general_.tile].tile;
  changed_ = true;
  history_.clear();
  const CoreId core = tile.shape().core[general_.core];
  return tile.poke(core, static_cast<u32>(*address), bytes) ? kOk : kNoMemory;
}

// --- Breakpoints.

/// Z0,ADDRESS,KIND and so on; a gdb that knows no processes means all tiles.
std::string Server::change_breakpoint(std::string_view packet) {
  const bool inserts = packet[0] == 'Z';
  Fields fields(packet.substr(1));
  const auto type = fields.number();
  const bool comma = fields.take(",");
  const auto address = fields.number();
  const bool second = fields.take(",");
  const auto kind = fields.number();
  if (!type || !comma || !address || !second || !kind || *address > ~u32{0}) return kMalformed;
  if (*type > static_cast<u64>(WatchKind::Access)) return "";
  const u32 at = static_cast<u32>(*address);
  const u32 bytes = static_cast<u32>(std::min<u64>(*kind, ~at));
  for (unsigned tile = 0; tile < tiles_.size(); ++tile) {
    if (tile != general_.tile && (multiprocess_ || *type >= 2)) continue;
    Member& member = tiles_[tile];
    if (*type < 2) {
      inserts ? member.breakpoints.insert(at) : member.breakpoints.remove(at);
      continue;
    }
    const Watch watch{static_cast<WatchKind>(*type), at, bytes, general_.core};
    if (bytes == 0 || bytes > kMostMemory || (at >= kL1Size && at - riscv::kLdmBase >= kMostLdm))
      return kNoMemory;
    std::vector<u8> there(bytes);
    if (!member.tile->look(member.tile->shape().core[general_.core], at, there)) return kNoMemory;
    if (inserts) {
      member.breakpoints.insert(watch);
    } else {
      member.tile->observe(at, bytes, false);
      member.breakpoints.remove(watch);
    }
  }
  return kOk;
}

// --- Going on.

std::optional<std::string> Server::go_on(std::optional<Stepping> stepping) {
  stepping_ = stepping;
  if (!stepping || !stepping->alone)
    for (Member& member : tiles_) member.breakpoints.settle();
  resumed_ = true;
  return std::nullopt;
}

/// vCont: everybody runs, whatever gdb says of whom; at most one thread is stepped.
std::optional<std::string> Server::resume(std::string_view actions) {
  Fields fields(actions);
  std::optional<Stepping> stepping;
  bool others = false;
  while (!fields.empty()) {
    Fields action(fields.until(';'));
    const std::string_view all = action.rest();
    const bool steps = !all.empty() && (all[0] == 's' || all[0] == 'S' || all[0] == 'r');
    if (all.empty() || std::string_view("csCSrt").find(all[0]) == std::string_view::npos)
      return kMalformed;
    std::string_view range = action.until(':');
    if (action.empty()) {
      others |= !steps;
      if (!steps) continue;
    }
    const auto place = action.empty() ? control_ : place_of(action, control_);
    if (!place) return kNoSuchThread;
    if (!steps || stepping) {
      others = true;
      continue;
    }
    stepping = Stepping{*place, state_of(*place).instret, 0, 0, false};
    Fields bounds(range.substr(1));
    if (range[0] != 'r') continue;
    const auto begin = bounds.number();
    const bool comma = bounds.take(",");
    const auto end = bounds.number();
    if (!begin || !comma || !end) return kMalformed;
    stepping->begin = static_cast<u32>(*begin);
    stepping->end = static_cast<u32>(*end);
  }
  if (stepping) stepping->alone = !others;
  return go_on(stepping);
}

}  // namespace bhemu::gdb
