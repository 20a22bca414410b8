// docs/isa/timing.md: how long instructions of the coprocessor and of the cores take, and the NoC.
#include "base/delays.hpp"
#include "doc_markdown.hpp"
#include "doc_pages.hpp"
#include "tensix/isa.hpp"
#include "tensix/timing.hpp"

namespace bhemu::docs {
namespace {

using tensix::ThreadRule;
using tensix::TimingRow;

std::string text_of(const TimingRange& range) {
  if (range.minimum == range.maximum) return fmt::format("{}", range.typical);
  return fmt::format("{} ({} to {})", range.typical, range.minimum, range.maximum);
}

std::string per_kib_of(const TimingRange& range) {
  return range.maximum == 0 ? std::string() : text_of(range);
}

#define RANGE(minimum, typical, maximum) \
  TimingRange {                          \
    minimum, typical, maximum            \
  }

std::string cores_section() {
  std::string page =
      "\n## Cores\n\nFrom an instruction to the first that can use its result. No timing uses "
      "these figures yet.\n\n" +
      table_head({"instructions", "cycles", "evidence", "source"});
  const auto add = [&page](std::string what, const TimingRange& range, Evidence evidence,
                           std::string_view source) {
    page += docs::row({std::move(what), text_of(range), name_of(evidence), cell(source)});
  };
#define FORMAT(name, range, evidence, source) \
  add("format " #name, range, Evidence::evidence, source);
#define INSN(name, range, evidence, source) add("`" #name "`", range, Evidence::evidence, source);
#define REGION(what, range, evidence, source) \
  add("load from: " what, range, Evidence::evidence, source);
#include "riscv/timing.def"
#undef FORMAT
#undef INSN
#undef REGION
  return page;
}

std::string noc_section() {
  std::string page = "\n## NoC\n\nNo timing uses these figures yet.\n\n" +
                     table_head({"part of a request", "cycles", "evidence", "source"});
#define PHASE(what, range, evidence, source) \
  page += docs::row({what, text_of(range), name_of(Evidence::evidence), cell(source)});
#include "noc/timing.def"
#undef PHASE
  return page;
}

#undef RANGE

std::string delays_section() {
  std::string page =
      "\n## Delays\n\nWhat `chaos` may put off beyond `windows`, and by how many cycles: usually, "
      "and at "
      "most. Without a\nfigure the instruction's own row above has it.\n\n" +
      table_head({"kind", "what is late", "usual", "most", "evidence", "source"});
  const auto figure = [](u16 cycles) {
    return cycles == 0 ? std::string() : fmt::format("{}", cycles);
  };
  for (const DelayRow& one : kDelayRows)
    page += docs::row({code_cell(one.word), one.what, figure(one.usual), figure(one.most),
                       name_of(one.evidence), cell(one.source)});
  return page;
}

}  // namespace

std::string timing_page() {
  std::string page = page_head("Timing",
                               "src/tensix/timing.def, src/riscv/timing.def, src/noc/timing.def, "
                               "src/base/delays.def");
  page += R"(## Coprocessor

Cycles: typical, and in brackets the least and the most. *Latency* is from issue until all is done:
for so long `STALLWAIT`, `tensix_sync`, the status CSRs and the performance counters see the unit
busy. After the *occupancy* the unit takes its next instruction; where the thread is *held*, its own
next instruction waits as long, whatever unit it is for. *Per KiB* is what each KiB moved adds to
both. *Effect* is where in the window it may be placed: at `issue` in every timing, at the `end` at
the latest, or in `pieces` as data goes by.

`fast` and `reference` take one cycle for everything. `windows` takes the typical figures and places
every effect at issue, unless `--effects` says otherwise.

)";
  tensix::Unit unit = tensix::Unit::None;
  bool first = true;
  for (const tensix::Info& info : tensix::kInfo) {
    if (info.name == nullptr) continue;
    const TimingRow& row = tensix::kTimingRows[info.opcode];
    if (first || info.unit != unit) {
      page += fmt::format("{}### {}\n\n", first ? "" : "\n", tensix::name_of(info.unit));
      page += table_head({"instruction", "latency", "occupancy", "per KiB", "thread", "effect",
                          "evidence", "source"});
      unit = info.unit;
      first = false;
    }
    page += docs::row({code_cell(info.name), text_of(row.latency), text_of(row.occupancy),
                       per_kib_of(row.per_kib), row.thread == ThreadRule::Holds ? "held" : "",
                       tensix::name_of(row.effect), name_of(row.evidence), cell(row.source)});
  }
  return page + cores_section() + noc_section() + delays_section();
}

}  // namespace bhemu::docs
