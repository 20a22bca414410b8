#include "base/fault.hpp"

namespace bhemu {
namespace {

constexpr RuleInfo kRuleTable[] = {
#define RULE(id, name, severity, section, summary) \
  {#id, name, Severity::severity, section, summary},
#include "base/rules.def"
#undef RULE
};
static_assert(sizeof kRuleTable / sizeof kRuleTable[0] == kRules);

}  // namespace

const RuleInfo& info_of(Rule rule) {
  return kRuleTable[static_cast<unsigned>(rule)];
}

const char* remedy_of(Rule rule) {
  switch (rule) {
#define REMEDY(id, text) \
  case Rule::id:         \
    return text;
#include "base/rules/remedies.def"
#undef REMEDY
    default:
      return "";
  }
}

bool is_check(Rule rule) {
  switch (rule) {
#define RULE(id, name, severity, section, summary) case Rule::id:
#include "base/rules/check.def"
#undef RULE
    case Rule::TensixSemaphoreOverMax:
    case Rule::TensixSemaphoreAtCeiling:
    case Rule::TensixMutexNotHeld:
      return true;
    default:
      return false;
  }
}

Rule rule_named(const std::string& name) {
  for (unsigned i = 0; i < kRules; ++i)
    if (name == kRuleTable[i].name) return static_cast<Rule>(i);
  return Rule::Count;
}

FaultPolicy::FaultPolicy() {
  for (unsigned i = 0; i < kRules; ++i) severity[i] = kRuleTable[i].severity;
}

bool FaultPort::raise(Rule rule, Agent agent, u32 pc, Cycle cycle, std::string text) {
  const auto index = static_cast<unsigned>(rule);
  const Severity severity = policy_ ? policy_->severity[index] : kRuleTable[index].severity;
  if (severity == Severity::Error) {
    stopped_ = true;
  } else {
    if (severity == Severity::Silicon) return false;
    for (const Fault& known : faults_)
      if (known.rule == rule && known.agent == agent && known.pc == pc) return false;
  }
  faults_.push_back({rule, severity, node_, agent, pc, cycle, std::move(text)});
  return severity == Severity::Error;
}

void FaultPort::archive(Archive& archive) {
  u64 count = faults_.size();
  archive.value(count);
  if (archive.is_loading()) faults_.clear();
  for (u64 i = 0; i < count; ++i) {
    if (archive.is_loading()) faults_.emplace_back();
    Fault& fault = faults_[i];
    archive.value(fault.rule);
    archive.value(fault.severity);
    archive.value(fault.node);
    archive.value(fault.agent);
    archive.value(fault.pc);
    archive.value(fault.cycle);
    archive.text(fault.text);
  }
  archive.value(stopped_);
}

void FaultPort::clear() {
  faults_.clear();
  stopped_ = false;
}

}  // namespace bhemu
