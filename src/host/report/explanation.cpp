#include "host/report/explanation.hpp"

#include "host/report/explanation_signals.hpp"
#include "host/report/inspect.hpp"
#include "noc/registers.hpp"
#include "tile/debug_registers.hpp"

namespace bhemu::host {
namespace {

using namespace explaining;

class Words : public Signals {
 public:
  using Signals::Signals;

  // --- Circular buffers.

  u32 capacity(const Standing& one) const { return pages_of(device_, one.tile, one.index); }

  /// Who has changed a counter, and where that one is: a core of this tile, a thread for its core,
  /// or a core of another tile that did so over the NoC.
  struct Mover {
    Agent agent = Agent::Host;
    NodeId node = kNoNode;
    std::string name;
    std::string place;
  };
  Mover mover_of(const Standing& one, const tile::CounterChange& change, u64 address) const {
    Mover mover{core_behind(change.agent), one.node, "", ""};
    if (is_core(change.agent)) mover.place = code_.locate(change.agent, change.pc, one.tile).user();
    mover.name = name_of(mover.agent);
    if (change.agent != Agent::Niu0 && change.agent != Agent::Niu1) return mover;
    mover.node = kNoNode;
    tile_of(one).ledger().each_arrival([&](const tile::Arrival& arrival) {
      if (mover.node != kNoNode || arrival.address != address) return;
      mover.agent = arrival.issuer;
      mover.node = arrival.source;
      mover.name = fmt::format("{} of {}", name_of(arrival.issuer),
                               device_.board().routing().name(arrival.source));
      if (is_core(arrival.issuer))
        mover.place =
            code_.locate(arrival.issuer, arrival.issuer_pc, device_.coord_of(arrival.source))
                .user();
    });
    return mover;
  }
  static u64 counter_address(u32 stream, bool received) {
    return 0xFFB40000 + stream * noc::kStreamStride +
           (received ? tile::Ledger::kReceived : tile::Ledger::kAcked);
  }

  /// Buffers whose counter was moved in this launch instead, and by whom.
  std::string other_buffers(const Standing& one, bool received) const {
    std::string text;
    for (u32 stream = 0; stream < noc::kStreams; ++stream) {
      const tile::CounterChange& change = tile_of(one).ledger().counter(stream, received);
      if (stream == one.index || change.changes == 0) continue;
      const Mover mover = mover_of(one, change, counter_address(stream, received));
      text += fmt::format("{}CB {} by {}{}", text.empty() ? "" : ", ", stream, mover.name,
                          at(mover.place));
    }
    return text;
  }

  std::string counter_giver(const Standing& one, bool received) const {
    const tile::CounterChange& change = tile_of(one).ledger().counter(one.index, received);
    const char* role = received ? "producer" : "consumer";
    const char* done = received ? "pushed" : "taken";
    if (change.changes == 0) {
      const std::string others = other_buffers(one, received);
      return fmt::format("nobody has {} a page in this launch{}: {}", done,
                         others.empty() ? "" : fmt::format(" (but of {})", others),
                         cores_of(tile_of(one), one.node, one.agent));
    }
    u32 total = 0;
    const u64 address = counter_address(one.index, received);
    peek_register(tile_of(one), CoreId::Brisc, static_cast<u32>(address), total);
    const Mover mover = mover_of(one, change, address);
    const bool only = std::popcount(change.agents) == 1 && mover.node == one.node;
    const std::string& place = mover.place;
    // tt-metal's kernels may begin below zero.
    const bool wrapped = (total & 0x8000) != 0;
    const std::string pages =
        wrapped ? fmt::format("{} pages or more", change.changes) : counted(total & 0xFFFF, "page");
    const std::string last =
        fmt::format("{} {}, the last in cycle {}{}", done, pages, change.cycle, at(place));
    if (mover.agent == one.agent && mover.node == one.node)
      return fmt::format("its only {} is {} itself, which has {}", role, mover.name, last);
    if (mover.agent == Agent::Host)
      return fmt::format("its {} is the host, which has {}", role, last);
    tile::Tile* tile = mover.node == kNoNode ? nullptr : device_.tile_of(mover.node);
    if (tile == nullptr || !is_core(mover.agent))
      return fmt::format("its {}, who acts over the NoC, has {}", role, last);
    return fmt::format("its {}{}, {}, {} having {}", only ? "only " : "last ", role, mover.name,
                       doing(*tile, mover.node, mover.agent), last);
  }

  /// How far the one who waits has come: "; it has pushed 10 itself".
  std::string own_count(const Standing& one, bool received) const {
    const tile::CounterChange& change = tile_of(one).ledger().counter(one.index, received);
    u32 total = 0;
    peek_register(tile_of(one), CoreId::Brisc,
                  static_cast<u32>(counter_address(one.index, received)), total);
    const bool only = change.agents == 1u << static_cast<unsigned>(change.agent);
    if (change.changes == 0 || !only || core_behind(change.agent) != one.agent ||
        (total & 0x8000) != 0)
      return "";
    return fmt::format("; {} has {} {}", name_of(one.agent), received ? "pushed" : "taken",
                       total & 0xFFFF);
  }

  /// How much of what is waited for has been given: of buffers both counts, of words the signals.
  std::string progress(const Standing& one) const {
    if (one.want == Want::Word) {
      const Received signals = signals_of(one);
      if (signals.arrivals == 0) return "";
      return fmt::format(" ({} {}, last by {})", signals.last.atomic ? "incremented" : "written",
                         times(signals.arrivals), sender_of(signals.last).first);
    }
    if (one.want != Want::CbPages && one.want != Want::CbRoom) return "";
    const auto count = [&](bool received) {
      u32 total = 0;
      peek_register(tile_of(one), CoreId::Brisc,
                    static_cast<u32>(counter_address(one.index, received)), total);
      return total & 0xFFFF;
    };
    // tt-metal's kernels may begin below zero.
    if ((count(true) | count(false)) & 0x8000) return "";
    return fmt::format(" ({} pushed to it so far, {} taken)", count(true), count(false));
  }

  /// Two consumers of one buffer starve each other.
  std::string taken_by_another(const Standing& one) const {
    const tile::CounterChange& change = tile_of(one).ledger().counter(one.index, false);
    const Agent agent = core_behind(change.agent);
    if (change.changes == 0 || agent == one.agent) return "";
    return fmt::format("; {} has taken the last, in cycle {}", name_of(agent), change.cycle);
  }

  /// A buffer that the program does not have.
  Explanation no_buffer(const Standing& one) const {
    std::string others;
    for (const CircularBuffer& buffer : circular_buffers(device_, one.tile))
      others += fmt::format("{}{}", others.empty() ? "" : ", ", buffer.index);
    return {
        fmt::format("at CB {}, which the program does not have", one.index),
        fmt::format("it has no pages, so that neither pages nor room can ever come; the "
                    "program has CB {}",
                    others),
        fmt::format("add CB {} to the program, or correct its number in the kernel", one.index)};
  }

  Explanation pages(const Standing& one) const {
    const u32 places = capacity(one);
    Explanation text;
    text.want = fmt::format("for {} in CB {}, which holds {}", counted(one.wanted, "page"),
                            one.index, one.value);
    if (one.pending != 0)
      text.want += fmt::format(" beside {} that its thread has yet to give back",
                               counted(one.pending, "page"));
    if (places != 0 && one.wanted > places) {
      text.giver =
          fmt::format("the buffer has {} only, so that can never be", counted(places, "place"));
      text.remedy = fmt::format("wait for at most {} at a time, or give CB {} at least {} pages",
                                places, one.index, one.wanted);
      return text;
    }
    text.giver = counter_giver(one, true) + taken_by_another(one) + own_count(one, false);
    const bool never = tile_of(one).ledger().counter(one.index, true).changes == 0;
    text.remedy = never ? fmt::format(
                              "have a kernel push to CB {} (cb_push_back), or wait on the "
                              "buffer that is filled",
                              one.index)
                        : "push as many pages as are waited for: compare the counts in the "
                          "arguments of producer and consumer";
    return text;
  }

  Explanation room(const Standing& one) const {
    const u32 places = capacity(one);
    Explanation text;
    text.want =
        fmt::format("for room for {} in CB {}, where {} free{}", counted(one.wanted, "page"),
                    one.index, one.value == 1 ? "1 is" : fmt::format("{} are", one.value),
                    places != 0 ? fmt::format(" of {}", places) : "");
    if (one.pending != 0)
      text.want +=
          fmt::format(" beside {} that its thread has yet to push", counted(one.pending, "page"));
    if (places != 0 && one.wanted > places) {
      text.giver = fmt::format(
          "no consumer can ever make that room: the reservation is larger than the "
          "buffer (rule {})",
          info_of(Rule::CbOverReserve).name);
      text.remedy = fmt::format("reserve at most {} at a time, or give CB {} at least {} pages",
                                places, one.index, one.wanted);
      text.rule = Rule::CbOverReserve;
      return text;
    }
    text.giver = counter_giver(one, false) + own_count(one, true);
    const bool never = tile_of(one).ledger().counter(one.index, false).changes == 0;
    text.remedy = never ? fmt::format(
                              "have a kernel take pages from CB {} (cb_pop_front), or push "
                              "no more than it holds",
                              one.index)
                        : "take as many pages as are pushed: compare the counts in the arguments "
                          "of producer and consumer";
    return text;
  }

  // --- NoC.

  /// The last multicasts that are still in the command buffers, and whom they really reached.
  std::string multicasts(const Standing& one) const {
    std::string text;
    for (const Multicast& sent : multicasts_of(one, one.index)) {
      if (!sent.command.response()) continue;
      const Written& to = sent.to;
      const bool around = to.first.x > to.last.x || to.first.y > to.last.y;
      text +=
          fmt::format("; its last multicast, to {} to {}, reached {}{}{}", text_of(to.first),
                      text_of(to.last), counted(sent.reached, "tile"),
                      sent.command.include_source() ? ", itself included" : " beside itself",
                      around ? ": it ends before it begins, so that it goes round the torus" : "");
    }
    return text;
  }

  Explanation answers(const Standing& one) const {
    Explanation text;
    const u32 offset = one.address & 0xFFFF;
    const noc::RegisterInfo* info = noc::niu_register_at(offset);
    const char* what = offset == noc::niu::NIU_MST_WR_ACK_RECEIVED        ? "write acknowledgements"
                       : offset == noc::niu::NIU_MST_RD_RESP_RECEIVED     ? "read responses"
                       : offset == noc::niu::NIU_MST_ATOMIC_RESP_RECEIVED ? "atomic responses"
                       : info != nullptr                                  ? info->name
                                                                          : "a register";
    text.want = fmt::format(
        "for {} on NoC {}: {} are counted and {} are wanted", what, one.index, one.value,
        one.relation == Relation::Equal ? fmt::format("{}", one.wanted) : wanted_text(one));
    const std::string outstanding = tile_of(one).niu(one.index).outstanding();
    if (!outstanding.empty()) {
      text.giver = fmt::format("still unanswered: {}", outstanding);
      text.remedy = "look at the target of that request";
      return text;
    }
    text.giver =
        fmt::format("every request of this tile on that NoC has been answered{}", multicasts(one));
    const bool counts_answers = offset == noc::niu::NIU_MST_WR_ACK_RECEIVED ||
                                offset == noc::niu::NIU_MST_RD_RESP_RECEIVED ||
                                offset == noc::niu::NIU_MST_ATOMIC_RESP_RECEIVED;
    if (!counts_answers) {
      const bool by_id =
          info != nullptr && std::string(info->name).find("_ID") != std::string::npos;
      text.want = fmt::format("for {} on NoC {} to be {}; it is {:#x}", what, one.index,
                              wanted_text(one), one.value);
      text.remedy = by_id ? "this register is 0 when all requests with that transaction id have "
                            "been answered: wait for 0, and give the requests the id "
                            "(NOC_PACKET_TAG)"
                          : "this register counts only one kind of what this tile sends or gets on "
                            "this NoC (posted or not; reads, writes or atomics): wait for the one "
                            "that counts what the kernel has sent";
      return text;
    }
    const std::vector<Multicast> sent = multicasts_of(one, one.index);
    const bool turned = offset == noc::niu::NIU_MST_WR_ACK_RECEIVED && one.value > one.wanted &&
                        std::any_of(sent.begin(), sent.end(), [](const Multicast& multicast) {
                          return multicast.to.first.x > multicast.to.last.x ||
                                 multicast.to.first.y > multicast.to.last.y;
                        });
    text.remedy = turned ? fmt::format(
                               "exchange the corners of the rectangle: what is sent on NoC {} "
                               "begins at its {} corner",
                               one.index, one.index == 0 ? "upper left" : "lower right")
                  : one.value < one.wanted
                      ? "the kernel counts on more answers than it asked for: posted requests "
                        "have none, a multicast has one for each tile that it reaches (gaps and "
                        "the sender do not count), and the counter of another NoC or core is "
                        "another"
                      : "the kernel counts fewer requests than it has sent: each request that "
                        "asks for an answer must be counted, also on this NoC and by this core, "
                        "and one of more "
                        "than 16384 bytes as the packets that it goes in";
    return text;
  }

  Explanation remote(const Standing& one) const {
    Explanation text;
    const std::string target = device_.board().routing().name(one.remote);
    text.want = fmt::format("for a word of {}, {:#x}, to be {}; it reads {:#x} there over and over",
                            target, one.address, wanted_text(one), one.value);
    tile::Tile* tile = device_.tile_of(one.remote);
    if (tile == nullptr) {
      text.giver = "no core lives there that could change it, and nothing is under way to it";
      text.remedy =
          "have a kernel write that very word, or read the one that is written: page, bank and "
          "address are what usually differ";
      return text;
    }
    text.giver = tile_state(*tile, one.remote);
    text.remedy = fmt::format(
        "have a kernel of {} write that word, start that tile, or read the "
        "right tile and address",
        target);
    return text;
  }

  std::string tile_state(tile::Tile& tile, NodeId node) const {
    const LaunchView launch = launch_of(tile, situation_.kernel_base);
    u32 reset = 0;
    u32 idle = 0;
    for (unsigned i = 0; i < tile.shape().cores; ++i) {
      const CoreStand stand = stand_of(tile, launch, tile.shape().core[i]);
      reset += stand == CoreStand::InReset;
      idle += stand == CoreStand::Idle;
    }
    if (reset == tile.shape().cores) return "the cores of that tile are held in reset";
    if (reset + idle == tile.shape().cores) return "that tile runs no kernel";
    return "there " + cores_of(tile, node, Agent::Host);
  }

  // --- The coprocessor.

  /// "; the matrix unit has had bank 0 since UNPACR_NOP (thread 0, at Fill (unpack.c:8)) in cycle
  /// 20312": of the banks of a source that the other side has, where a look back tells. The next
  /// bank that is waited for comes first.
  std::string held_since(const Standing& one, const tensix::SrcFile& banks) const {
    if (situation_.observed == nullptr) return "";
    const tensix::SrcOwner other =
        one.by_matrix ? tensix::SrcOwner::Unpacker : tensix::SrcOwner::Matrix;
    const u32 next = one.by_matrix ? banks.matrix_bank : banks.unpack_bank;
    std::string text;
    for (u32 i = 0; i < tensix::kSrcBanks; ++i) {
      const u32 bank = (next + i) % tensix::kSrcBanks;
      if (banks.owner[bank] != other) continue;
      const HandOver since = situation_.observed->hand_over(one.node, one.index, bank);
      if (one.by_matrix && (!since.known || i != 0)) continue;
      text += text.empty()
                  ? fmt::format("; the {} has had", one.by_matrix ? "unpacker" : "matrix unit")
                  : " and";
      text += fmt::format(" bank {} ", bank);
      if (!since.known) {
        text += "since before the launch";
        continue;
      }
      const Agent core = core_behind(agent_of_thread(since.thread));
      const std::string place =
          since.pushed_from ? code_.locate(core, *since.pushed_from, one.tile).users() : "";
      text +=
          fmt::format("since {} of thread {}{} in cycle {}", tensix::info_of_word(since.word).name,
                      since.thread, at(place), since.cycle);
    }
    return text;
  }

  Explanation source(const Standing& one) const {
    Explanation text;
    const char* file = one.index == 0 ? "SrcA" : "SrcB";
    const Agent giver = one.by_matrix ? Agent::Trisc0 : Agent::Trisc1;
    const tensix::State& state = tile_of(one).coprocessor().state();
    const tensix::SrcFile& banks = one.index == 0 ? state.fpu.src_a : state.fpu.src_b;
    const u32 full = static_cast<u32>(banks.owner[0] == tensix::SrcOwner::Matrix) +
                     static_cast<u32>(banks.owner[1] == tensix::SrcOwner::Matrix);
    if (one.by_matrix) {
      text.want = fmt::format("for {} to be valid", file);
      text.giver = fmt::format("no unpack to it is under way, and {} {}{}", name_of(giver),
                               doing(tile_of(one), one.node, giver), held_since(one, banks));
      text.remedy = fmt::format(
          "unpack to {} once for each time that it is consumed (UNPACR with data valid, or "
          "UNPACR_NOP for a bank that is not read), and consume it no more often",
          file);
    } else {
      text.want = fmt::format("for {} to be released by the matrix unit: {} of its 2 banks {} full",
                              file, full, full == 1 ? "is" : "are");
      text.giver =
          fmt::format("nothing under way clears data valid of {}, and {} {}{}", file,
                      name_of(giver), doing(tile_of(one), one.node, giver), held_since(one, banks));
      text.remedy = fmt::format(
          "release {} after it was used (SETRWC or CLEARDVALID with its bit, "
          "or the instruction's own clear) once for each unpack",
          file);
    }
    return text;
  }

  Explanation mutex(const Standing& one) const {
    Explanation text;
    const tensix::State& state = tile_of(one).coprocessor().state();
    const u8 holder = one.index < tensix::kMutexes ? state.sync.mutex[one.index] : tensix::kNobody;
    text.want = fmt::format("for mutex {}", one.index);
    if (holder >= kThreads) {
      text.giver = "there is no such mutex";
      text.remedy = "use mutex 0, 2, 3 or 4";
      return text;
    }
    const LaunchView launch = launch_of(tile_of(one), situation_.kernel_base);
    const u32 word = u32{tensix::op::ATGETM::kOpcode} << 24 | one.index;
    const std::string taken = place_of_word(tile_of(one), launch, one.tile, holder, word, code_);
    const Agent core = agent_of(static_cast<CoreId>(index_of(CoreId::Trisc0) + holder));
    text.giver = fmt::format("thread {} holds it{}{}, no ATRELM of it is under way, and {} {}",
                             holder, taken.empty() ? "" : ", taken", at(taken), name_of(core),
                             doing(tile_of(one), one.node, core));
    text.remedy =
        fmt::format("release mutex {} (ATRELM) on every way out of what it protects", one.index);
    return text;
  }

  /// A register of the tile that is polled.
  Explanation polled_register(const Standing& one) const {
    Explanation text;
    constexpr u32 kDebug = 0xFFB12000;
    const tile::DebugRegisterInfo* info =
        one.address >= kDebug && one.address < kDebug + 0x1000
            ? tile::debug_register_at(one.address % 0x1000 & ~3u, noc::NodeKind::Tensix)
            : nullptr;
    if (one.by_clock) {
      text.want = fmt::format("for time to pass: {} cycles are waited for, and {} have gone",
                              one.wanted, one.value);
      text.giver = "nothing but the clock can end that";
      text.remedy = "wait for fewer cycles, or let the run take more (--max-cycles)";
      return text;
    }
    const std::string name = info != nullptr ? fmt::format("{} ({:#x})", info->name, one.address)
                                             : fmt::format("the register {:#x}", one.address);
    text.want = "for " + compared_text(one, name);
    text.giver = fmt::format("nothing under way changes it, and {}",
                             cores_of(tile_of(one), one.node, one.agent));
    text.remedy = "poll a register that something changes, or have somebody change this one";
    return text;
  }

  /// It reads from elsewhere on and on, and what it reads is not compared with anything.
  static Explanation reading(const Standing& one) {
    const size_t begin = one.what.find("0x");
    const size_t end = one.what.find(", which");
    Explanation text{"in a loop that reads " + one.what.substr(std::min(begin, end), end - begin),
                     "nothing that it has read has ended that loop",
                     "look at where the end of the loop comes from (an argument, a count that "
                     "passes over its end), or have somebody write what it looks for"};
    if (one.count)
      text.giver = fmt::format(
          "the loop counts: it ends when its counter is {:#x}; it is {:#x} and changes by {} each "
          "round",
          one.count->wanted, one.count->value, one.count->step);
    return text;
  }

  Explanation thread(const Standing& one) const {
    Explanation text;
    if (!one.waits.all.empty() && one.waits.all.front().kind == Awaited::Remote)
      return reading(one);
    // Waits that are told with their instruction.
    const bool by_instruction =
        !one.what.empty() && std::isupper(one.what[0]) != 0 && !is_core(one.agent);
    text.want = (by_instruction ? "by " : "for ") + one.what;
    text.giver =
        one.who.empty() ? "nobody could release it" : "it could be released by: " + one.who;
    const bool stream =
        !one.waits.all.empty() && (one.waits.all.front().kind == Awaited::StreamPhase ||
                                   one.waits.all.front().kind == Awaited::StreamMessages);
    text.remedy = one.want == Want::Thread ? fmt::format("look at what thread {} does", one.index)
                  : stream ? "bring the stream to what is waited for, or wait on the stream that "
                             "is meant (STREAM_ID_SYNC_SEC) for what it reaches"
                           : "look at what the others do, below";
    return text;
  }

  Explanation queue(const Standing& one) const {
    Explanation text;
    text.want = "for " + one.what;
    std::string giver = one.who;
    constexpr Agent kEnds[] = {Agent::Brisc, Agent::Trisc0, Agent::Trisc1, Agent::Trisc2};
    if (!one.waits.all.empty() && one.waits.all.front().kind == Awaited::MailboxRoom &&
        one.index < std::size(kEnds))
      return {
          text.want,
          fmt::format("only {} could take words out of it, and it {}", name_of(kEnds[one.index]),
                      doing(tile_of(one), one.node, kEnds[one.index])),
          "let both sides send and take the same number of words"};
    for (unsigned i = 0; i < tile_of(one).shape().cores; ++i) {
      const Agent agent = agent_of(tile_of(one).shape().core[i]);
      if (one.who == name_of(agent))
        giver = fmt::format("only {} could give it, and it {}", one.who,
                            doing(tile_of(one), one.node, agent));
    }
    text.giver = giver;
    text.remedy = "let both sides send and take the same number of words";
    return text;
  }

  Explanation explain(const Standing& one) const {
    const bool pages_or_room = one.want == Want::CbPages || one.want == Want::CbRoom;
    if (pages_or_room && one.impossible && has_no_buffer(device_, one.tile, one.index))
      return no_buffer(one);
    switch (one.want) {
      case Want::CbPages:
        return pages(one);
      case Want::CbRoom:
        return room(one);
      case Want::Semaphore:
        return semaphore(one);
      case Want::Word:
        return word(one);
      case Want::Answers:
        return answers(one);
      case Want::Remote:
        return remote(one);
      case Want::Source:
        return source(one);
      case Want::Mutex:
        return mutex(one);
      case Want::Mailbox:
      case Want::PcBuf:
        return queue(one);
      case Want::Register:
        if (one.compared) return polled_register(one);
        return thread(one);
      case Want::Nothing:
        if (one.address >= kLdmStart)
          return {fmt::format("for a change of its local memory at {:#x}", one.address),
                  "only the core itself can write there: each core has a local memory of its own, "
                  "at the same addresses as the others",
                  "keep what cores tell each other in L1 (a semaphore, a circular buffer), and "
                  "not in a variable or at an address of local memory"};
        return {"for nothing at all", "its loop reads nothing that could ever change",
                "give the loop a condition that changes; memory that somebody else writes must be "
                "read anew each round (volatile), or the compiler reads it once before the loop"};
      case Want::Reset:
        return {one.what, "only " + one.who, "clear the unit's bit in SOFT_RESET_0 first"};
      default:
        return thread(one);
    }
  }
};

}  // namespace

Explanation explain(const Context& context, const Standing& standing) {
  return Words(context).explain(standing);
}

std::string name_of(const Context& context, const Standing& standing, bool alone) {
  return Words(context).name(standing, alone);
}

std::string progress_of(const Context& context, const Standing& standing) {
  return Words(context).progress(standing);
}

std::string places_of_handing_over(const Context& context, const Standing& standing) {
  const Words words(context);
  tile::Tile& tile = words.tile_of(standing);
  const auto hands_over = [&](u32 word) {
    switch (word >> 24) {
      case tensix::op::SETDVALID::kOpcode:
        return bit(tensix::op::SETDVALID{word}.setvalid(), standing.index);
      case tensix::op::UNPACR::kOpcode:
        return tensix::op::UNPACR{word}.unpack_block_selection() == standing.index &&
               tensix::op::UNPACR{word}.set_dat_valid() != 0;
      case tensix::op::UNPACR_NOP::kOpcode:
        return tensix::op::UNPACR_NOP{word}.unpacker_select() == standing.index &&
               tensix::op::UNPACR_NOP{word}.set_dvalid() != 0;
      default:
        return false;
    }
  };
  const auto places =
      places_of_words(tile, launch_of(tile, context.situation.kernel_base), standing.tile,
                      static_cast<unsigned>(standing.agent) - static_cast<unsigned>(Agent::Thread0),
                      hands_over, context.code);
  constexpr size_t kMost = 3;
  return places.size() > kMost ? "" : fmt::format("{}", fmt::join(places, " and at "));
}

std::string cores_of(const Context& context, NodeId node, Agent except) {
  return Words(context).cores_of(*context.device.tile_of(node), node, except);
}

}  // namespace bhemu::host
