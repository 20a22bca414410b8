// The page about order: what orders two actions on the chip, from src/race/edges.def.
#include <fmt/format.h>

#include "doc_markdown.hpp"
#include "doc_pages.hpp"
#include "race/edges.hpp"

namespace bhemu::docs {
namespace {

std::string cycles(u16 value) {
  return value == race::kNoCycles ? std::string("-") : std::to_string(value);
}

std::string latency(const race::Edge& edge) {
  if (edge.minimum == race::kNoCycles && edge.maximum == race::kNoCycles) return "not known";
  if (edge.maximum == race::kNoCycles) return fmt::format("{} or more", edge.minimum);
  if (edge.minimum == edge.maximum) return std::to_string(edge.minimum);
  return fmt::format("{} to {}", cycles(edge.minimum), cycles(edge.maximum));
}

constexpr const char* kIntroduction =
    "A Blackhole tile has some hundred parts that work at the same time: five cores, each with a\n"
    "store path for every region of memory, three Tensix threads, ten units that each serve all\n"
    "three, two network interfaces with several requests under way. Program order says in which\n"
    "order they are *told* what to do. It does not say in which order things *happen*. This page\n"
    "lists, one by one, what does: which hardware interlock, which wait, which counter, and what\n"
    "looks as if it did and does not.\n\n"
    "## Five things to know first\n\n"
    "1. **A store is not done when the next instruction runs.** A core's stores wait in a queue "
    "of\n"
    "   four, then travel to their region of memory (L1, configuration, NIU, FIFOs), and each\n"
    "   region takes its own time. Two stores to one region happen in order; two stores to two\n"
    "   regions happen in any order. A load from the same region whose value is *used* proves "
    "that\n"
    "   an earlier store to those bytes has happened (rows 1 to 5).\n"
    "2. **A Tensix instruction is not done when the next one starts.** A thread's wait gate lets\n"
    "   its instructions go in order; the units finish when they finish. STALLWAIT holds the\n"
    "   instructions that its block mask names until the units that its conditions name have\n"
    "   drained; it holds nothing else, and it knows its own thread only, except for the mover\n"
    "   and the configuration unit (rows 14 to 16).\n"
    "3. **A semaphore says what its poster knew.** SEMPOST waits for no unit. Whoever posts\n"
    "   \"done\" must first STALLWAIT(SYNC, ...) for the unit that did it (rows 16, 27, 28).\n"
    "4. **A NoC request has several ends.** Its source has been read; its data has arrived; you\n"
    "   have been told. Each has a counter of its own, and the barrier must be the one for the\n"
    "   kind of request (rows 43 to 51).\n"
    "5. **A core's view of L1 can be old.** Its L0 cache is not coherent (row 6).\n\n"
    "## How to read the rows\n\n"
    "*Level* says who vouches for the order: `documented` (a document of the vendor's, or a\n"
    "measurement), `custom` (the vendor's shipped software relies on it, and no document says\n"
    "so), `none` (nothing orders the two by itself: use what the row names), `unknown` (the\n"
    "sources are silent or contradict each other). *Cycles* is how long it takes until the first\n"
    "action has its effect, as far as anybody has measured or said. *Known from* is the kind of\n"
    "evidence.\n\n"
    "`BH` is the folder BlackholeA0 and `WH` the folder WormholeB0 of\n"
    "tenstorrent/tt-isa-documentation; Wormhole's pages stand where Blackhole has none, and where\n"
    "they number STALLWAIT's conditions, Blackhole's numbers are other ones (C7 on Wormhole is C4\n"
    "on Blackhole). `#n` is an issue or pull request of tenstorrent/tt-metal, `llk#n` of\n"
    "tenstorrent/tt-llk, `ISA#n` of tenstorrent/tt-isa-documentation.\n\n"
    "## STALLWAIT in one table\n\n"
    "| bit | block: holds | condition: waits while |\n"
    "|---|---|---|\n"
    "| 0 | misc, mover, scalar unit, packer, unpackers | THCON: the thread has memory requests of "
    "the scalar unit under way |\n"
    "| 1 | sync unit | UNPACK0: the thread has an instruction in unpacker 0 |\n"
    "| 2 | packer | UNPACK1: the thread has an instruction in unpacker 1 |\n"
    "| 3 | unpackers | PACK: the thread has an instruction in the packer |\n"
    "| 4 | mover | MATH: the thread has an instruction in the matrix unit |\n"
    "| 5 | scalar unit | SRCA_CLR: the unpacker's bank of SrcA is not the unpacker's |\n"
    "| 6 | matrix unit | SRCB_CLR: the unpacker's bank of SrcB is not the unpacker's |\n"
    "| 7 | configuration unit | SRCA_VLD: the matrix unit's bank of SrcA is not the matrix unit's "
    "|\n"
    "| 8 | vector unit | SRCB_VLD: the matrix unit's bank of SrcB is not the matrix unit's |\n"
    "| 9 | | XMOV: the mover works for anybody |\n"
    "| 10 | | TRISC_CFG: the thread's own core has a request to configuration, GPRs or TDMA-RISC "
    "that was emitted and not processed |\n"
    "| 11 | | SFPU: the thread has an instruction in the vector unit |\n"
    "| 12 | | CFGEXU: any thread has an instruction in the configuration unit |\n\n"
    "A condition mask of 0 means the low four bits, a block mask of 0 the matrix unit. A wait\n"
    "instruction is itself held by an earlier wait. Source: BH\n"
    "TensixTile/TensixCoprocessor/STALLWAIT.md.\n";

std::string rule(const race::Edge& edge) {
  std::string fix =
      race::fix_text(edge, {"the first", "the second", "*first unit*", "*second unit*"});
  return fmt::format(
      "\n### {}. {} → {}\n\n"
      "| | |\n|---|---|\n"
      "| In order by | {} |\n| Not by | {} |\n| If you need it | {} |\n"
      "| Level | `{}` |\n| Cycles | {} |\n| Known from | {}: {} |\n",
      edge.number, edge.producer, edge.consumer, cell(edge.ordered_by), cell(edge.not_ordered_by),
      cell(fix), name_of(edge.level), latency(edge), name_of(edge.source), cell(edge.document));
}

}  // namespace

std::string ordering_page() {
  std::string page = page_head("Ordering on Blackhole", "src/race/edges.def");
  page += kIntroduction;
  std::vector<std::string_view> groups;
  for (const race::Edge& edge : race::all_edges()) {
    bool known = false;
    for (const std::string_view group : groups) known |= group == edge.group;
    if (!known) groups.push_back(edge.group);
  }
  for (const std::string_view group : groups) {
    page += fmt::format("\n## {}\n", group);
    for (const race::Edge& edge : race::all_edges())
      if (edge.group == group) page += rule(edge);
  }
  return page;
}

}  // namespace bhemu::docs
