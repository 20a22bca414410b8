"""The table of what ran: one row for each suite, board, dispatch mode and way in."""

from collections import Counter, defaultdict

from results import read_results
from suites import SUITES, explain

COLUMNS = ("passed", "skipped", "compiler", "test", "failed")
TITLES = ("pass", "skip themselves", "kernel does not compile", "test at fault", "fail")


def kind_of(record):
    """The column of one result."""
    if record["outcome"] in ("passed", "skipped"):
        return record["outcome"]
    if explain(record["suite"], record["test"], record.get("log", "")):
        return "test"
    return "compiler" if record["outcome"] == "compile" else "failed"


def gather(area):
    counts = defaultdict(Counter)
    failures, seconds = [], Counter()
    for path in sorted((area / "results").glob("*.jsonl")):
        for record in read_results(path):
            key = record["suite"], record["setting"]
            counts[key][kind_of(record)] += 1
            seconds[key] += record["seconds"]
            if record["outcome"] not in ("passed", "skipped"):
                failures.append(record)
    return counts, failures, seconds


def part_of(area, key, counts):
    """How many of the suite's tests have run, unless all have."""
    path = area / "results" / f"{key[0]}-{key[1]}.listed"
    if not path.exists() or int(path.read_text()) <= sum(counts.values()):
        return ""
    return f" ({sum(counts.values())} of {int(path.read_text())})"


def first_cause(record):
    """The line of a failure's log that says most."""
    lines = record.get("log", "").splitlines()
    for words in (("critical", "TT_FATAL", "TT_THROW", "fault", "what():"),
                  ("Failure", "error:", "Error", "exception"), ("",)):
        for line in lines:
            if any(word in line for word in words) and not line.startswith("[ RUN"):
                return line.strip()[:200]
    return ""


def write(area):
    """Writes report.md; returns whether everything that failed is explained."""
    counts, failures, seconds = gather(area)
    order = {suite.name: index for index, suite in enumerate(SUITES)}
    lines = ["| suite | board | dispatch | through | " + " | ".join(TITLES) + " | time |",
             "|---|---|---|---|" + "--:|" * (len(TITLES) + 1)]
    total = Counter()
    for key in sorted(counts, key=lambda key: (order.get(key[0], 99), key[1])):
        board, dispatch, way = key[1].split("-")
        total += counts[key]
        cells = " | ".join(str(counts[key][column]) for column in COLUMNS)
        name = key[0] + part_of(area, key, counts[key])
        lines.append(f"| {name} | {board} | {dispatch} | {way} | {cells} | {seconds[key]:.0f} s |")
    print("\n".join(lines))
    lines += ["", "## Not passed", ""]
    for record in failures:
        known = explain(record["suite"], record["test"], record.get("log", ""))
        why = known.why if known else first_cause(record)
        lines.append(f"- {record['setting']} {record['suite']}:{record['test']} "
                     f"({record['outcome']}): {why}")
    (area / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{total['passed']} passed, {total['failed']} failed; details: {area}/report.md")
    return not total["failed"] and total["passed"] > 0
