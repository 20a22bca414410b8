#!/usr/bin/python3
"""Runs LLK's own Blackhole tests, kernels and all, on bhemu (docs/LLK.md).

BHEMU_LLK_DIR names a checkout of tenstorrent/tt-llk; without it this skips (status 77).
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77

NEEDED = ("torch", "numpy", "pytest", "loguru", "pydantic", "pandas", "filelock", "yaml")

# Not tests of kernels against a golden model: the harness of LLK itself, its profiler, boot modes.
LEFT_OUT = {
    "test_boot_modes.py",
    "test_parametrize.py",
    "test_profiler_overhead.py",
    "test_profiler_primitives.py",
}


def write_cfg_defines(target):
    """LLK's names of the configuration fields, from our own table of them."""
    row = re.compile(r"^(?:THREAD_)?CFG\((\w+), (\d+), (\d+), (\d+)\)")
    sizes = {"CFG_STATE_SIZE": 56, "THD_STATE_SIZE": 57, "THCON_CFGREG_BASE_ADDR32": 52}
    lines = ["#pragma once", *(f"#define {name} {value}" for name, value in sizes.items())]
    for line in (ROOT / "src/tensix/config.def").read_text().splitlines():
        match = row.match(line)
        if not match:
            continue
        name, (word, low, width) = match[1], map(int, match.groups()[1:])
        mask = ((1 << width) - 1) << low
        lines += [
            f"#define {name}_ADDR32 {word}",
            f"#define {name}_SHAMT {low}",
            f"#define {name}_MASK {mask:#x}",
            f"#define {name}_RMW {name}_ADDR32, {name}_SHAMT, {name}_MASK",
        ]
    target.write_text("\n".join(lines) + "\n")


def link(target, source):
    if target.is_symlink() or target.exists():
        target.unlink()
    target.symlink_to(source)


def copy_for_gcc12(source, target):
    """Copies sources, rewriting what only newer compilers take.

    static_assert(false) in a template that is never instantiated, and an unroll count that is not
    a literal. The first becomes a trap, the second goes.
    """
    shutil.copytree(source, target)
    for path in [*target.rglob("*.h"), *target.rglob("*.cpp")]:
        text = path.read_text()
        changed = re.sub(r"static_assert\(false, (\"[^\"]*\")\)", r"__builtin_trap()", text)
        changed = re.sub(r"(?m)^#pragma GCC unroll +[A-Za-z(].*$", "", changed)
        if changed != text:
            path.write_text(changed)


def widen_math(path):
    """More room for the code of the second thread, where kernels of sfpi.h run.

    LLK gives each thread 16 KiB, one behind the other; above the last is room up to the mailboxes.
    """
    text = path.read_text()
    for region, origin, length in (
        ("TRISC1_CODE", "0x15000", "43K"),
        ("TRISC1_LOADER_INIT_MEM", "0xB000", "TRISC_LOCAL_MEM_LENGTH"),
        ("TRISC2_CODE", "0x10000", "16K"),
    ):
        row = rf"(?m)^(\s*{region}\s*):.*$"
        text = re.sub(row, rf"\1: ORIGIN = {origin}, LENGTH = {length}", text, count=1)
    path.write_text(text)


METAL_KERNELS = "tt_metal/hw/ckernels/blackhole/metal/llk_api/llk_sfpu"


def metal_kernels(target):
    """The SFPU kernels that LLK tests and tt-metal has (tanh, log1p)."""
    metal = os.environ.get("BHEMU_TT_METAL_DIR")
    if metal:
        copy_for_gcc12(Path(metal) / METAL_KERNELS, target)
    else:
        shutil.copytree(HERE / "device/metal_sfpu", target)


def overlay(llk, work):
    """A tree that looks like LLK after its own set-up, with our compiler and headers in it."""
    tree = work / "tree"
    tests = tree / "tests"
    shutil.rmtree(tree, ignore_errors=True)
    tests.mkdir(parents=True)
    for name in ("common", "tt_llk_blackhole", "tests/sources", "tests/helpers"):
        copy_for_gcc12(llk / name, tree / name)
    shutil.copytree(llk / "tests/python_tests", tests / "python_tests")
    widen_math(tests / "helpers/ld/memory.blackhole.ld")
    tools = tests / "sfpi/compiler/bin"
    tools.mkdir(parents=True)
    link(tools / "riscv-tt-elf-g++", HERE / "bin/riscv-tt-elf-g++")
    for name in ("objcopy", "objdump", "size"):
        link(tools / f"riscv-tt-elf-{name}", Path(f"/usr/bin/riscv64-unknown-elf-{name}"))
    blackhole = tests / "hw_specific/blackhole"
    shutil.copytree(HERE / "device/inc", blackhole / "inc")
    link(blackhole / "inc/dev_mem_map.h", llk / "tests/helpers/include/dev_mem_map.h")
    metal_kernels(blackhole / "metal_sfpu")
    link(tests / "sfpi/include", blackhole / "inc")
    write_cfg_defines(blackhole / "inc/cfg_defines.h")
    return tree


def has_new_pydantic():
    """The generator of fused kernels is written for version 2; Debian 12 has 1.10."""
    import pydantic

    return int(pydantic.VERSION.split(".")[0]) >= 2


def test_files(tree, wanted):
    folder = tree / "tests/python_tests"
    names = sorted(path.name for path in folder.glob("test_*.py"))
    if wanted:
        names = [name for name in names if any(word in name for word in wanted)]
    names = [name for name in names if name not in LEFT_OUT]
    if "test_fused.py" in names and not has_new_pydantic():
        print("left out: test_fused.py (the tests of fused kernels need pydantic 2)")
        names.remove("test_fused.py")
    return names


def keep_results(work):
    """What earlier runs have found, for the plugin to leave out."""
    lines = [path.read_text() for path in sorted(work.glob("results-*.jsonl"))]
    (work / "done.jsonl").write_text("".join(lines))


def run_pytest(arguments, tree, work, shard, files):
    environment = dict(
        os.environ,
        CHIP_ARCH="blackhole",
        LLK_HOME=str(tree),
        PYTHONPATH=f"{HERE / 'host'}:{tree / 'tests/python_tests'}",
        PYTHONDONTWRITEBYTECODE="1",
        BHEMU_LIBRARY=str(arguments.library.resolve()),
        BHEMU_LLK_WORK=str(work),
        BHEMU_LLK_SAMPLE=str(0 if arguments.all else arguments.sample),
        BHEMU_LLK_FEATURE_DISABLE=arguments.feature_disable,
        BHEMU_LLK_SHARD=f"{shard}/{arguments.jobs}",
    )
    command = [sys.executable, "-m", "pytest", "-p", "bhemu_llk", "-q", "--no-header"]
    command += ["-p", "no:cacheprovider", "--no-debug-symbols", "-c", str(work / "pytest.ini")]
    command += ["--rootdir", str(tree / "tests/python_tests"), "-m", "not quasar and not perf"]
    if arguments.select:
        command += ["-k", arguments.select]
    command += files
    log = work / f"pytest{shard}.log"
    with open(log, "a", encoding="utf-8") as output:
        subprocess.run(
            command,
            cwd=tree / "tests/python_tests",
            env=environment,
            stdout=None if arguments.verbose else output,
            stderr=None if arguments.verbose else subprocess.STDOUT,
            check=False,
        )


def run_all(arguments, tree, work):
    """Each shard goes through all files for itself.

    One file after the other: a test of many variants takes a lot of memory to collect.
    """
    if arguments.resume:
        keep_results(work)
    (work / "pytest.ini").write_text("[pytest]\nmarkers =\n  quasar\n  perf\n  nightly\n")
    files = test_files(tree, arguments.tests)

    def run_shard(shard):
        for name in files:
            run_pytest(arguments, tree, work, shard, [name])

    with ThreadPoolExecutor(arguments.jobs) as executor:
        list(executor.map(run_shard, range(arguments.jobs)))
    shutil.rmtree(work / "cache/headers", ignore_errors=True)  # precompiled, and large


def summary(work):
    counts = defaultdict(Counter)
    failures = []
    for path in sorted(work.glob("results-*.jsonl")):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            outcome = record.get("kind", record["outcome"])
            counts[record["test"]][outcome] += 1
            counts[record["test"]]["findings"] += bool(record.get("findings"))
            if record["outcome"] == "failed":
                failures.append(record)
    collected = {}
    for path in sorted(work.glob("collected-*.json")):
        collected.update(json.loads(path.read_text()))
    return counts, failures, collected


COLUMNS = ("passed", "result", "run", "compile", "harness", "skipped", "findings")


def report(work):
    counts, failures, collected = summary(work)
    lines = ["| test | variants | " + " | ".join(COLUMNS) + " |"]
    lines.append("|---|--:|" + "--:|" * len(COLUMNS))
    total = Counter()
    for test in sorted(counts):
        row = counts[test]
        total += row
        cells = " | ".join(str(row[column]) for column in COLUMNS)
        lines.append(f"| {test.split('::')[-1]} | {collected.get(test, '')} | {cells} |")
    cells = " | ".join(str(total[column]) for column in COLUMNS)
    lines.append(f"| all | {sum(collected.values())} | {cells} |")
    (work / "report.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    print(f"{total['passed']} passed, {len(failures)} failed; details: {work}/results-*.jsonl")
    return not failures and total["passed"] > 0


def recorded(work):
    """How many variants have a result."""
    return sum(len(path.read_text().splitlines()) for path in work.glob("results-*.jsonl"))


def states(work):
    """What the board came to, by variant."""
    found = {}
    for path in sorted(work.glob("results-*.jsonl")):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            if record.get("state"):
                found[record["variant"]] = record["state"]
    return found


def same_as(work, other):
    """Prints how many variants of both runs left the board in the same state."""
    ours, theirs = states(work), states(other)
    both = sorted(ours.keys() & theirs.keys())
    different = [variant for variant in both if ours[variant] != theirs[variant]]
    for variant in different:
        print(f"another state: {variant}")
    print(f"{len(both)} variants in both runs, {len(different)} with another state")
    return both and not different


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="*", help="words that the names of test files contain")
    parser.add_argument("--sample", type=int, default=20, help="variants of each test function")
    parser.add_argument("--all", action="store_true", help="every variant")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on where a run has stopped")
    parser.add_argument("--select", help="pytest's -k")
    parser.add_argument("--library", type=Path, default=ROOT / "build/lib/libbhemu.so")
    parser.add_argument("--work", type=Path, default=ROOT / "build/llk")
    parser.add_argument(
        "--feature-disable",
        default="0",
        help="DBG_FEATURE_DISABLE at the start, as an earlier test leaves it on a card (0x800)",
    )
    parser.add_argument(
        "--same-as",
        type=Path,
        help="the folder (--work) of another run: every board must have come to the same state",
    )
    parser.add_argument("--verbose", action="store_true", help="pytest's own output")
    arguments = parser.parse_args()
    llk = os.environ.get("BHEMU_LLK_DIR")
    if not llk:
        print("skipped: BHEMU_LLK_DIR does not name a checkout of tenstorrent/tt-llk")
        return SKIPPED
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: Python has no {', '.join(missing)}")
        return SKIPPED
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    if not arguments.resume:
        for pattern in ("results-*.jsonl", "collected-*.json", "done.jsonl", "pytest*.log"):
            for old in work.glob(pattern):
                old.unlink()
    tree = overlay(Path(llk).resolve(), work)
    before = recorded(work)
    begin = time.monotonic()
    run_all(arguments, tree, work)
    seconds = time.monotonic() - begin
    if not any(work.glob("results-*.jsonl")):
        for log in work.glob("pytest*.log"):
            print(log.read_text()[-3000:])
        print("no test ran")
        return 1
    passed = report(work)
    ran = recorded(work) - before
    print(f"{ran} variants in {seconds:.0f} s, {ran / seconds:.2f} a second, compiling included")
    if arguments.same_as:
        passed = same_as(work, arguments.same_as.resolve()) and passed
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
