// Of the explanations of waits: words of L1 and semaphores.
#pragma once

#include "host/report/explanation_names.hpp"

namespace bhemu::host::explaining {

/// Every unpack kernel counts its contexts with it.
inline constexpr u32 kUnpackSync = 5;

class Signals : public Names {
 public:
  using Names::Names;

  std::string word_name(const Standing& one) const {
    const LaunchView launch = launch_of(tile_of(one), situation_.kernel_base);
    if (launch.valid && one.address == launch.go_address) return "the go message";
    if (launch.valid && one.address >= launch.semaphores && one.address < launch.semaphores_end &&
        (one.address - launch.semaphores) % kSemaphoreStride == 0)
      return fmt::format("semaphore {} (L1[{:#07x}])",
                         (one.address - launch.semaphores) / kSemaphoreStride, one.address);
    return fmt::format("L1[{:#07x}]", one.address);
  }

  bool runs_nothing(tile::Tile& tile) const {
    const LaunchView launch = launch_of(tile, situation_.kernel_base);
    for (unsigned i = 0; i < tile.shape().cores; ++i)
      if (stand_of(tile, launch, tile.shape().core[i]) != CoreStand::Idle) return false;
    return true;
  }

  /// Signals that may have been meant for this word: to the same one of other tiles, or to another
  /// semaphore of this one.
  std::string elsewhere(const Standing& one) const {
    constexpr size_t kMost = 3;
    const LaunchView launch = launch_of(tile_of(one), situation_.kernel_base);
    std::vector<std::string> found;
    const auto note = [&](const std::string& where, const tile::Arrival& arrival) {
      if (!is_core(arrival.issuer)) return false;
      const CodeMap::Location place =
          code_.locate(arrival.issuer, arrival.issuer_pc, device_.coord_of(arrival.source));
      found.push_back(
          fmt::format("{} was {} by {} of {}{}", where, arrival.atomic ? "incremented" : "written",
                      name_of(arrival.issuer), device_.name_of(arrival.source), at(place.user())));
      return true;
    };
    bool here = false;
    tile_of(one).ledger().each_arrival([&](const tile::Arrival& arrival) {
      const u64 offset = arrival.address - launch.semaphores;
      if (!here && launch.valid && arrival.address >= launch.semaphores &&
          arrival.address < launch.semaphores_end && offset % kSemaphoreStride == 0)
        here = note(fmt::format("semaphore {} of the tile", offset / kSemaphoreStride), arrival);
    });
    for (NodeId node = 0; node < device_.board().node_count(); ++node) {
      tile::Tile* tile = device_.tile_of(node);
      if (tile == nullptr || node == one.node) continue;
      bool there = false;
      tile->ledger().each_arrival([&](const tile::Arrival& arrival) {
        if (there || arrival.address != one.address) return;
        const std::string idle = runs_nothing(*tile) ? ", which runs no kernel," : "";
        there = note("the same address of " + device_.name_of(node) + idle, arrival);
        // Nobody there can have waited for it.
        if (there && !idle.empty()) std::rotate(found.begin(), found.end() - 1, found.end());
      });
    }
    if (found.empty()) return "";
    const size_t shown = std::min(found.size(), kMost);
    return fmt::format(
        " (but {}{})", fmt::join(found.begin(), found.begin() + shown, ", "),
        found.size() > shown ? fmt::format(", and of {} tiles more", found.size() - shown) : "");
  }

  /// Tiles of the program that can give nothing, since they are held in reset.
  std::string held_tiles(const Standing& one) const {
    std::vector<Coord> held;
    for (const Coord coord : situation_.tiles) {
      const NodeId node = device_.board().node_at_translated(coord);
      tile::Tile* tile = node == kNoNode ? nullptr : device_.tile_of(node);
      if (tile != nullptr && node != one.node &&
          tile->status(CoreId::Brisc) == tile::CoreStatus::Reset)
        held.push_back(coord);
    }
    return held.empty() ? ""
                        : fmt::format("; {} of the program {} held in reset", tiles_text(held, 0),
                                      held.size() == 1 ? "is" : "are");
  }

  /// Its own core has multicast to this very address, and was left out.
  std::string own_multicast(const Standing& one) const {
    for (unsigned noc = 0; noc < kNocs; ++noc)
      for (const Multicast& sent : multicasts_of(one, noc))
        if (sent.around_sender && !sent.command.include_source() &&
            one.address < sent.to.address + sent.to.bytes && sent.to.address < one.address + u64{4})
          return fmt::format(
              "the multicast of this tile to {} to {} on NoC {} has written it in every tile of "
              "the "
              "rectangle but its sender, which this tile is",
              text_of(sent.to.first), text_of(sent.to.last), noc);
    return "";
  }

  /// What has come for a word over the NoC.
  struct Received {
    u32 arrivals = 0;
    u32 added = 0;  // of them, by atomics
    u64 sum = 0;    // of what these add
    tile::Arrival last;
    u32 before = 0;  // in launches before this one
    tile::Arrival last_before;
    struct Sender {
      tile::Arrival last;
      u32 count = 0;
    };
    std::vector<Sender> senders;
  };
  Received signals_of(const Standing& one) const {
    Received signals;
    tile_of(one).ledger().each_arrival([&](const tile::Arrival& arrival) {
      if (arrival.address >= one.address + u64{4} || one.address >= arrival.address + arrival.bytes)
        return;
      if (arrival.cycle < situation_.launched) {
        if (signals.before++ == 0) signals.last_before = arrival;
        return;
      }
      if (signals.arrivals++ == 0) signals.last = arrival;
      const auto sender = std::find_if(
          signals.senders.begin(), signals.senders.end(), [&](const Received::Sender& other) {
            return other.last.source == arrival.source && other.last.issuer == arrival.issuer;
          });
      if (sender == signals.senders.end())
        signals.senders.push_back({arrival, 1});
      else
        ++sender->count;
      signals.added += arrival.atomic;
      signals.sum += arrival.value;
    });
    return signals;
  }

  /// "BRISC of Tensix (2,2) at Signal (sender.c:12)", ", which has ended its kernel".
  std::pair<std::string, std::string> sender_of(const tile::Arrival& arrival) const {
    std::string who =
        fmt::format("{} of {}", name_of(arrival.issuer), device_.name_of(arrival.source));
    tile::Tile* tile = device_.tile_of(arrival.source);
    if (tile == nullptr || !is_core(arrival.issuer)) return {who, ""};
    const Coord coord = device_.coord_of(arrival.source);
    who += at(code_.locate(arrival.issuer, arrival.issuer_pc, coord).users());
    return {who, ", which " + doing(*tile, arrival.source, arrival.issuer)};
  }

  /// A word that was signalled in the launches before this one only.
  Explanation earlier(const tile::Arrival& last, u32 arrivals) const {
    return {"",
            fmt::format("nobody has written it in this launch; in a launch before, which began its "
                        "semaphores anew as each one does, it was {} {}, last in cycle {} by {}",
                        last.atomic ? "incremented" : "written", times(arrivals), last.cycle,
                        sender_of(last).first),
            "signal in this launch as well, or keep what is to last in a word that is no "
            "semaphore: each launch sets the semaphores to their initial values"};
  }

  /// A word for which nothing has come.
  Explanation no_signal(const Standing& one, const std::string& held) const {
    const std::string own = own_multicast(one);
    if (!own.empty())
      return {"", own,
              "multicast with the sender included (NOC_CMD_BRCST_SRC_INCLUDE, the loopback "
              "variant), and count it, or have the sender write its own word"};
    const std::string others = elsewhere(one);
    const bool to_others = others.find("the same address of") != std::string::npos;
    const bool to_another = others.find("semaphore ") != std::string::npos &&
                            others.find("of the tile was") != std::string::npos;
    const std::string giver = fmt::format("nobody has written it over the NoC{}, and {}{}", others,
                                          cores_of(tile_of(one), one.node, one.agent), held);
    std::string remedy =
        "have the kernel that owes the signal write or increment this address of this tile "
        "(coordinates, address and count are what usually differ)";
    if (to_others && !to_another)
      remedy += fmt::format("; it goes to other tiles: send it to {}", text_of(one.tile));
    else if (to_another && !to_others)
      remedy += "; another semaphore is signalled than is waited for: their numbers differ";
    return {"", giver, remedy};
  }

  static u32 most_of(const std::vector<Received::Sender>& senders) {
    u32 most = 0;
    for (const Received::Sender& one : senders) most = std::max(most, one.count);
    return most;
  }
  /// The one of several senders that has signalled less often than all others, which have done so
  /// equally often.
  static const Received::Sender* one_behind(const std::vector<Received::Sender>& senders) {
    if (senders.size() < 3) return nullptr;
    const u32 most = most_of(senders);
    const Received::Sender* behind = nullptr;
    for (const Received::Sender& one : senders) {
      if (one.count == most) continue;
      if (behind != nullptr) return nullptr;
      behind = &one;
    }
    return behind;
  }

  Explanation word(const Standing& one) const {
    Explanation text;
    text.want = "for " + compared_text(one, word_name(one));
    for (const Standing::Alternative& other : one.alternatives) {
      Standing as = one;
      as.address = other.address;
      text.want += fmt::format("; or for {} to be {}; it is {:#x}", word_name(as),
                               wanted_text(other.relation, other.wanted), other.value);
    }
    const auto [arrivals, added, sum, last, before, last_before, senders] = signals_of(one);
    const bool masked = one.mask != ~0u;
    const bool over =
        one.compared && !masked && one.relation == Relation::Equal && one.value > one.wanted;
    const std::string held = held_tiles(one);
    if (arrivals == 0) {
      const Explanation missing = before != 0 ? earlier(last_before, before) : no_signal(one, held);
      return {text.want, missing.giver, missing.remedy};
    }
    const auto [who, does] = sender_of(last);
    const bool all_known = added == arrivals && arrivals < tile::Ledger::kArrivals;
    text.giver = fmt::format(
        "it was {} {}{}, last in cycle {} by {}{}{}", last.atomic ? "incremented" : "written",
        times(arrivals), all_known && sum != arrivals ? fmt::format(" (by {:#x} in all)", sum) : "",
        last.cycle, who, does, held);
    const bool set_once = !last.atomic && !over && arrivals == 1;
    // Several have told of themselves, and each has written over what the others had.
    const bool set_often = added == 0 && arrivals > 1 && one.compared && !masked && !over &&
                           one.wanted > one.value && one.wanted <= arrivals;
    const bool lost = added == arrivals && arrivals < tile::Ledger::kArrivals && one.compared &&
                      !masked && !over && one.value < sum && one.relation != Relation::Less;
    const bool whole = arrivals < tile::Ledger::kArrivals;
    const Received::Sender* const behind = over || !whole ? nullptr : one_behind(senders);
    if (behind != nullptr)
      text.giver += fmt::format(
          "; of its {} senders {} has signalled {} only, each of the others {}", senders.size(),
          sender_of(behind->last).first, times(behind->count), times(most_of(senders)));
    if (lost && behind == nullptr)
      text.giver += fmt::format(
          "; these increments add up to {:#x}: it was set back meanwhile, or they wrap before that",
          sum);
    if (set_often) text.giver += "; each of these writes sets the word, and none adds to it";
    text.remedy =
        masked          ? "compare the bits and the byte that are waited for with what is written"
        : over          ? "the value has gone past what is waited for: wait for 'at least', or "
                          "signal fewer times"
        : !held.empty() ? "take that tile out of reset, or count without it"
        : behind != nullptr
            ? fmt::format(
                  "have {} of {} signal as often as the others: compare their counts and "
                  "arguments",
                  name_of(behind->last.issuer), device_.name_of(behind->last.source))
        : lost ? "signal once for each wait, set the word back before the next signal may come "
                 "and not after, and give the atomics all 32 bits to count in (the wrap "
                 "field of NOC_AT_LEN_BE)"
        : set_often ? "increment the word instead of writing it (an atomic: "
                      "noc_semaphore_inc), so that every signal counts"
        : set_once  ? "write the value that is waited for: compare what both sides "
                      "mean by it"
                    : "signal as often as is waited for: compare the counts of both "
                      "sides";
    if (over && !last.atomic)
      text.remedy = "write the value that is waited for: compare what both sides mean by it";
    return text;
  }

  /// Where the kernel of a thread posts or gets a semaphore, by its code.
  std::string place_of_use(const Standing& one, unsigned thread, bool get) const {
    const u8 opcode = get ? tensix::op::SEMGET::kOpcode : tensix::op::SEMPOST::kOpcode;
    const u32 word = u32{opcode} << 24 | 1u << (2 + one.index);
    return place_of_word(tile_of(one), launch_of(tile_of(one), situation_.kernel_base), one.tile,
                         thread, word, code_);
  }

  static std::string times(u32 count) {
    if (count == 0) return "never";
    return count == 1 ? "once" : fmt::format("{} times", count);
  }

  /// "it was posted 7 times by thread 1 (TRISC1 has ended its kernel) at Add (math.c:5)"; by those
  /// who have done so, or whose kernels could.
  std::string users_of(const Standing& one, bool get) const {
    const tensix::SemaphoreUse& use = tile_of(one).coprocessor().state().semaphore_use[one.index];
    const auto& counts = get ? use.taken : use.posted;
    const char* done = get ? "taken" : "posted";
    std::string text;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const std::string place = place_of_use(one, thread, get);
      if (counts[thread] == 0 && place.empty()) continue;
      const Agent core = core_behind(agent_of_thread(thread));
      const std::string how_often = counts[thread] == 0
                                        ? fmt::format("has never {} it", done)
                                        : fmt::format("has {} it {}", done, times(counts[thread]));
      text += fmt::format("{}thread {} {}{}, and {} {}", text.empty() ? "" : "; ", thread,
                          how_often, place.empty() ? "" : fmt::format(" (at {})", place),
                          name_of(core), doing(tile_of(one), one.node, core));
    }
    if (counts[tensix::SemaphoreUse::kCores] != 0)
      text += fmt::format("{}cores have {} it {}", text.empty() ? "" : "; ", done,
                          times(counts[tensix::SemaphoreUse::kCores]));
    return text;
  }

  /// Those whose kernels wait for a semaphore and neither post nor take it; and what is posted or
  /// taken instead.
  std::string only_waiters_of(const Standing& one, bool get) const {
    std::string text;
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const LaunchView launch = launch_of(tile_of(one), situation_.kernel_base);
      const auto waits = [&](u32 word) {
        return word >> 24 == tensix::op::SEMWAIT::kOpcode &&
               bit(tensix::op::SEMWAIT{word}.sem_sel(), one.index);
      };
      const auto places = places_of_words(tile_of(one), launch, one.tile, thread, waits, code_);
      const Agent core = core_behind(agent_of_thread(thread));
      if (places.size() != 1 || agent_of_thread(thread) == one.agent || core == one.agent) continue;
      text += fmt::format("{}thread {} waits for it (at {}) and never {} it, and {} {}",
                          text.empty() ? "" : "; ", thread, places.front(), get ? "takes" : "posts",
                          name_of(core), doing(tile_of(one), one.node, core));
    }
    const auto& use = tile_of(one).coprocessor().state().semaphore_use;
    for (u32 other = 0; other < tensix::kSemaphores; ++other) {
      const auto& counts = get ? use[other].taken : use[other].posted;
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        if (other == one.index || counts[thread] == 0 || other == kUnpackSync) continue;
        Standing as = one;
        as.index = other;
        const std::string place = place_of_use(as, thread, get);
        text += fmt::format("{}{} was {} {} by thread {}{}", text.empty() ? "" : "; ",
                            semaphore_name(other), get ? "taken" : "posted", times(counts[thread]),
                            thread, at(place));
      }
    }
    return text;
  }

  Explanation semaphore(const Standing& one) const {
    Explanation text;
    const tensix::Semaphore& semaphore =
        tile_of(one).coprocessor().state().sync.semaphore[one.index % tensix::kSemaphores];
    const bool down = one.relation == Relation::Less ||
                      (one.relation == Relation::Equal && one.value > one.wanted);
    text.want = fmt::format("for {} to be {}; it is {} of at most {}", semaphore_name(one.index),
                            wanted_text(one), semaphore.value, semaphore.max);
    if (down && semaphore.max == 0) {
      text.giver = "nobody has given it a maximum (SEMINIT)";
      text.remedy = "initialise the semaphore (SEMINIT) before it is waited for";
      return text;
    }
    std::string users = users_of(one, down);
    if (users.empty()) users = only_waiters_of(one, down);
    text.giver = fmt::format(
        "only a {} would do, and none is under way: {}", down ? "SEMGET" : "SEMPOST",
        !users.empty() ? users : cores_of(tile_of(one), one.node, core_behind(one.agent)));
    const tensix::SemaphoreUse& use = tile_of(one).coprocessor().state().semaphore_use[one.index];
    const auto sum = [](const auto& counts) {
      u32 all = 0;
      for (const u32 count : counts) all += count;
      return all;
    };
    text.giver += fmt::format("; in all it was posted {} and taken {}", times(sum(use.posted)),
                              times(sum(use.taken)));
    text.remedy = down ? "take the semaphore (SEMGET) as often as it is posted, or raise its "
                         "maximum (SEMINIT)"
                       : "post the semaphore (SEMPOST) as often as it is waited for and taken, and "
                         "initialise it before either";
    return text;
  }
};

}  // namespace bhemu::host::explaining
