#include "host/report/cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "host/boot/mailboxes.hpp"
#include "host/report/explanation.hpp"
#include "host/report/launch_mistakes.hpp"
#include "tile/tile.hpp"

namespace bhemu::host {
namespace {

class Teller {
 public:
  Teller(Device& device, const Situation& situation, const CodeMap& code)
      : device_(device), situation_(situation), code_(code), context_{device, situation, code} {}

  FirstCause tell() {
    const std::vector<Standing>& all = situation_.standing;
    const bool kernels =
        std::any_of(all.begin(), all.end(), [](const Standing& one) { return !one.firmware; });
    if (!kernels) return of_firmware();
    std::vector<const Standing*> running;
    for (const Standing& one : all)
      if (one.running && !one.firmware) running.push_back(&one);
    if (!running.empty()) return of_running(running);
    if (const Standing* root = find_root()) return of_root(*root);
    return of_circle(find_circle());
  }

 private:
  tile::Tile& tile_of(const Standing& one) const { return *device_.tile_of(one.node); }

  // --- Which one.

  /// How many wait for it, directly or not.
  size_t dependents(size_t index) const {
    std::set<size_t> seen{index};
    for (bool grown = true; grown;) {
      grown = false;
      for (size_t i = 0; i < situation_.standing.size(); ++i)
        for (const size_t from : situation_.standing[i].from)
          if (seen.count(from) != 0 && seen.insert(i).second) grown = true;
    }
    return seen.size();
  }

  /// A fault has been told when it came; what waits now waits because of it.
  static bool stopped_by_fault(const Standing& one) {
    return std::any_of(one.waits.all.begin(), one.waits.all.end(),
                       [](const Wait& wait) { return wait.kind == Awaited::Fault; });
  }

  static int clearness(const Standing& one) {
    return stopped_by_fault(one)                                  ? 4
           : one.impossible                                       ? 3
           : one.want == Want::Other                              ? 0
           : one.want == Want::Register || one.want == Want::Busy ? 1
                                                                  : 2;
  }

  /// What may have been meant for it went elsewhere.
  bool has_clue(const Standing& one) const {
    return one.want == Want::Word &&
           explain(context_, one).giver.find(" (but ") != std::string::npos;
  }

  const Standing* find_root() const {
    const Standing* best = nullptr;
    std::tuple<int, size_t, bool> most{-1, 0, false};
    for (size_t i = 0; i < situation_.standing.size(); ++i) {
      const Standing& one = situation_.standing[i];
      if (one.firmware || !one.from.empty()) continue;
      const std::tuple<int, size_t, bool> rank{clearness(one), dependents(i), has_clue(one)};
      if (rank > most) most = rank, best = &one;
    }
    return best;
  }

  std::vector<const Standing*> find_circle() const {
    std::vector<size_t> path;
    for (size_t i = 0; i < situation_.standing.size(); ++i)
      if (!situation_.standing[i].firmware) {
        path.push_back(i);
        break;
      }
    while (!path.empty()) {
      const size_t next = situation_.standing[path.back()].from.front();
      const auto met = std::find(path.begin(), path.end(), next);
      if (met != path.end()) {
        path.erase(path.begin(), met);
        break;
      }
      path.push_back(next);
    }
    std::vector<const Standing*> circle;
    for (const size_t index : path) circle.push_back(&situation_.standing[index]);
    return circle;
  }

  // --- Sentences.

  FirstCause of_root(const Standing& one) const {
    FirstCause cause;
    cause.tile = one.tile;
    cause.agent = one.agent;
    cause.place = one.user;
    if (stopped_by_fault(one)) {
      cause.sentence = fmt::format("{}{} is {}, which was told when it happened.",
                                   name_of(context_, one), at(one.user), one.what);
      cause.remedy = "see to that fault; until the tile is reset nothing goes on there";
      return cause;
    }
    const Explanation text = explain(context_, one);
    cause.sentence = fmt::format("{} waits{} {}; {}.", name_of(context_, one), at(one.user),
                                 text.want, text.giver);
    cause.remedy = text.remedy;
    cause.rule = text.rule;
    if (one.want == Want::Word) cause.awaited = Spot{one.node, one.address, 4};
    if (one.want == Want::Remote) cause.awaited = Spot{one.remote, one.address, 4};
    if (const auto into = kernel_run_into(device_, one.tile)) {
      cause.sentence = fmt::format("{}. So {}", into->text, cause.sentence);
      cause.remedy = into->remedy;
    } else {
      tell_of_launch(one, cause);
    }
    return cause;
  }

  /// What the launch message says of the buffer that is waited for, or of the cores that could
  /// give it: a host that writes its launches itself gets them wrong.
  void tell_of_launch(const Standing& one, FirstCause& cause) const {
    if (one.want != Want::CbPages && one.want != Want::CbRoom && one.want != Want::Word) return;
    std::optional<LaunchMistake> found;
    const bool buffer = one.want != Want::Word;
    if (buffer && !one.impossible) found = buffer_not_launched(device_, one.tile, one.index);
    for (LaunchMistake& mistake : mistakes_of_launch(device_, one.tile)) {
      const bool concerns = (buffer && mistake.buffer == one.index) ||
                            mistake.kind == LaunchMistake::Kind::NotEnabled;
      if (!found && concerns) found = std::move(mistake);
    }
    if (!found) return;
    cause.sentence.pop_back();
    cause.sentence += fmt::format("; {}.", found->text);
    cause.remedy = found->remedy + "; else " + cause.remedy;
  }

  static std::string grouped_steps(const ProbedCount& count) {
    if (count.leaves_when == Relation::NotEqual || count.step == 0) return "";
    const u32 distance = count.step > 0 ? count.wanted - count.value : count.value - count.wanted;
    const u32 step = static_cast<u32>(count.step > 0 ? count.step : -count.step);
    return fmt::format(", {} rounds from now", distance / step);
  }

  FirstCause of_running(const std::vector<const Standing*>& all) const {
    const Standing& one = *all.front();
    FirstCause cause;
    cause.tile = one.tile;
    cause.agent = one.agent;
    cause.place = one.user;
    const bool loops =
        one.compared && one.want != Want::Other && (one.want != Want::Register || one.by_clock);
    std::string more;
    if (loops) {
      const Explanation text = explain(context_, one);
      more = fmt::format(", in a loop {}; {}", text.want, text.giver);
      cause.remedy = text.remedy;
    } else if (one.count) {
      more = fmt::format(
          ", in a loop that counts: it ends when its counter is {:#x}; it is {:#x} and changes by "
          "{} each round{}",
          one.count->wanted, one.count->value, one.count->step, grouped_steps(*one.count));
      cause.remedy =
          "look at where the end of the loop comes from (an argument, a count that went below 0), "
          "or let the run take more (--max-cycles)";
    } else {
      cause.remedy =
          "look at what would end these loops; where all is well, let the run take more "
          "(--max-cycles)";
    }
    constexpr size_t kShown = 3;
    std::string others;
    size_t count = 0;
    for (const Standing* other : all) {
      if (other == &one || (other->agent == one.agent && other->pc == one.pc)) continue;
      if (++count <= kShown)
        others += fmt::format("{}{}{}", count == 1 ? "; so does " : ", ",
                              name_of(context_, *other, true), at(other->user));
    }
    if (count > kShown) others += fmt::format(" and {} more", count - kShown);
    if (count != 0 && !loops && !one.count)
      cause.remedy =
          "if these cores only answer each other, let one of them end; where all is well, let the "
          "run take more (--max-cycles)";
    cause.sentence =
        fmt::format("{} still runs{}{}{}.", name_of(context_, one), at(one.user), more, others);
    return cause;
  }

  /// The matrix unit lacks one source while the other's banks are full: whoever hands them over
  /// does not do so in pairs.
  std::optional<FirstCause> of_sources(const std::vector<const Standing*>& circle) const {
    if (circle.size() != 2 || circle[0]->want != Want::Source || circle[1]->want != Want::Source)
      return std::nullopt;
    const Standing& taker = circle[0]->by_matrix ? *circle[0] : *circle[1];
    const Standing& giver = circle[0]->by_matrix ? *circle[1] : *circle[0];
    if (!taker.by_matrix || giver.by_matrix || taker.index == giver.index) return std::nullopt;
    const char* lacking = taker.index == 0 ? "SrcA" : "SrcB";
    const char* full = giver.index == 0 ? "SrcA" : "SrcB";
    const std::string places = places_of_handing_over(context_, giver);
    FirstCause cause;
    cause.tile = giver.tile;
    cause.agent = giver.agent;
    cause.place = giver.user;
    cause.sentence = fmt::format(
        "{} hands over {} more often than {}: it waits{} to fill a third bank of {}, of which the "
        "matrix unit has two, and {} waits{} for {}, of which it has none{}.",
        name_of(context_, giver, true), full, lacking, at(giver.user), full,
        name_of(context_, taker, true), at(taker.user), lacking,
        places.empty() ? "" : fmt::format("; {} is handed over at {}", full, places));
    cause.remedy = fmt::format(
        "hand {} and {} over in pairs where the matrix unit takes both: leave out the data valid "
        "that is too many, or give {} one as well (UNPACR, or UNPACR_NOP where it is not read)",
        full, lacking, lacking);
    return cause;
  }

  FirstCause of_circle(const std::vector<const Standing*>& circle) const {
    FirstCause cause;
    if (circle.empty()) return cause;
    if (auto sources = of_sources(circle)) return *sources;
    cause.tile = circle.front()->tile;
    cause.agent = circle.front()->agent;
    cause.place = circle.front()->user;
    std::string text;
    for (size_t i = 0; i < circle.size(); ++i) {
      const Standing& one = *circle[i];
      const Standing& next = *circle[(i + 1) % circle.size()];
      text += i == 0 ? name_of(context_, one, true) + " waits" : ", but waits itself";
      text += fmt::format("{} {}{}; {} would give it{}", at(one.user), explain(context_, one).want,
                          progress_of(context_, one), name_of(context_, next, true),
                          at(place_of_giving(one, next)));
    }
    cause.sentence = fmt::format("Deadlock, a circle of {}: {}.", circle.size(), text);
    cause.remedy = remedy_of(circle);
    tell_of_unposted(circle, cause);
    return cause;
  }

  /// The line by which somebody would give what is waited for, unless it waits in that very line.
  std::string place_of_giving(const Standing& one, const Standing& giver) const {
    for (size_t i = 0; i < one.from.size(); ++i) {
      if (&situation_.standing[one.from[i]] != &giver || one.from_pc[i] == 0) continue;
      std::string place = code_.locate(giver.agent, one.from_pc[i], giver.tile).users();
      return place == giver.user ? "" : place;
    }
    return "";
  }

  /// What could have been meant, by what the circle is made of.
  std::string remedy_of(const std::vector<const Standing*>& circle) const {
    std::string remedy = "let one of them give what it owes before it waits";
    u32 buffers = 0;
    for (const Standing* one : circle) {
      buffers += one->want == Want::CbPages || one->want == Want::CbRoom;
      if (one->want != Want::Word || !one->compared || one->relation == Relation::Less) continue;
      if (one->value == 0 && progress_of(context_, *one).empty() && is_semaphore(*one))
        remedy +=
            ", or begin a semaphore that counts what is free from the start with that count "
            "instead of 0";
      else if (one->wanted > one->value)
        remedy +=
            fmt::format(", or wait for as many signals as are sent before: {:#x} and not {:#x}",
                        one->value, one->wanted);
      return remedy;
    }
    return buffers < 2 ? remedy
                       : remedy +
                             ", take exactly as many pages as are pushed (cb_pop_front), or give "
                             "the buffers as many pages as are pushed before the first is taken";
  }

  bool is_semaphore(const Standing& one) const {
    const LaunchView launch = launch_of(tile_of(one), situation_.kernel_base);
    return launch.valid && one.address >= launch.semaphores && one.address < launch.semaphores_end;
  }

  /// A thread of the circle goes on asking for room and gives nothing: the others wait for what it
  /// has ready.
  void tell_of_unposted(const std::vector<const Standing*>& circle, FirstCause& cause) const {
    if (situation_.observed == nullptr) return;
    for (const Standing* one : circle) {
      if (one->want != Want::Semaphore || one->relation == Relation::Less) continue;
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        const UnpostedWaits waits =
            situation_.observed->unposted_waits(one->node, thread, one->index);
        if (waits.count < 2) continue;
        const Agent core = agent_of(static_cast<CoreId>(index_of(CoreId::Trisc0) + thread));
        const std::string place = code_.locate(core, waits.last_pc, one->tile).users();
        cause.agent = agent_of_thread(thread);
        cause.tile = one->tile;
        cause.place = place;
        cause.sentence = fmt::format(
            "{} of ({}, {}) has asked for room {} times{} (SEMWAIT of semaphore {}), and has "
            "handed over nothing in between (SEMPOST). {}",
            name_of(cause.agent), one->tile.x, one->tile.y, waits.count,
            place.empty() ? "" : ", the last time" + at(place), one->index, cause.sentence);
        cause.remedy = fmt::format(
            "post semaphore {} (SEMPOST; tile_regs_commit, where it guards Dst) once for each "
            "time that room was asked for",
            one->index);
        return;
      }
    }
  }

  FirstCause of_firmware() const {
    FirstCause first;
    for (const Standing& one : situation_.standing) {
      FirstCause cause;
      tile::Tile& tile = tile_of(one);
      const LaunchView launch = launch_of(tile, situation_.kernel_base);
      if (one.agent != Agent::Brisc) continue;
      cause.tile = one.tile;
      cause.agent = one.agent;
      cause.place = one.where;
      const std::string go = fmt::format("its last byte (L1[{:#x}]) is {:#04x}",
                                         launch.go_address + kGoSignalByte, launch.go);
      const std::string held = held_in_reset(tile);
      if (launch.go == kGoGo || (launch.go == kGoInit && !held.empty())) {
        cause.sentence =
            fmt::format("{} waits in firmware at {} for its other cores: {}.",
                        name_of(context_, one), one.where, cores_of(context_, one.node, one.agent));
        cause.remedy = "look at the core that has not ended";
        if (!held.empty()) {
          cause.sentence = fmt::format(
              "{} waits in firmware at {} for its other cores, but {} held in reset and can never "
              "answer.",
              name_of(context_, one), one.where, held);
          cause.remedy =
              "give those cores their code and let them go too (SOFT_RESET_0, 0xffb121b0; "
              "start_core), before or right after BRISC";
        }
      } else if (const std::string silent = not_reported(tile, launch); !silent.empty()) {
        cause.sentence = fmt::format(
            "{} waits in firmware at {} for its other cores to report that they have started: {} "
            "not, since their bytes of L1[{:#x}] are still INIT ({:#x}).",
            name_of(context_, one, true), one.where, silent, kProtocol96.subordinate_sync,
            unsigned{kGoInit});
        cause.remedy =
            "give those cores their firmware, and let the host release BRISC alone, which releases "
            "the others when it listens";
        return cause;
      } else if (const std::string beside = go_in_another_byte(tile, launch); !beside.empty()) {
        cause.sentence = fmt::format("{} waits in firmware for the go message: {}, but {}.",
                                     name_of(context_, one, true), go, beside);
        cause.remedy = "write the word 0x80000000: the signal is the last byte of the go message";
        return cause;
      } else {
        const char* meaning = launch.go == kGoDone   ? ", DONE: nobody has said GO"
                              : launch.go == kGoInit ? ", INIT: the tile is still being started"
                                                     : ", which is no signal that starts a kernel";
        cause.sentence = fmt::format(
            "{} waits in firmware for the go message: {}{}; only the host, or a dispatch core over "
            "the NoC, could send {:#x} (GO).",
            name_of(context_, one), go, meaning, unsigned{kGoGo});
        cause.remedy = "send the go message with 0x80 in its last byte, after the launch message";
        cause.only_idle = launch.go == kGoDone;
      }
      if (first.sentence.empty()) first = cause;
      // Of many that wait for a go, the one that lacks a core or was told something else.
      if (launch.go == kGoGo || cause.remedy.starts_with("give")) return cause;
    }
    return first.sentence.empty() ? of_reset() : first;
  }

  static std::string held_in_reset(tile::Tile& tile) {
    std::vector<const char*> held;
    for (unsigned core = 0; core < kCores; ++core)
      if (tile.status(static_cast<CoreId>(core)) == tile::CoreStatus::Reset)
        held.push_back(name_of(agent_of(static_cast<CoreId>(core))));
    if (held.empty()) return "";
    return fmt::format("{} {}", fmt::join(held, ", "), held.size() == 1 ? "is" : "are");
  }

  /// While a tile is started: "NCRISC, TRISC0 have".
  static std::string not_reported(tile::Tile& tile, const LaunchView& launch) {
    std::vector<const char*> silent;
    if (!launch.valid && launch.go_address == 0) return "";
    for (unsigned core = 1; core < kCores && launch.go == kGoInit; ++core)
      if (tile.l1().data()[kProtocol96.subordinate_sync + core - 1] == kGoInit)
        silent.push_back(name_of(agent_of(static_cast<CoreId>(core))));
    if (silent.empty()) return "";
    return fmt::format("{} {}", fmt::join(silent, ", "), silent.size() == 1 ? "has" : "have");
  }

  /// The signal is in the word, and not where it belongs.
  static std::string go_in_another_byte(tile::Tile& tile, const LaunchView& launch) {
    if (launch.go != kGoDone || launch.go_address == 0) return "";
    for (u32 byte = 0; byte < kGoSignalByte; ++byte)
      if (tile.l1().data()[launch.go_address + byte] == kGoGo)
        return fmt::format("{:#x} (GO) is in byte {} of it (L1[{:#x}])", unsigned{kGoGo}, byte,
                           launch.go_address + byte);
    return "";
  }

  /// No core runs anywhere: the tile that was told to go, else the first.
  FirstCause of_all_in_reset() const {
    FirstCause cause;
    cause.agent = Agent::Brisc;
    for (NodeId node = 0; node < device_.board().node_count(); ++node) {
      tile::Tile* const tile = device_.tile_of(node);
      if (tile == nullptr || !tile->shape().is_tensix()) continue;
      for (unsigned core = 0; core < tile->shape().cores; ++core)
        if (tile->status(tile->shape().core[core]) != tile::CoreStatus::Reset) return cause;
    }
    std::string told;
    for (const Coord coord : device_.board().tensix()) {
      tile::Tile& tile = *device_.tile_of(device_.board().node_at_translated(coord));
      const LaunchView launch = launch_of(tile, 0);
      if (!launch.valid || launch.go != kGoGo) continue;
      cause.tile = coord;
      told = fmt::format(", and the go message of ({}, {}) finds nobody", coord.x, coord.y);
      break;
    }
    cause.sentence = fmt::format(
        "Every core of every Tensix tile is held in reset, so that nothing can ever run{}.", told);
    cause.remedy =
        "boot the card first (boot(), bhemu_boot), or let the cores go whose code was loaded "
        "(start_core, bhemu_start_core; SOFT_RESET_0 at 0xffb121b0)";
    return cause;
  }

  FirstCause of_reset() const {
    FirstCause cause;
    if (situation_.tiles.empty()) return of_all_in_reset();
    for (const Coord coord : situation_.tiles) {
      const NodeId node = device_.board().node_at_translated(coord);
      tile::Tile* tile = node == kNoNode ? nullptr : device_.tile_of(node);
      if (tile == nullptr || tile->status(CoreId::Brisc) != tile::CoreStatus::Reset) continue;
      cause.tile = coord;
      cause.agent = Agent::Brisc;
      cause.sentence = fmt::format(
          "BRISC of {} is held in reset, so nothing can start there; only a write to SOFT_RESET_0 "
          "(0xffb121b0) of that tile could let it go.",
          fmt::format("({}, {})", coord.x, coord.y));
      cause.remedy =
          "take the tile out of reset before the go message, or leave it out of the "
          "program";
      return cause;
    }
    return cause;
  }

  Device& device_;
  const Situation& situation_;
  const CodeMap& code_;
  const Context context_;
};

}  // namespace

FirstCause first_cause(Device& device, const Situation& situation, const CodeMap& code) {
  return Teller(device, situation, code).tell();
}

}  // namespace bhemu::host
