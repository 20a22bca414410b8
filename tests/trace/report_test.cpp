// bhemu run --report: the page as text, and in a real browser where there is one.
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace bhemu::test {
namespace {

const std::string kRoot = BHEMU_SOURCE_DIR "/";

class ReportPage : public testing::Test {
 protected:
  std::string page_of(const std::string& program, int status) {
    const std::string file = (scratch_.path() / "run.html").string();
    const CommandResult result = bhemu(
        scratch_, "run " + program + " --output " + scratch_.path().string() + " --report " + file);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_NE(result.out.find("  report     " + file), std::string::npos) << result.out;
    return contents(file);
  }

  /// What a browser has made of the page; empty when there is no browser here.
  std::string dom() {
    if (shell(scratch_, "command -v chromium").status != 0) return "";
    const CommandResult result = shell(
        scratch_, "HOME=" + scratch_.path().string() +
                      " chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
                      "--virtual-time-budget=20000 --dump-dom file://" +
                      (scratch_.path() / "run.html").string());
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
  static size_t count(const std::string& text, const std::string& wanted) {
    size_t found = 0;
    for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1))
      ++found;
    return found;
  }
  Scratch scratch_{"bhemu_report_test"};
};

TEST_F(ReportPage, needs_nothing_but_itself) {
  const std::string page = page_of(kRoot + "examples/stuck/cb.yaml", 3);
  for (const char* outside : {"src=", "href=", "url(http", "@import", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_EQ(count(page, "</script>"), 2u) << "nothing in the data ends its script";
  EXPECT_EQ(page.find("@DATA@"), std::string::npos);
  EXPECT_EQ(count(page, "class=\"bh-cell\""), 120u);
}

TEST_F(ReportPage, of_a_hang_shows_the_cause_and_the_graph_in_a_browser) {
  page_of(kRoot + "tests/hangs/chain_of_five.yaml", 3);
  const std::string page = dom();
  if (page.empty()) GTEST_SKIP() << "no chromium here: the page was not looked at";
  EXPECT_NE(page.find("data-ready=\"yes\""), std::string::npos) << "its script came to its end";
  EXPECT_NE(page.find("class=\"chip bad\">HUNG<"), std::string::npos);
  EXPECT_NE(page.find("<b>First cause: </b>NCRISC of (1, 2) waits at Read"), std::string::npos);
  const size_t graph = page.find("class=\"graph\"");
  ASSERT_NE(graph, std::string::npos);
  EXPECT_EQ(count(page.substr(graph), "marker-end=\""), 4u) << "five who wait, for one another";
  EXPECT_NE(page.find("id=\"verdict\""), std::string::npos);
  EXPECT_NE(page.find("id=\"values\""), std::string::npos) << "registers of the tile";
  EXPECT_NE(page.find("id=\"lanes\""), std::string::npos);
}

TEST_F(ReportPage, of_a_deadlock_has_a_box_for_each_who_waits_and_an_arrow_both_ways) {
  const std::string page = page_of(kRoot + "tests/hangs/deadlock_of_tiles.yaml --board p150", 3);
  EXPECT_EQ(count(page, "class=\"bh-cell\""), 140u);
  const size_t graph = page.find("\"graph\":[");
  const size_t end = page.find("\"looks\":", graph);
  const std::string boxes = page.substr(graph, end - graph);
  EXPECT_EQ(count(boxes, "\"agent\":\"BRISC\""), 2u) << boxes;
  EXPECT_NE(boxes.find("\"from\":[0]"), std::string::npos) << boxes;
  EXPECT_NE(boxes.find("\"from\":[1]"), std::string::npos) << boxes;
  // Ethernet tiles, which poll for ever, run no kernel.
  EXPECT_NE(page.find("\"verdict\":\"BRISC waits "), std::string::npos);
}

TEST_F(ReportPage, of_a_fault_shows_the_rule) {
  // lui a0, 0x90000; lw a0, 0(a0): nothing is there
  scratch_.file("k.bin", std::string("\x37\x05\x00\x90\x03\x25\x05\x00\x67\x80\x00\x00", 12));
  const std::string program =
      scratch_.file("p.yaml", "name: x\ntiles: [[1, 2]]\nkernels: {brisc: {raw: k.bin}}\n");
  const std::string text = page_of(program, 4);
  EXPECT_NE(text.find("\"status\":\"fault\""), std::string::npos);
  const std::string page = dom();
  if (page.empty()) GTEST_SKIP() << "no chromium here: the page was not looked at";
  EXPECT_NE(page.find("class=\"cause fault\""), std::string::npos);
  EXPECT_NE(page.find("data-look=\"fault\""), std::string::npos);
}

TEST_F(ReportPage, of_a_good_run_shows_checks_pages_and_the_profile) {
  page_of(kRoot + "examples/matmul_multicast.yaml", 0);
  const std::string page = dom();
  if (page.empty()) GTEST_SKIP() << "no chromium here: the page was not looked at";
  EXPECT_NE(page.find("class=\"chip\">PASSED<"), std::string::npos);
  EXPECT_NE(page.find("✓ tensor output = matmul(left, right)"), std::string::npos);
  EXPECT_NE(page.find("CB 16 page 1"), std::string::npos);
  EXPECT_NE(page.find("MVMUL is at work"), std::string::npos);
  EXPECT_EQ(page.find("id=\"graph-section\" hidden"), page.rfind("id=\"graph-section\""));
}

TEST_F(ReportPage, refuses_a_file_that_cannot_be_written_before_it_runs) {
  const CommandResult result = bhemu(
      scratch_, "run " BHEMU_SOURCE_DIR "/examples/add_scalar.yaml --report /dev/null/run.html");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out.find("boot"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace bhemu::test
