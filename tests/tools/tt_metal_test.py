"""Tests of tools/tt_metal that need no tt-metal: a small program stands in for its
test programs."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/tt_metal"
sys.path.insert(0, str(TOOL))
sys.dont_write_bytecode = True

import report  # noqa: E402
import run  # noqa: E402
import suites  # noqa: E402

# What GoogleTest prints; the tests' names say what they do.
PROGRAM = r"""#!/usr/bin/python3
import fnmatch, os, signal, sys, time
tests = os.environ["TESTS"].split()
arguments = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:] if "=" in word)
if "--gtest_list_tests" in sys.argv:
    print("Loading a device\nFixture.")
    wanted, _, unwanted = arguments["gtest_filter"].partition("-")
    def among(name, patterns):
        return any(fnmatch.fnmatchcase("Fixture." + name, one) for one in patterns.split(":"))
    for name in tests:
        if among(name, wanted.strip(":") or "*") and not among(name, unwanted):
            print("  " + name)
    sys.exit()
open("starts", "a").write("start\n")
for name in arguments["gtest_filter"].split(":"):
    print(f"[ RUN      ] {name}", flush=True)
    short = name.split(".")[1]
    if short == "Crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if short == "Hangs":
        time.sleep(600)
    if short == "Refuses":
        print("Failed to generate binaries for kernel.cpp")
    word = {"Fails": "  FAILED  ", "Refuses": "  FAILED  ", "Skips": "  SKIPPED "}
    print(f"[{word.get(short, '       OK ')}] {name} (12 ms)", flush=True)
"""


class Case(unittest.TestCase):
    TESTS = "Passes Skips Fails Refuses Crashes PassesToo DISABLED_Passes"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.area = Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def runner(self, **changes):
        options = types.SimpleNamespace(
            bhemu=ROOT / "build", set=[f"TESTS={self.TESTS}"], timeout=600, chunk=40,
            retry=False, again=False, sample=None, seed=1,
            quiet=True, filter=None, no_ethernet=False)
        vars(options).update(changes)
        program = self.area / "build/test/programs"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(PROGRAM)
        program.chmod(0o755)
        return run.Runner(self.area, self.area / "build", self.area / "home", options)

    def outcomes(self, **changes):
        suite = suites.Suite("programs", ("programs",), "test")
        setting = run.Setting()
        runner = self.runner(**changes)
        with contextlib.redirect_stdout(io.StringIO()):
            runner.run(suite, setting)
        records = run.read_results(runner.results_file(suite, setting))
        starts = (runner.work(setting) / "starts").read_text().count("start")
        return {record["test"].split(".")[1]: record["outcome"] for record in records}, starts


class Run(Case):
    def test_a_crash_costs_one_test(self):
        outcomes, starts = self.outcomes()
        self.assertEqual(outcomes, {
            "Passes": "passed", "Skips": "skipped", "Fails": "failed", "Refuses": "compile",
            "Crashes": "crash", "PassesToo": "passed"})
        self.assertEqual(starts, 2)

    def test_a_hang_costs_one_test(self):
        outcomes, starts = self.outcomes(set=["TESTS=Hangs"], timeout=10)
        self.assertEqual((outcomes, starts), ({"Hangs": "timeout"}, 1))

    def test_a_second_run_goes_on_where_the_first_ended(self):
        self.outcomes()
        _, starts = self.outcomes()
        self.assertEqual(starts, 2)

    def test_a_retry_runs_only_what_has_not_passed(self):
        self.outcomes()
        path = self.area / "results/programs-p150-slow-libttsim.jsonl"
        before = [record for record in run.read_results(path) if record["outcome"] == "passed"]
        outcomes, starts = self.outcomes(retry=True)
        after = [record for record in run.read_results(path) if record["outcome"] == "passed"]
        self.assertEqual(before, after)
        self.assertEqual(outcomes["Crashes"], "crash")
        self.assertEqual(starts, 3)

    def test_a_retry_with_a_filter_keeps_the_other_results(self):
        self.outcomes()
        outcomes, starts = self.outcomes(retry=True, filter="Fixture.Fails:-")
        self.assertEqual((len(outcomes), starts), (6, 3))
        self.assertEqual((outcomes["Fails"], outcomes["Crashes"]), ("failed", "crash"))

    def test_a_filter_of_what_to_leave_out_leaves_out_disabled_tests_too(self):
        outcomes, _ = self.outcomes(filter="-*Fails*:*Crashes*")
        self.assertEqual(set(outcomes), {"Passes", "Skips", "Refuses", "PassesToo"})

    def test_a_sample_has_a_test_of_every_part_of_the_list(self):
        tests = [str(number) for number in range(100)]
        for seed in range(5):
            chosen = run.sample(tests, 10, seed)
            self.assertEqual([int(test) // 10 for test in chosen], list(range(10)))
        self.assertNotEqual(run.sample(tests, 10, 1), run.sample(tests, 10, 2))
        self.assertEqual(run.sample(tests, 200, 1), tests)

    def test_a_sample_says_of_how_many_tests_it_is(self):
        outcomes, _ = self.outcomes(sample=2)
        self.assertEqual(len(outcomes), 2)
        with contextlib.redirect_stdout(io.StringIO()):
            report.write(self.area)
        self.assertIn("| programs (2 of 6) | p150 |", (self.area / "report.md").read_text())

    def test_the_table_counts_each_outcome_in_its_column(self):
        self.outcomes()
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            self.assertFalse(report.write(self.area))
        self.assertIn("| programs | p150 | slow | libttsim | 2 | 1 | 1 | 0 | 2 |",
                      output.getvalue())
        self.assertIn("Fixture.Crashes (crash)", (self.area / "report.md").read_text())

    def test_a_descriptor_loses_its_ethernet_tiles_on_request(self):
        runner = self.runner(no_ethernet=True, bhemu=self.area / "bhemu")
        for folder in ("lib", "bin"):
            (self.area / "bhemu" / folder).mkdir(parents=True)
        (self.area / "bhemu/lib/libbhemu.so").write_text("")
        command = self.area / "bhemu/bin/bhemu"
        text = "arc: [8-0]\\neth:\\n  - 1-1\\n  - 2-1\\nend: 1\\n"
        command.write_text(f"#!/bin/sh\nprintf '{text}'\n")
        command.chmod(0o755)
        text = (runner.prepare_device("p150") / "soc_descriptor.yaml").read_text()
        self.assertEqual(text, "arc: [8-0]\neth: [ ]\nend: 1\n")


class Command(Case):
    def command(self, *arguments, **environment):
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith("BHEMU_TT_METAL")}
        return subprocess.run([sys.executable, TOOL / "main.py", *arguments], text=True,
                              env={**variables, **environment}, capture_output=True, check=False)

    def test_without_tt_metal_it_says_so_and_skips(self):
        done = self.command()
        self.assertEqual(done.returncode, 77)
        self.assertEqual(done.stdout.count("\n"), 1)

    def test_an_unknown_suite_is_an_error_of_one_sentence(self):
        done = self.command("nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no suite 'nonsense'", done.stderr)

    def test_a_checkout_that_has_not_been_built_is_an_error_of_one_sentence(self):
        done = self.command("api", BHEMU_TT_METAL_DIR=str(self.area))
        self.assertEqual(done.returncode, 2)
        self.assertIn("is no checkout of tt-metal", done.stderr)
        (self.area / "tt_metal").mkdir()
        done = self.command("api", BHEMU_TT_METAL_DIR=str(self.area))
        self.assertEqual(done.returncode, 2)
        self.assertIn("build tt-metal first", done.stderr)

    def test_a_build_without_the_suites_program_is_an_error_that_names_it(self):
        (self.area / "tt_metal").mkdir()
        (self.area / "build").mkdir()
        done = self.command("api", BHEMU_TT_METAL_DIR=str(self.area))
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no unit_tests_api", done.stderr)


if __name__ == "__main__":
    unittest.main()
