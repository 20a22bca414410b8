// Whole programs: observers change nothing of them, and a result can be followed back to the host.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "host/boot/machine.hpp"
#include "host/report/inspect.hpp"
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

Ended run(const std::string& name, unsigned threads, bool observed) {
  const host::Program program =
      host::load_program(std::string(BHEMU_SOURCE_DIR "/examples/") + name + ".yaml");
  DeviceOptions options;
  options.board = BoardOptions::defaults(program.board.value_or(BoardModel::P100A));
  options.threads = threads;
  host::Machine machine(options, host::Firmware::embedded());
  if (observed) machine.device().observe([](NodeId) { return std::make_unique<Dummy>(); });
  const host::PreparedProgram prepared = machine.prepare(program);
  machine.boot();
  const fs::path directory = fs::temp_directory_path() / fmt::format("bhemu_watch.{}", ::getpid());
  fs::create_directories(directory);
  const host::Outcome outcome = machine.run(prepared, directory.string());
  fs::remove_all(directory);
  return {outcome.status, machine.device().hash(), outcome.cycle};
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, are_the_same_with_an_observer_whatever_the_number_of_threads) {
  const Ended plain = run(GetParam(), 1, false);
  EXPECT_EQ(plain.status, host::Status::Ok);
  // Which number of threads: each example one, all numbers in turn.
  const auto names = examples();
  const auto index = std::find(names.begin(), names.end(), GetParam()) - names.begin();
  constexpr unsigned kThreadCounts[] = {1, 2, 4};
  EXPECT_EQ(run(GetParam(), kThreadCounts[index % 3], true), plain);
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
