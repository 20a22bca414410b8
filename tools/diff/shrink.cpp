#include "diff/shrink.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "tensix/isa.hpp"

namespace bhemu::diff {
namespace {

using Shows = std::function<bool(const Program&)>;
using Unit = std::vector<size_t>;  // items that go together

std::vector<Unit> units_of(const Program& program) {
  std::vector<Unit> units;
  std::map<u32, size_t> groups;
  for (size_t i = 0; i < program.items.size(); ++i) {
    const Item& item = program.items[i];
    if (item.keep) continue;
    if (item.group == 0) {
      units.push_back({i});
      continue;
    }
    const auto [entry, fresh] = groups.try_emplace(item.group, units.size());
    if (fresh) units.emplace_back();
    units[entry->second].push_back(i);
  }
  return units;
}

Program without(const Program& program, std::span<const Unit> units) {
  std::vector<bool> gone(program.items.size());
  for (const Unit& unit : units)
    for (const size_t i : unit) gone[i] = true;
  Program rest = program;
  rest.items.clear();
  for (size_t i = 0; i < program.items.size(); ++i)
    if (!gone[i]) rest.items.push_back(program.items[i]);
  return rest;
}

/// One pass of every group size; true when something went.
bool take_out(Program& program, const Shows& shows) {
  bool smaller = false;
  for (size_t count = std::max<size_t>(units_of(program).size() / 2, 1); count > 0; count /= 2) {
    for (size_t first = 0;;) {
      const std::vector<Unit> units = units_of(program);
      if (first >= units.size()) break;
      Program shorter =
          without(program, std::span(units).subspan(first, std::min(count, units.size() - first)));
      if (shows(shorter)) {
        program = std::move(shorter);
        smaller = true;
      } else {
        first += count;
      }
    }
  }
  return smaller;
}

bool is_tensix(const Item& item) {
  return item.kind == Kind::Store && item.address >= kPushTensix &&
         item.address <= kPushTensix + 0x20000;
}

/// Simpler values that an item might do with, simplest first.
std::vector<u32> simpler_values(const Item& item) {
  if (item.kind == Kind::Store && !is_tensix(item)) return {0, 1, item.value & 0xFFFF};
  if (!is_tensix(item)) return {};
  std::vector<u32> values;
  if (item.group != 0) values.push_back(tensix::encode<tensix::op::NOP>());
  const tensix::Info& info = tensix::info_of_word(item.value);
  for (const tensix::FieldInfo& field : std::span(info.fields).first(info.fields_used))
    if (bits(item.value, field.low, field.width) != 0)
      values.push_back(item.value & ~(((1u << field.width) - 1) << field.low));
  return values;
}

/// Puts simpler values into an item for as long as one does; each leaves out another part of it.
void simplify(Program& program, size_t i, const Shows& shows) {
  for (bool simpler = true; simpler;) {
    simpler = false;
    for (const u32 value : simpler_values(program.items[i])) {
      if (value == program.items[i].value) break;  // the simplest so far
      Program candidate = program;
      candidate.items[i].value = value;
      simpler = shows(candidate);
      if (!simpler) continue;
      program = std::move(candidate);
      break;
    }
  }
}

void simplify(Program& program, const Shows& shows) {
  for (size_t i = 0; i < program.items.size(); ++i)
    if (!program.items[i].keep) simplify(program, i, shows);
  for (size_t half = std::max<size_t>(program.data.size() / 2, 1);
       half > 0 && !program.data.empty(); half /= 2) {
    for (size_t first = 0; first < program.data.size(); first += half) {
      Program candidate = program;
      const size_t last = std::min(first + half, program.data.size());
      std::fill(candidate.data.begin() + static_cast<std::ptrdiff_t>(first),
                candidate.data.begin() + static_cast<std::ptrdiff_t>(last), 0);
      if (candidate.data != program.data && shows(candidate)) program = std::move(candidate);
    }
  }
}

}  // namespace

Program shrink(Program program, const Shows& shows) {
  while (take_out(program, shows)) {
  }
  simplify(program, shows);
  take_out(program, shows);
  return program;
}

}  // namespace bhemu::diff
