// The suggested line of a finding, put into the program. What can be suggested is a fixed list of
// phrases; a text of edges.def that is none of them is not applied, and its test fails.
#include <algorithm>
#include <functional>
#include <regex>

#include "hazard/pairs.hpp"
#include "tensix/isa.hpp"

namespace bhemu::host::pairs {
namespace {

using race::NocKind;
namespace tens = tensix::op;

constexpr u32 kSemaphore = 1u << 6;  // one that no program uses
constexpr u32 kDisTriscCache = 1u << 18;

/// Calls the two sides by fixed names.
class Marks final : public race::Names {
 public:
  explicit Marks(const race::Finding& finding) : finding_(finding) {}
  std::string side(const race::Side& side) const override {
    return (&side == &finding_.first) != finding_.late ? "FROM" : "TO";
  }

 private:
  const race::Finding& finding_;
};

u32 mask_of(const std::string& names, std::initializer_list<const char*> bits) {
  u32 mask = 0;
  std::size_t begin = 0;
  while (begin <= names.size()) {
    const std::size_t end = std::min(names.find('|', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    u32 bit = 0;
    for (const char* one : bits) {
      if (name == one) mask |= 1u << bit;
      ++bit;
    }
    begin = end + 1;
  }
  return mask;
}
u32 blocks_of(const std::string& names) {
  return mask_of(names, {"TDMA", "SYNC", "PACK", "UNPACK", "XMOV", "THCON", "MATH", "CFG", "SFPU"});
}
u32 conditions_of(const std::string& names) {
  return mask_of(names, {"THCON", "UNPACK0", "UNPACK1", "PACK", "MATH", "SRCA_CLR", "SRCB_CLR",
                         "SRCA_VLD", "SRCB_VLD", "XMOV", "TRISC_CFG", "SFPU", "CFGEXU"});
}
Step stallwait(u32 block, u32 conditions) {
  return op(tensix::encode<tens::STALLWAIT>({{"stall_res", block}, {"wait_res", conditions}}));
}
Step semwait(u32 block) {
  return op(tensix::encode<tens::SEMWAIT>(
      {{"stall_res", block}, {"sem_sel", kSemaphore}, {"wait_sem_cond", 1}}));
}

class Patch {
 public:
  Patch(Program& program, const Seen& seen, const race::Finding& finding)
      : program_(program), seen_(seen) {
    from_known_ = find(finding.late ? finding.second : finding.first, from);
    to_known_ = find(finding.late ? finding.first : finding.second, to);
  }
  At from;
  At to;

  void before_to(std::vector<Step> steps) { insert(to.lane, to.step, std::move(steps)); }
  void after_from(std::vector<Step> steps) { insert(from.lane, from.step + 1, std::move(steps)); }
  bool knows_from() const { return from_known_; }
  bool knows_to() const { return to_known_; }
  Step& step_from() { return steps(from)[from.step]; }
  Step& step_to() { return steps(to)[to.step]; }
  unsigned core_from() const { return program_[from.lane].core; }
  unsigned core_to() const { return program_[to.lane].core; }
  bool same_lane() const { return from.lane == to.lane; }
  /// Where the one who acts first must have finished: before the other, or before anybody hears.
  void finish_from(Step step) {
    if (same_lane()) return before_to({std::move(step)});
    after_from({std::move(step)});
  }

 private:
  std::vector<Step>& steps(At at) { return program_[at.lane].steps; }
  void insert(std::size_t lane, std::size_t at, std::vector<Step> more) {
    std::vector<Step>& all = program_[lane].steps;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
    if (from.lane == lane && at <= from.step) from.step += more.size();
    if (to.lane == lane && at <= to.step) to.step += more.size();
  }
  bool find(const race::Side& side, At& at) const {
    if (!side.known) return false;
    const Agent agent = side.site.agent;
    const bool thread = agent >= Agent::Thread0 && agent <= Agent::Thread2;
    unsigned core = kBrisc;
    if (thread && side.site.origin != Origin::Brisc)
      core = kTrisc0 + static_cast<unsigned>(agent) - static_cast<unsigned>(Agent::Thread0);
    else if (!thread && is_core(agent))
      core = index_of(core_of(agent));
    const u32 pc = race::place_in_code(side);
    for (std::size_t lane = 0; lane < program_.size(); ++lane) {
      if (program_[lane].core != core || seen_.nodes[program_[lane].tile] != side.site.tile)
        continue;
      const std::vector<u32>& begins = seen_.begins[lane];
      for (std::size_t step = 0; step + 1 < begins.size(); ++step) {
        if (pc < begins[step] || pc >= begins[step + 1]) continue;
        at = {lane, step};
        return true;
      }
    }
    return false;
  }

  Program& program_;
  const Seen& seen_;
  bool from_known_ = false;
  bool to_known_ = false;
};

struct Phrase {
  const char* pattern;
  std::function<void(Patch&, const std::smatch&)> apply;
};

Request of_kind(NocKind kind, unsigned noc) {
  Request request;
  request.kind = kind;
  request.noc = noc;
  return request;
}

std::vector<Phrase> phrases_1() {
  return {
      {"STALLWAIT\\(SYNC, ([A-Z0-9_|]+)\\) and SEMPOST after FROM.*SEMWAIT\\(([A-Z0-9|]+)\\) "
       "before TO",
       [](Patch& patch, const std::smatch& m) {
         patch.before_to({semwait(blocks_of(m[2]))});
         patch.after_from({stallwait(2, conditions_of(m[1])),
                           op(tensix::encode<tens::SEMPOST>({{"sem_sel", kSemaphore}}))});
       }},
      {"^insert STALLWAIT\\(([A-Z0-9|]+), ([A-Z0-9_|]+)\\)( or [a-z ]+Tensix instructions)? "
       "before TO",
       [](Patch& patch, const std::smatch& m) {
         patch.before_to({stallwait(blocks_of(m[1]), conditions_of(m[2]))});
       }},
      {"^insert STALLWAIT\\(([A-Z0-9|]+), ([A-Z0-9_|]+)\\) after FROM",
       [](Patch& patch, const std::smatch& m) {
         patch.after_from({stallwait(blocks_of(m[1]), conditions_of(m[2]))});
       }},
      {"^insert STALLWAIT\\(SYNC, ([A-Z0-9_|]+)\\) before the ATRELM that follows FROM",
       [](Patch& patch, const std::smatch& m) {
         patch.after_from({stallwait(2, conditions_of(m[1]))});
       }},
      {"^insert three unrelated Tensix instructions before TO",
       [](Patch& patch, const std::smatch&) {
         const Step nop = op(tensix::encode<tens::NOP>({}));
         patch.before_to({nop, nop, nop});
       }},
      {"^insert an SFPNOP before TO",
       [](Patch& patch, const std::smatch&) {
         patch.before_to({op(tensix::encode<tens::SFPNOP>({}))});
       }},
      {"^insert a NOP before TO",
       [](Patch& patch, const std::smatch&) {
         patch.before_to({op(tensix::encode<tens::NOP>({}))});
       }},
      {"^insert SEMWAIT on the semaphore before TO",
       [](Patch& patch, const std::smatch&) {
         const u32 word = patch.step_to().word;  // SEMGET or SEMPOST
         const bool get = tensix::opcode_of(word) == tens::SEMGET::kOpcode;
         patch.before_to({op(tensix::encode<tens::SEMWAIT>({{"stall_res", 2},
                                                            {"sem_sel", word >> 2 & 0xFF},
                                                            {"wait_sem_cond", get ? 1u : 2u}}))});
       }},
      {"^set Stall_Clr_Cntrl in TO",
       [](Patch& patch, const std::smatch&) { patch.step_to().word |= 1u << 5; }},
      {"^write the field with RMWCIB instead of TO",
       [](Patch& patch, const std::smatch&) {
         const u32 word = tens::WRCFG{patch.step_to().word}.cfg_reg();
         patch.step_to() =
             op(tensix::encode<tens::RMWCIB1>({{"cfg_reg_addr", word}, {"mask", 1}, {"data", 1}}));
       }},
  };
}
std::vector<Phrase> phrases_2() {
  return {
      {"^end the bundle after FROM",
       [](Patch& patch, const std::smatch&) { patch.after_from({nops(1)}); }},
      {"^set cfg0.DisTriscCache before FROM and clear it after the recorded instructions",
       [](Patch& patch, const std::smatch&) {
         const u32 length = tens::REPLAY{patch.step_from().word}.len();
         Patch after = patch;
         after.to = {patch.from.lane, patch.from.step + length + 1};
         after.before_to({{Step::Kind::Csr, 0, 0, kDisTriscCache}});
         patch.to = patch.from;
         patch.before_to({{Step::Kind::Csr, 0, 1, kDisTriscCache}});
       }},
      {"load the same address and use the value|read back what FROM stored and use it|load the "
       "word that FROM stored and use it|^read back a stored row and use it",
       [](Patch& patch, const std::smatch&) {
         patch.after_from({load_use(patch.step_from().address)});
       }},
      {"^use the loaded value",
       [](Patch& patch, const std::smatch&) { patch.before_to({{Step::Kind::Use}}); }},
      {"^insert a fence before TO",
       [](Patch& patch, const std::smatch&) {
         if (patch.step_to().kind == Step::Kind::PollWithout)
           patch.step_to().kind = Step::Kind::Poll;  // inside of the loop
         else
           patch.before_to({{Step::Kind::Fence}});
       }},
      {"^before TO, wait for the thread",
       [](Patch& patch, const std::smatch&) { patch.finish_from({Step::Kind::ThreadDone}); }},
      {"^before TO, wait for the expander",
       [](Patch& patch, const std::smatch&) { patch.before_to({{Step::Kind::ExpanderDone}}); }},
      {"put a fence behind FROM and tell that core by mailbox, which it reads before TO",
       [](Patch& patch, const std::smatch&) {
         const unsigned first = patch.core_from();
         const unsigned second = patch.core_to();
         patch.before_to({take(first)});
         patch.after_from({{Step::Kind::Fence}, mail(second)});
       }},
      {"^synchronise FROM and TO",
       [](Patch& patch, const std::smatch&) {
         const unsigned first = patch.core_from();
         const unsigned second = patch.core_to();
         std::vector<Step> told = {mail(second)};
         if (patch.step_from().kind == Step::Kind::Store)
           told.insert(told.begin(), load_use(patch.step_from().address));
         patch.before_to({take(first)});
         patch.after_from(told);
       }},
      {"read NOC_CMD_CTRL of the initiator( of FROM)? until it is 0|^read NOC_CMD_CTRL back",
       [](Patch& patch, const std::smatch&) {
         patch.before_to({wait_free(patch.step_from().request)});
       }},
  };
}
std::vector<Phrase> phrases_3() {
  return {
      {"wait until NIU_MST_WRITE_REQS_OUTGOING_ID\\(tid\\) is 0",
       [](Patch& patch, const std::smatch&) {
         constexpr u32 kOutgoing = 0xFFB20000 + 0x200 + 32 * 4;
         const Request& request = patch.step_from().request;
         patch.finish_from(
             {Step::Kind::WaitZero, 0, kOutgoing + request.noc * 0x10000, 0, request});
       }},
      {"insert noc_async_(write|read|atomic)_barrier|wait for the (acknowledgement) of FROM before "
       "TO",
       [](Patch& patch, const std::smatch& m) {
         const Request& request = patch.step_from().request;
         const NocKind kind = m[1] == "read"     ? NocKind::Read
                              : m[1] == "atomic" ? NocKind::Atomic
                                                 : NocKind::Write;
         patch.finish_from(wait_for(kind, of_kind(kind, request.noc).noc));
       }},
      {"^in the core that pushes FROM, wait for the thread.*write a mailbox that the core of TO "
       "reads",
       [](Patch& patch, const std::smatch&) {
         const unsigned first = patch.core_from();
         const unsigned second = patch.core_to();
         patch.before_to({take(first)});
         patch.after_from({{Step::Kind::ThreadDone}, mail(second)});
       }},
      {"^use another initiator in TO",
       [](Patch& patch, const std::smatch&) {
         if (patch.step_to().kind == Step::Kind::Send)
           patch.step_to().request.buffer ^= 2;
         else
           patch.step_to().address ^= 0x1000;
       }},
  };
}
const std::vector<Phrase>& phrases() {
  static const std::vector<Phrase> kPhrases = [] {
    std::vector<Phrase> all;
    for (const auto& some : {phrases_1(), phrases_2(), phrases_3()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return kPhrases;
}

}  // namespace

bool apply_fix(Program& program, const Seen& seen, const race::Finding& finding) {
  const std::string text = race::missing_edge_of(finding, Marks(finding));
  Patch patch(program, seen, finding);
  if (!patch.knows_to()) return false;
  if (!patch.knows_from() && text.find("FROM") != std::string::npos) return false;
  for (const Phrase& phrase : phrases()) {
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(phrase.pattern))) continue;
    phrase.apply(patch, match);
    return true;
  }
  return false;
}

}  // namespace bhemu::host::pairs
