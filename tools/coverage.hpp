// The checked list of what documents and headers name (docs/coverage): the tables of tools/coverage
// as data, and what must hold of them. tests/audit/coverage_test.cpp holds the emulator to them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "support_checks.hpp"

namespace bhemu::coverage {

/// Whose addresses: of a Tensix tile, of the ARC tile over the NoC, of the card's BAR 0, of an
/// Ethernet tile.
enum class Space { Tile, Arc, Bar0, Ethernet };

enum class Class {
  Modelled,  // does what its source says, and a test holds us to it
  Inert,     // kept; only power, speed or the handling of hardware errors depends on it: says why
  Warned,    // kept without effect; a use that should have one raises a warning
  Refused,   // a use raises an error
  Absent,    // Blackhole does not have it
  Overview,  // a page that states nothing of its own that a program could see
};
const char* name_of(Class kind);

/// A name that a header gives to an address.
struct Name {
  const char* file;
  const char* name;
  Space space;
  u64 address;
};

/// What a stretch of addresses is. `read` and `write`: the rule that a read, and a write of
/// `value`, raise; empty: none; "waits": the access does not return.
struct Registers {
  Space space;
  u64 first;
  u64 last;
  Class kind;
  const char* read;
  const char* write;
  u32 value;
  const char* tests;
  const char* remark;
};

/// Names (of fields, of codes) that are something else than the register they are found in; or
/// fields of the configuration. `pattern` may hold *.
struct Named {
  const char* pattern;
  Class kind;
  const char* rule;
  const char* tests;
  const char* remark;
};

/// Where a page was found: in both repositories, in the fork of 2025 only, in the original only.
enum class Origin { Both, Fork, Later };
const char* name_of(Origin origin);

struct Page {
  Origin origin;
  const char* path;
  Class kind;
  const char* rule;
  const char* remark;
  const char* tests;
};

/// What has become of a statement that was drawn from the ISA documentation.
enum class Verdict {
  Holds,      // a test says so
  Refused,    // the emulator raises a rule or reports a hang instead, and a test sees it
  Overruled,  // another source ranks above the page: docs/DISAGREEMENTS.md
  Time,       // about speed, order in time or the structure that causes it
  Advice,     // to programmers; or how a word is meant, where something else is described
};
const char* name_of(Verdict verdict);

struct Statement {
  unsigned number;
  const char* page;
  const char* section;
  Verdict verdict;
  const char* tests;
};

std::span<const Name> names();
std::span<const Registers> registers();
std::span<const Named> named();   // exceptions among names()
std::span<const Named> fields();  // of the configuration
std::span<const Page> pages();
std::span<const Statement> statements();

bool matches(std::string_view pattern, std::string_view name);
/// The first row that holds the address; null when none does.
const Registers* registers_at(Space space, u64 address);
const Named* exception_of(std::string_view name);
const Named* field_row(std::string_view field);
/// The names of the configuration's fields, words of a bank first, then of the threads.
std::vector<std::string> all_fields();
/// The tests of a page: its own, or those of support rows that name it as their source.
std::string tests_of(const Page& page, const support::Tables& tables);

/// One sentence for everything wrong with the tables; empty when all is well.
std::vector<std::string> problems_of(const support::Tables& tables, const support::Tests& tests);

}  // namespace bhemu::coverage
