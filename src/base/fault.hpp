// Rules a guest can break, and the Fault that says who broke which, where and when.
//
// A rule is one row of base/rules/*.def: RULE(id, name, severity, section, summary).
// A fault never ends the process: the offending agent stops (severity Error), or the fault is
// recorded and execution carries on as silicon does (Warn, Silicon).
#pragma once

#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/author.hpp"
#include "base/types.hpp"

namespace bhemu {

enum class Severity : u8 { Error, Warn, Silicon };

enum class Rule : u16 {
#define RULE(id, name, severity, section, summary) id,
#include "base/rules.def"
#undef RULE
  Count,
};
inline constexpr unsigned kRules = static_cast<unsigned>(Rule::Count);

struct RuleInfo {
  const char* id;       // the enumerator's spelling
  const char* name;     // stable kebab-case name, as printed and as accepted by --rule
  Severity severity;    // default
  const char* section;  // the document section that states the rule
  const char* summary;  // one sentence
};
const RuleInfo& info_of(Rule rule);
/// What to do about it: an order without a full stop.
const char* remedy_of(Rule rule);
/// It is of what silicon lets pass and programs pay for later, so that a warning is worth telling
/// of before everything else.
bool is_check(Rule rule);
/// Looks a rule up by its kebab-case name; Rule::Count when there is none.
Rule rule_named(const std::string& name);

struct Fault {
  Rule rule = Rule::Count;
  Severity severity = Severity::Error;
  NodeId node = kNoNode;
  Agent agent = Agent::Host;
  u32 pc = 0;  // program counter of a core; instruction word of a coprocessor thread
  Cycle cycle = 0;
  std::string text;  // what happened, with the values involved
};

/// A run's choice of severity per rule; shared by all nodes of a device.
struct FaultPolicy {
  std::array<Severity, kRules> severity{};
  FaultPolicy();  // the table's defaults
};

/// Where the units of one node put their faults. Owned by the node; read at epoch edges.
class FaultPort {
 public:
  FaultPort() = default;
  FaultPort(NodeId node, const FaultPolicy* policy) : node_(node), policy_(policy) {}

  /// Records the fault. True: the rule's severity is Error and the agent must stop where it is.
  /// False: carry on as silicon does. Repeated identical warnings are counted, not stored.
  [[gnu::cold]] bool raise(Rule rule, Agent agent, u32 pc, Cycle cycle, std::string text);
  [[gnu::cold]] bool raise(Rule rule, const Author& author, std::string text) {
    return raise(rule, author.agent, author.pc, author.cycle, std::move(text));
  }

  const std::vector<Fault>& faults() const { return faults_; }
  bool stopped() const { return stopped_; }
  void archive(Archive& archive);
  void clear();

 private:
  NodeId node_ = kNoNode;
  const FaultPolicy* policy_ = nullptr;
  std::vector<Fault> faults_;
  bool stopped_ = false;
};

}  // namespace bhemu
