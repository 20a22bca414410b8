// Whole programs: observers change nothing of them, and a result can be followed back to the host.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "host/boot/machine.hpp"
#include "host/report/inspect.hpp"
#include "support/booted.hpp"
#include "support/narrow.hpp"
#include "watch/watchpoint.hpp"

namespace bhemu::watch {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(BHEMU_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Ended {
  host::Status status;
  u64 hash;
  Cycle cycle;
  bool operator==(const Ended&) const = default;
};

class Dummy final : public trace::Observer {};

/// `boots`: null when it is observed from its reset on.
Ended run(DeviceOptions options, const host::PreparedProgram& prepared, unsigned threads,
          bool observed, test::Boots* boots) {
  options.threads = threads;
  const std::unique_ptr<host::Machine> machine =
      boots != nullptr ? boots->machine(options)
                       : std::make_unique<host::Machine>(options, host::Firmware::embedded());
  if (observed) machine->device().observe([](NodeId) { return std::make_unique<Dummy>(); });
  if (boots == nullptr) machine->boot();
  const host::Outcome outcome = machine->run_unsaved(prepared);
  return {outcome.status, machine->device().hash(), outcome.cycle};
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, are_the_same_with_an_observer_whatever_the_number_of_threads) {
  const host::Program program =
      host::load_program(std::string(BHEMU_SOURCE_DIR "/examples/") + GetParam() + ".yaml");
  DeviceOptions options;
  options.board = test::narrow(BoardOptions::defaults(program.board.value_or(BoardModel::P100A)));
  const host::PreparedProgram prepared =
      host::Machine(options, host::Firmware::embedded()).prepare(program);
  test::Boots boots;
  const Ended plain = run(options, prepared, 1, false, &boots);
  EXPECT_EQ(plain.status, host::Status::Ok);
  // Which number of threads: each example one, all numbers in turn.
  const auto names = examples();
  const auto index = std::find(names.begin(), names.end(), GetParam()) - names.begin();
  constexpr unsigned kThreadCounts[] = {1, 2, 4};
  // A boot is the same for all of them.
  test::Boots* const from = index < 3 ? nullptr : &boots;
  EXPECT_EQ(run(options, prepared, kThreadCounts[index % 3], true, from), plain);
}

INSTANTIATE_TEST_SUITE_P(Every, Examples, testing::ValuesIn(examples()),
                         [](const auto& info) { return info.param; });

TEST(Why, follows_a_page_of_the_result_back_to_the_host) {
  const host::Program program = host::load_program(BHEMU_SOURCE_DIR "/examples/add_scalar.yaml");
  host::Machine machine(DeviceOptions{}, host::Firmware::embedded());
  const WritersOfDevice writers(machine.device());
  const host::PreparedProgram prepared = machine.prepare(program);
  machine.boot();
  const fs::path directory = fs::temp_directory_path() / fmt::format("bhemu_why.{}", ::getpid());
  fs::create_directories(directory);
  const Coord tile = prepared.tiles().front();
  ASSERT_EQ(machine.run(prepared, directory.string()).status, host::Status::Ok);
  fs::remove_all(directory);
  // The buffer of the second circular buffer: what the packer has written.
  u32 page = 0;
  for (const host::CircularBuffer& buffer : host::circular_buffers(machine.device(), tile))
    if (buffer.index == 16) page = buffer.address;
  const std::string asked = fmt::format("{}-{} {:#x}+32", tile.x, tile.y, page);
  const Question question = parse_question("--why", asked, machine.device().board());
  const std::string text =
      text_of(machine.device(), question, why(writers, question), machine.code());
  std::size_t at = 0;
  // Down the line: packer, vector unit, matrix unit or unpacker, NoC, host.
  for (const char* part :
       {"with PACR", "from Dst row", "SFPSTORE", "LReg", "from SrcA row", "with UNPACR",
        "from memory [", "for NCRISC of", "from memory [", "the host in cycle"}) {
    const std::size_t found = text.find(part, at);
    EXPECT_NE(found, std::string::npos) << part << " in\n" << text;
    if (found != std::string::npos) at = found;
  }
}

}  // namespace
}  // namespace bhemu::watch
