#include "support_coverage.hpp"

#include "base/fault.hpp"
#include "tensix/isa.hpp"
#include "tensix/operation.hpp"

namespace bhemu::support {
namespace {

std::vector<Row> all_rows() {
  return {
#define SUPPORT(name, modes, meaning, formats, evidence, source, tests) \
  {#name, modes, meaning, formats, evidence, source, nullptr, tests},
#define REFUSED(name, modes, meaning, rule, source, tests) \
  {#name, modes, meaning, "", 0, source, rule, tests},
#define OPERAND(name)
#include "tensix/support.def"
#undef SUPPORT
#undef REFUSED
#undef OPERAND
  };
}

Instruction described(const tensix::Info& info) {
  Instruction instruction{info.name, tensix::name_of(info.unit), info.implemented, {}};
  for (unsigned i = 0; i < info.fields_used; ++i)
    instruction.fields.push_back({info.fields[i].name, info.fields[i].width});
  return instruction;
}

const tensix::FieldInfo& field_named(const tensix::Info& info, const std::string& name) {
  unsigned i = 0;
  while (info.fields[i].name != name) ++i;  // parse_modes has found it
  return info.fields[i];
}

class Counter final : public trace::Observer {
 public:
  explicit Counter(RowCoverage& coverage) : coverage_(coverage) {}
  trace::Instructions wanted_instructions() const override { return trace::Instructions::Accesses; }
  void issued(const trace::Issue& one) override { coverage_.count(one.operation.author.pc); }

 private:
  RowCoverage& coverage_;
};

}  // namespace

RowCoverage::RowCoverage() {
  for (const Row& row : all_rows()) {
    const tensix::Info* const info = tensix::find_instruction(row.instruction);
    Values wanted;
    if (info == nullptr || !parse_modes(row.modes, described(*info), wanted)) continue;
    auto counted = std::make_unique<Counted>();
    counted->row = row;
    for (const auto& [name, values] : wanted) counted->count += static_cast<u32>(values.size());
    if (wanted.empty()) counted->count = 1;
    counted->values = std::make_unique<Value[]>(counted->count);
    Value* value = counted->values.get();
    for (const auto& [name, values] : wanted) {
      const tensix::FieldInfo& field = field_named(*info, name);
      for (const unsigned one : values) {
        const bool flag = one >= kBit;
        value->low = static_cast<u8>(field.low + (flag ? one - kBit : 0));
        value->width = flag ? 1 : field.width;
        value->wanted = flag ? 1 : one;
        ++value;
      }
    }
    of_opcode_[info->opcode].push_back(counted.get());
    rows_.push_back(std::move(counted));
  }
}

RowCoverage::~RowCoverage() = default;

std::unique_ptr<trace::Observer> RowCoverage::observer() {
  return std::make_unique<Counter>(*this);
}

void RowCoverage::count(u32 word) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  for (Counted* const counted : of_opcode_[tensix::opcode_of(word)]) {
    bool used = false;
    for (u32 i = 0; i < counted->count; ++i) {
      Value& value = counted->values[i];
      if (value.width != 0 && bits(word, value.low, value.width) != value.wanted) continue;
      value.times.fetch_add(1, kRelaxed);
      used = true;
    }
    if (used) counted->instructions.fetch_add(1, kRelaxed);
  }
}

std::vector<Use> RowCoverage::uses() const {
  std::vector<Use> uses;
  for (const auto& counted : rows_) {
    Use use{counted->row, counted->instructions.load(), counted->count, 0};
    for (u32 i = 0; i < counted->count; ++i)
      use.seen += counted->values[i].times.load() != 0 ? 1 : 0;
    uses.push_back(use);
  }
  return uses;
}

}  // namespace bhemu::support
