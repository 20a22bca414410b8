#!/usr/bin/python3
"""Runs the test programs of a built tt-metal on bhemu (docs/CLIENTS.md).

BHEMU_TT_METAL_DIR names a checkout of tt-metal that has been built, its compiler for kernels
included; BHEMU_TT_METAL_BUILD the folder it was built in (default: build in the checkout). Without
the first this skips (status 77). Results are kept below --work, and a later run goes on with them.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import report  # noqa: E402
from common import ROOT, SKIPPED, ToolError, say  # noqa: E402
from run import Runner, Setting  # noqa: E402
from suites import BY_NAME, SUITES  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(prog="./dev tt-metal", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE",
                        help="of " + ", ".join(BY_NAME) + " (default: all)")
    parser.add_argument("--board", action="append", choices=("p150", "p100a"))
    parser.add_argument("--dispatch", action="append", choices=("slow", "fast"))
    parser.add_argument("--way", action="append", choices=("libttsim", "shim"))
    parser.add_argument("--filter", help="a GoogleTest filter, part of a program's name, or what "
                        "pytest takes as -k")
    parser.add_argument("--sample", type=int, metavar="N",
                        help="only N of a program's tests, one from each N-th of its list")
    parser.add_argument("--seed", type=int, default=1, help="which ones --sample takes")
    parser.add_argument("--timeout", type=float, default=600,
                        help="seconds without a word after which a test counts as hung")
    parser.add_argument("--chunk", type=int, default=40, help="tests to a process")
    parser.add_argument("--retry", action="store_true", help="again what has not passed")
    parser.add_argument("--again", action="store_true", help="again everything")
    parser.add_argument("--quiet", action="store_true", help="say only what does not pass")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="a variable of the environment of the tests")
    parser.add_argument("--no-ethernet", action="store_true",
                        help="take the Ethernet tiles out of the descriptor")
    parser.add_argument("--work", type=Path, default=ROOT / "build/tt-metal",
                        help="for results, logs, and tt-metal's cache of kernels")
    parser.add_argument("--bhemu", type=Path, default=ROOT / "build", help="bhemu's own build")
    parser.add_argument("--report-only", action="store_true", help="the table of what has run")
    return parser.parse_args()


def find_build(directory):
    """The folder of tt-metal's build and that of its sources."""
    home = Path(directory).resolve()
    folder = Path(os.environ.get("BHEMU_TT_METAL_BUILD") or home / "build").resolve()
    if not (home / "tt_metal").is_dir():
        raise ToolError(f"{home} (BHEMU_TT_METAL_DIR) is no checkout of tt-metal")
    if not folder.is_dir():
        raise ToolError(f"{folder} is not there: build tt-metal first, with its tests and "
                        "programming examples, or name the folder by BHEMU_TT_METAL_BUILD")
    return folder, home


def run_suites(options, suites, directory):
    folder, home = find_build(directory)
    runner = Runner(options.work, folder, home, options)
    missing = [suite for suite in suites if not runner.programs(suite)]
    if missing and (options.suites or len(missing) == len(suites)):
        raise ToolError(runner.missing(missing[0]))
    for suite in missing:
        say(f"{suite.name} is left out: {runner.missing(suite)}")
    suites = [suite for suite in suites if suite not in missing]
    for board in options.board or ["p150"]:
        runner.prepare_device(board)
        for way in options.way or ["libttsim"]:
            for dispatch in options.dispatch or ["slow", "fast"]:
                for suite in suites:
                    say(f"{suite.name} on a {board}, {dispatch} dispatch, through {way}")
                    runner.run(suite, Setting(board, dispatch, way))


def main():
    options = parse()
    options.work = options.work.resolve()
    unknown = [name for name in options.suites if name not in BY_NAME]
    if unknown:
        raise ToolError(f"there is no suite '{unknown[0]}'; there are: {', '.join(BY_NAME)}")
    directory = os.environ.get("BHEMU_TT_METAL_DIR")
    if not options.report_only:
        if not directory:
            print("skipped: BHEMU_TT_METAL_DIR does not name a checkout of tt-metal that has been "
                  "built (docs/CLIENTS.md)")
            return SKIPPED
        suites = [BY_NAME[name] for name in options.suites] or list(SUITES)
        run_suites(options, suites, directory)
    return 0 if report.write(options.work) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"tt-metal: {error}", file=sys.stderr)
        sys.exit(2)
