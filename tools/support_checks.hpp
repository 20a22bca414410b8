// The support matrix (src/tensix/support.def and its neighbours) as data, and what must hold of it:
// every value of every mode field of every instruction has a row, and every test named exists.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bhemu::support {

/// Where the behaviour of a row is known from; a row may have several.
enum Evidence : unsigned {
  Document = 1,    // a hardware document states it
  Silicon = 2,     // measured on a card
  Experiment = 4,  // the vendor's simulator gives the same when asked
};
std::string name_of_evidence(unsigned evidence);

struct Field {
  std::string name;
  unsigned width = 0;
};

struct Instruction {
  std::string name;
  std::string unit;
  bool implemented = true;
  std::vector<Field> fields;
};

/// One row. `modes` names the values of fields that the row speaks of ("instr_mod1=0-3,8
/// rnd_mode=2"), single bits of a field of flags ("wait_res#0,4-6"), or nothing: the instruction as
/// such.
struct Row {
  const char* instruction;
  const char* modes;
  const char* meaning;
  const char* formats;
  unsigned evidence;
  const char* source;
  const char* rule;   // what a use raises instead; null: supported
  const char* tests;  // "Suite.name, Suite.other/WORDS": WORDS must stand in the test's file
};

/// A group of things that has one row altogether: an extension of the RISC-V cores, say.
struct Group {
  const char* area;
  const char* name;
  const char* meaning;
  unsigned evidence;
  const char* source;
  const char* tests;
};

/// The tests of the tree, by name.
class Tests {
 public:
  /// Takes in what one file declares: a C++ file with GoogleTest's macros, or a CMakeLists.txt.
  void add(const std::string& path, const std::string& text);
  /// The file of a test named as in Row::tests; empty when there is no such test.
  std::string file_of(std::string_view reference) const;
  std::size_t size() const { return files_.size(); }

 private:
  std::map<std::string, std::string, std::less<>> files_;  // by Suite.name
  std::map<std::string, std::string> texts_;               // by path
};

std::vector<std::string> split_tests(std::string_view tests);

/// What `modes` names: values of fields, and kBit + n for bit n. False when it cannot be read.
inline constexpr unsigned kBit = 1u << 24;
using Values = std::map<std::string, std::set<unsigned>>;
bool parse_modes(std::string_view modes, const Instruction& instruction, Values& values);

struct Tables {
  std::vector<Instruction> instructions;
  std::set<std::string> operands;  // fields whose values are numbers, registers or addresses
  std::vector<Row> rows;
  std::vector<Group> groups;
  std::set<std::string> needed_groups;
  std::set<std::string> rules;
};

/// One sentence for everything wrong with the tables; empty when all is well.
std::vector<std::string> problems_of(const Tables& tables, const Tests& tests);

}  // namespace bhemu::support
