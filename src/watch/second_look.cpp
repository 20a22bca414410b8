#include "watch/second_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "host/report/cause.hpp"
#include "host/report/wrong_image.hpp"
#include "tensix/isa.hpp"
#include "watch/pushed_lines.hpp"
#include "watch/pushes.hpp"
#include "watch/race_look.hpp"
#include "watch/tallies.hpp"
#include "watch/unread.hpp"
#include "watch/unwritten.hpp"
#include "watch/way.hpp"

namespace bhemu::watch {
namespace {

using host::FaultReport;
using host::Outcome;
using host::Spot;
using host::Status;

/// Work of a run that is repeated at most, in RISC-V instructions: with all checks it takes three
/// times as long, with the authors of all writes ten times. Not the host's time: what is told of a
/// run must not depend on what else the host does.
constexpr u64 kMostChecked = 2'000'000'000;
constexpr u64 kMostWatched = 30'000'000;
/// Of a run that went well. A board's idle firmware alone is two thirds of it.
constexpr u64 kMostOfGood = 1'000'000;
constexpr u64 kTensixInstruction = 30;  // is as much work as so many of RISC-V

u64 work_of(const Totals& totals) {
  return totals.riscv_instructions - totals.riscv_skipped +
         kTensixInstruction * totals.tensix_instructions;
}

constexpr u64 kNear = 64;  // bytes

/// What silicon lets pass. The format of a buffer is known to the checks only, so of the two rules
/// about formats what they find is none that the run itself has broken.
bool tells(Rule rule) {
  return is_check(rule) || rule == Rule::UnpackFormatPair || rule == Rule::PackFormatMismatch;
}

/// It is told of and goes on, so that the run is the same as before.
DeviceOptions with_all_checks(const DeviceOptions& options) {
  DeviceOptions all = options;
  all.checks = CheckSet::all();
  for (unsigned i = 0; i < kRules; ++i)
    if (tells(static_cast<Rule>(i)) && all.faults.severity[i] == Severity::Error)
      all.faults.severity[i] = Severity::Warn;
  return all;
}

bool is_guard(Rule rule) {
  switch (rule) {
    case Rule::GuardNull:
    case Rule::GuardFirmware:
    case Rule::GuardMailbox:
    case Rule::GuardKernel:
    case Rule::GuardStack:
    case Rule::ArgumentNotGiven:
      return true;
    default:
      return false;
  }
}

/// A finding of this rule is a mistake even if it had no consequence. A read of memory that was
/// never written is not: its value may be unused, and polling loops begin with such reads.
bool is_wrong_anyway(Rule rule) {
  return is_check(rule) && rule != Rule::UninitialisedL1 && rule != Rule::UninitialisedRegister;
}

/// Rules by which a core shows that it has gone astray, wherever that began.
bool is_astray(Rule rule) {
  return rule == Rule::RiscvIllegalInstruction || rule == Rule::RiscvBadPc ||
         rule == Rule::TileUnmappedAddress;
}

class SecondLook {
 public:
  SecondLook(host::Machine& again, const host::PreparedProgram& program, Outcome& ran)
      : again_(again), program_(program), ran_(ran) {}

  /// After a good run: what silicon lets pass becomes warnings.
  void warn(const Outcome& checked) {
    for (const FaultReport& report : checked.faults) {
      if (!is_wrong_anyway(report.fault.rule) || is_of_firmware(report)) continue;
      const auto known =
          std::any_of(ran_.faults.begin(), ran_.faults.end(), [&](const FaultReport& other) {
            return other.fault.rule == report.fault.rule && other.fault.pc == report.fault.pc &&
                   other.tile == report.tile;
          });
      if (!known) ran_.faults.push_back(report);
    }
    std::stable_partition(ran_.faults.begin(), ran_.faults.end(), [](const FaultReport& report) {
      return report.fault.rule != Rule::NocReadBeforeLanded;
    });
  }

  /// True: a rule was broken that explains it.
  bool tell(const Outcome& checked, const WritersOfDevice* writers, const ReadsOfDevice* reads,
            const TalliesOfDevice* tallies) {
    const FaultReport* found = earliest(checked);
    if (found != nullptr) {
      take(*found, checked);
      if (tallies != nullptr) remark(*tallies, found->tile, true);
      tell_of_image(found->tile);
      if (writers != nullptr && found->fault.rule == Rule::UninitialisedL1)
        tell_of_data(*writers, *found);
      return true;
    }
    if (writers == nullptr) return false;
    if (ran_.status == Status::WrongResult) tell_of_result(*writers, *reads, *tallies);
    if (ran_.status == Status::Hang && ran_.standstill.cause.awaited)
      tell_of_word(*writers, *ran_.standstill.cause.awaited);
    if (ran_.status == Status::Hang) remark(*tallies, ran_.standstill.cause.tile);
    return false;
  }

 private:
  /// A kernel that was made for another core, or another address, comes before all that it does.
  void tell_of_image(Coord tile) {
    const auto image = host::wrong_image(again_.device(), tile, again_.code());
    host::FirstCause& cause = ran_.standstill.cause;
    if (!image || cause.sentence.starts_with(image->text)) return;
    const std::string text = image->text + ". So ";
    // The report of a hang has it, too, which may stand behind a rule by now.
    if (const size_t at = cause.sentence.find(text); at != std::string::npos)
      cause.sentence.erase(at, text.size());
    cause.sentence = text + cause.sentence;
    cause.remedy = image->remedy;
  }

  /// Where threads disagree about tiles, and what was left by others.
  void remark(const TalliesOfDevice& tallies, Coord tile, bool of_rule = false) {
    const NodeId node = again_.device().board().node_at_translated(tile);
    const Tallies* of = node == kNoNode ? nullptr : tallies.of(node);
    if (of == nullptr) return;
    host::FirstCause& cause = ran_.standstill.cause;
    const std::vector<Remark> remarks = of_rule ? of->of_rule(again_.code())
                                        : ran_.status == Status::Hang
                                            ? of->of_hang(again_.code(), cause.sentence)
                                            : of->of_result(again_.code());
    for (const Remark& one : remarks) {
      if (!one.first) {
        cause.sentence += one.sentence;
        continue;
      }
      // What was taken for the cause comes of it.
      const size_t begin = cause.sentence.find(" hands over ");
      const size_t end = cause.sentence.find(": it waits");
      if (begin != std::string::npos && end != std::string::npos && begin < end)
        cause.sentence.replace(begin, end + 4 - begin, "");
      cause.sentence = one.sentence + " So " + cause.sentence;
    }
    if (!remarks.empty() && remarks.front().first)
      cause.remedy = remarks.front().remedy;
    else if (!remarks.empty())
      cause.remedy = remarks.front().remedy + (cause.remedy.empty() ? "" : "; or " + cause.remedy);
  }

  /// A core of the firmware is never to blame for what it meets.
  bool is_of_firmware(const FaultReport& report) const {
    return is_core(report.fault.agent) && report.fault.pc < again_.firmware().kernel_config_base();
  }

  /// Of what the checks have found, that which explains this end: errors before warnings, early
  /// before late.
  const FaultReport* earliest(const Outcome& checked) const {
    const FaultReport* fault = ran_.status == Status::Fault ? host::first_of(ran_.faults) : nullptr;
    const bool any = ran_.status == Status::WrongResult;
    const bool guards =
        ran_.status == Status::Hang ||
        (fault != nullptr && (is_of_firmware(*fault) || is_astray(fault->fault.rule)));
    const FaultReport* best = nullptr;
    // Data that comes into a page too early is its buffer's matter before it is its reader's.
    const bool overrun =
        std::any_of(checked.faults.begin(), checked.faults.end(),
                    [](const FaultReport& report) { return report.fault.rule == Rule::CbOverrun; });
    const auto rank = [overrun](const FaultReport& report) {
      return std::tuple(info_of(report.fault.rule).severity != Severity::Error,
                        overrun && report.fault.rule == Rule::NocReadBeforeLanded,
                        report.fault.cycle);
    };
    for (const FaultReport& report : checked.faults) {
      if (!tells(report.fault.rule) || !(any || (guards && is_guard(report.fault.rule)))) continue;
      if (fault != nullptr && report.fault.cycle > fault->fault.cycle) continue;
      if (best == nullptr || rank(report) < rank(*best)) best = &report;
    }
    return best;
  }

  void take(const FaultReport& found, const Outcome& checked) {
    host::FirstCause cause = host::cause_of(found, checked.faults);
    if (ran_.status == Status::WrongResult) {
      ran_.faults = checked.faults;
    } else {
      cause.sentence += " After that: " + ran_.standstill.cause.sentence;
      if (ran_.status == Status::Fault) {
        ran_.faults.insert(ran_.faults.begin(), found);
        ran_.faults.front().fault.severity = info_of(found.fault.rule).severity;
      }
    }
    // The thread has itself cleared what it packs: no other agent is to blame.
    if (found.fault.text.find("has to be packed before it is cleared") != std::string::npos)
      cause.remedy +=
          "; pack the tile first, and clear and hand back its part of Dst after that (ZEROACC, "
          "SEMGET; "
          "tile_regs_release)";
    ran_.standstill.cause = std::move(cause);
  }

  // --- Who wrote it.

  struct Author {
    std::string text;
    std::string place;
    bool host = false;
  };

  Author author_of(const Actor& actor) const {
    const Device& device = again_.device();
    const bool over_noc = actor.kind == Actor::Kind::Noc;
    if (actor.kind == Actor::Kind::Host) return {"the host", "", true};
    if (actor.kind != Actor::Kind::Core && !(over_noc && is_core(actor.issuer)))
      return {text_of(device, actor, again_.code()), "", false};
    const Agent agent = over_noc ? actor.issuer : actor.author.agent;
    const Coord tile = device.coord_of(actor.author.tile);
    const std::string place =
        again_.code().locate(agent, actor.author.pc, tile, actor.author.cycle).users();
    return {fmt::format("{} of ({}, {}){}{} in cycle {}", name_of(agent), tile.x, tile.y,
                        over_noc ? ", over the NoC," : "", place.empty() ? "" : " at " + place,
                        actor.author.cycle),
            place, false};
  }

  /// Writes of the host and of firmware set up what kernels use; they are not taken for signals.
  bool counts(const Actor& actor) const {
    const bool core = actor.kind == Actor::Kind::Core;
    return actor.kind != Actor::Kind::Host &&
           !(core && actor.author.pc < again_.firmware().kernel_config_base());
  }

  /// The register of a thread that an instruction of the scalar unit stores.
  static std::optional<u32> register_stored(u32 word) {
    using namespace tensix;
    switch (opcode_of(word)) {
      case op::STOREIND::kOpcode:
        return op::STOREIND{word}.data_reg_index();
      case op::ATSWAP::kOpcode:
        return op::ATSWAP{word}.data_reg_index();
      default:
        return std::nullopt;
    }
  }
  std::optional<Actor> who_set(const std::vector<Written>& parts) const {
    for (const Written& part : parts)
      if (counts(part.writer)) return part.writer;
    return std::nullopt;
  }

  /// A word that a thread has stored from a register: who has set that.
  void tell_of_register(const WritersOfDevice& writers, const Actor& stored) {
    Writers* const of = writers.of(stored.author.tile);
    const std::optional<u32> reg =
        stored.kind == Actor::Kind::Thread ? register_stored(stored.author.pc) : std::nullopt;
    const Record* const record = of == nullptr ? nullptr : of->record(stored.record);
    if (!reg || record == nullptr) return;
    const u32 thread = static_cast<u32>(stored.author.agent) - static_cast<u32>(agent_of_thread(0));
    const auto place_of = [&](u32 owner) {
      const u64 begin = u64{owner * tensix::kGprs + *reg} * 32;
      return Place{Area::Gpr, begin, begin + 32};
    };
    std::vector<Written> sources;
    for (const Written& source : record->sources)
      if (source.place.overlaps(place_of(thread))) sources.push_back(source);
    host::FirstCause& cause = ran_.standstill.cause;
    if (const auto by = who_set(sources)) {
      cause.sentence += fmt::format(" It stored GPR {} of thread {}, set last by {}.", *reg, thread,
                                    author_of(*by).text);
      if (by->kind == Actor::Kind::Core)
        cause.remedy +=
            "; a core's store to a register waits for no instruction that was pushed before: wait "
            "until the thread is done with them (TensixSync)";
      return;
    }
    cause.sentence +=
        fmt::format(" It stored GPR {} of thread {}, which nobody has set", *reg, thread);
    cause.remedy = "set the register first, in the thread that uses it";
    for (u32 other = 0; other < kThreads; ++other)
      if (const auto by = other == thread ? std::nullopt : who_set(of->last(place_of(other))))
        cause.sentence +=
            fmt::format("; that of thread {} was set by {}, and each thread has its own", other,
                        author_of(*by).text);
    cause.sentence += ".";
  }

  void tell_of_word(const WritersOfDevice& writers, const Spot& spot) {
    Writers* of = writers.of(spot.node);
    if (of == nullptr) return;
    const auto parts = [&](Writers& node, u64 begin, u64 end) {
      std::vector<Written> found;
      for (Written& part : node.last({Area::Memory, begin, end}))
        if (counts(part.writer)) found.push_back(std::move(part));
      return found;
    };
    std::string& sentence = ran_.standstill.cause.sentence;
    if (const auto own = parts(*of, spot.address, spot.address + spot.bytes); !own.empty()) {
      // The last writer is the waiter's own initialisation, and the signal's real target is told.
      if (own.front().writer.kind == Actor::Kind::Core &&
          own.front().writer.author.agent == ran_.standstill.cause.agent &&
          sentence.find(" (but ") != std::string::npos)
        return;
      sentence += fmt::format(" It was written last by {}.", author_of(own.front().writer).text);
      const bool lost = sentence.find("these increments add up") != std::string::npos;
      if (own.front().writer.kind != Actor::Kind::Noc && !lost)
        ran_.standstill.cause.remedy =
            "let that write give what is waited for, or wait for what it gives";
      tell_of_register(writers, own.front().writer);
      return;
    }
    const u64 begin = spot.address > kNear ? spot.address - kNear : 0;
    const Written* nearest = nullptr;
    const auto distance = [&](const Written& part) {
      return part.place.begin > spot.address ? part.place.begin - spot.address
                                             : spot.address - part.place.begin;
    };
    const auto around = parts(*of, begin, spot.address + spot.bytes + kNear);
    for (const Written& part : around)
      if (nearest == nullptr || distance(part) < distance(*nearest)) nearest = &part;
    // Where the signal went instead is known better.
    if (sentence.find(" (but ") != std::string::npos) return;
    if (nearest != nullptr) {
      sentence += fmt::format(" What was written next to it is {}, by {}.",
                              describe(nearest->place), author_of(nearest->writer).text);
      if (nearest->writer.kind != Actor::Kind::Noc)
        ran_.standstill.cause.remedy =
            "write the word that is waited for, or wait for the one that is written: their "
            "addresses differ";
      return;
    }
    if (again_.device().tile_of(spot.node) != nullptr) return;
    for (unsigned bank = 0; bank < again_.device().board().dram_banks(); ++bank) {
      const NodeId node = again_.device().board().dram_node(bank);
      Writers* other = writers.of(node);
      if (other == nullptr || node == spot.node) continue;
      const auto there = parts(*other, begin, spot.address + spot.bytes + kNear);
      if (there.empty()) continue;
      sentence += fmt::format(" In DRAM bank {}, {:#x} was written by {}.", bank,
                              there.front().place.begin, author_of(there.front().writer).text);
      return;
    }
  }

  /// Of memory that was read before it was written: who wrote it later, or wrote near it.
  void tell_of_data(const WritersOfDevice& writers, const FaultReport& found) {
    constexpr u64 kAround = 4096;  // bytes
    const size_t at = found.fault.text.rfind("L1[");
    unsigned begin = 0;
    unsigned bytes = 0;
    if (at == std::string::npos ||
        std::sscanf(found.fault.text.c_str() + at, "L1[%x, +%u]", &begin, &bytes) != 2)
      return;
    Writers* of = writers.of(again_.device().board().node_at_translated(found.tile));
    if (of == nullptr) return;
    host::FirstCause& cause = ran_.standstill.cause;
    const Written* best = nullptr;
    u64 least = kAround + 1;
    const u64 from =
        std::max<u64>(begin > kAround ? begin - kAround : 0, again_.firmware().data_buffer_base());
    const auto around =
        of->last({Area::Memory, std::min<u64>(from, begin), begin + bytes + kAround});
    for (const Written& part : around) {
      if (!counts(part.writer)) continue;
      const u64 distance = part.place.end <= begin             ? begin - part.place.end + 1
                           : part.place.begin >= begin + bytes ? part.place.begin - begin
                                                               : 0;
      if (distance < least) least = distance, best = &part;
    }
    if (best == nullptr) return;
    const std::string author = author_of(best->writer).text;
    if (least == 0) {
      cause.sentence += fmt::format(" It was written only after that, by {}.", author);
      cause.remedy +=
          "; wait until it has been written before it is read: compare what the reader waits for "
          "(a count, an initial value, the place of the wait) with what the writer signals";
    } else {
      cause.sentence += fmt::format(" What was written nearest to it is {}, by {}.",
                                    describe(best->place), author);
      cause.remedy +=
          "; write what is read, or read what is written: compare the address, the size and the "
          "number of the slot or page on both sides";
    }
  }

  void tell_of_unwritten(const WritersOfDevice& writers, const Spot& spot) {
    host::FirstCause& cause = ran_.standstill.cause;
    const auto instead = written_instead(
        writers, program_, spot, [this](const Actor& actor) { return author_of(actor).text; });
    cause.sentence += "no kernel has written there";
    cause.sentence +=
        instead ? fmt::format("{} {}.", instead->other_tensor ? "," : ";", instead->text) : ".";
    if (instead) cause.place = author_of(instead->writer).place;
    cause.remedy =
        instead && instead->other_tensor
            ? "give the kernel that writes the address of this tensor: compare its arguments with "
              "those of the others"
            : "write all of it: compare sizes, page numbers and addresses of the kernel that "
              "writes, and how the work is shared out";
  }

  void tell_of_result(const WritersOfDevice& writers, const ReadsOfDevice& reads,
                      const TalliesOfDevice& tallies) {
    for (const host::Check& check : ran_.checks) {
      if (check.passed || !check.spot) continue;
      const Spot& spot = *check.spot;
      const Coord tile = again_.device().coord_of(spot.node);
      const std::string where = fmt::format("{:#x} of ({}, {})", spot.address, tile.x, tile.y);
      std::vector<Written> last;
      if (Writers* of = writers.of(spot.node))
        last = of->last({Area::Memory, spot.address, spot.address + spot.bytes});
      host::FirstCause& cause = ran_.standstill.cause;
      const Author author = last.empty() ? Author{"", "", true} : author_of(last.front().writer);
      cause.tile = tile;
      cause.place = author.place;
      cause.sentence =
          fmt::format("{} is wrong first {}, which lies at {}{} ", check.what, check.detail, where,
                      check.likeness.empty() ? ";" : "." + check.likeness);
      if (author.host) {
        tell_of_unwritten(writers, spot);
      } else {
        cause.sentence += fmt::format("{} was written last by {}.",
                                      check.likeness.empty() ? "it" : "It", author.text);
        const Place place{Area::Memory, spot.address, spot.address + spot.bytes};
        const auto answers = why(writers, {spot.node, tile, "", {place}});
        if (!answers.empty())
          cause.sentence += way_of(writers, program_, answers.front(), again_.code());
        const std::string pages = pages_without_buffer(program_);
        cause.sentence += pages;
        cause.sentence += reads.missing(program_);
        std::string first = check.likeness_remedy;
        if (first.empty() && !pages.empty())
          first = "give tensors and circular buffers the same page size and format";
        cause.remedy =
            fmt::format("{}{}follow the value back: bhemu why PROGRAM {}-{} {:#x}", first,
                        first.empty() ? "" : ", or ", tile.x, tile.y, spot.address);
        if (check.likeness.empty() && !last.empty())
          remark(tallies, again_.device().coord_of(last.front().writer.author.tile));
        if (!last.empty()) tell_of_image(again_.device().coord_of(last.front().writer.author.tile));
      }
      return;
    }
  }

  host::Machine& again_;
  const host::PreparedProgram& program_;
  Outcome& ran_;
};

}  // namespace

void look_for_cause(const DeviceOptions& options, const std::function<host::Firmware()>& firmware,
                    Cycle limit, const host::PreparedProgram& prepared, Outcome& ran) {
  const bool failed = ran.status == Status::WrongResult || ran.status == Status::Hang ||
                      ran.status == Status::Fault;
  const u64 work = work_of(ran.totals);
  const bool watched = failed && work <= kMostWatched;
  const bool wanted = watched || (ran.status == Status::WrongResult && work <= kMostChecked) ||
                      (ran.status == Status::Ok && work <= kMostOfGood);
  if (!wanted || ran.stopped || ran.cycle_limit || ran.interrupted) return;
  host::Machine again(with_all_checks(options), firmware());
  again.set_limit(limit);
  if (again.boot().status != Status::Ok) return;
  std::optional<WritersOfDevice> writers;
  if (watched) writers.emplace(again.device());
  std::optional<PushesOfDevice> pushes;
  auto lineless = without_line(ran.faults);
  if ((watched && ran.status == Status::Hang) || !lineless.empty()) {
    pushes.emplace(again.device(), std::move(lineless));
    again.set_observed(&*pushes);
  }
  std::optional<TalliesOfDevice> tallies;
  if (watched) tallies.emplace(again.device());
  std::optional<ReadsOfDevice> reads;
  if (watched && ran.status == Status::WrongResult) reads.emplace(again.device());
  const Outcome checked = again.run_unsaved(prepared);
  if (pushes)
    add_lines(ran.faults, ran.status == Status::Fault ? &ran.standstill.cause : nullptr, *pushes,
              again.code());
  // The same end, and more is known of it.
  if (pushes && ran.status == Status::Hang && checked.status == Status::Hang &&
      checked.standstill.cycle == ran.standstill.cycle &&
      !checked.standstill.cause.sentence.empty())
    ran.standstill = checked.standstill;
  SecondLook look(again, prepared, ran);
  if (!failed) {
    look.warn(checked);
    if (ran.faults.empty()) tell_of_race(options, firmware, limit, prepared, ran);
    return;
  }
  const bool told = look.tell(checked, writers ? &*writers : nullptr, reads ? &*reads : nullptr,
                              tallies ? &*tallies : nullptr);
  if (!told && watched && ran.status == Status::WrongResult)
    tell_of_race(options, firmware, limit, prepared, ran);
}

}  // namespace bhemu::watch
