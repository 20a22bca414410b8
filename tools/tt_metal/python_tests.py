"""Tests of tt-metal's sources that Python runs: ttnn's own, with pytest.

They need what tt-metal's build with Python bindings puts beside ttnn's sources, and nearly all of
them torch. pytest says the outcome of each test in a line of its own, and what failed at the end.
"""

import os
import re
import subprocess
import sys
import time

from common import ToolError
from results import forget

ENDED = re.compile(r"^(\S+\.py::.*?) (PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b")
OUTCOMES = {"PASSED": "passed", "XPASS": "passed", "XFAIL": "skipped", "SKIPPED": "skipped",
            "FAILED": "failed", "ERROR": "failed"}
SECTION = re.compile(r"^_+ (?:ERROR at (?:setup|teardown) of )?(.+?) _+$")
# Without tt-metal's own options, which write a report into the checkout and limit a test's time.
OPTIONS = ("--override-ini=addopts=", "--override-ini=timeout=0", "--import-mode=importlib",
           "--tb=short", "--color=no", "-p", "no:cacheprovider")


def extension(home):
    """What the build puts beside the sources: `cmake --install BUILD --component tt_pybinds`."""
    return home / "ttnn/ttnn/_ttnn.so"


def environment(home):
    folders = [home, home / "ttnn", home / "tools"]
    folders += [folder for folder in os.environ.get("PYTHONPATH", "").split(":") if folder]
    return {"PYTHONPATH": ":".join(map(str, folders)), "ARCH_NAME": "blackhole",
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1",
            "LOGURU_LEVEL": "WARNING"}


def command(runner, setting, *arguments):
    return runner.command(setting, sys.executable, "-m", "pytest", *OPTIONS, "--rootdir",
                          str(runner.home), *arguments)


def list_tests(runner, suite, setting):
    """Their names, in pytest's order: FILE::FUNCTION[PARAMETERS]."""
    paths = [str(runner.home / suite.folder / target) for target in suite.targets]
    words = command(runner, setting, "--collect-only", "-q", *paths)
    if runner.options.filter:
        words += ["-k", runner.options.filter]
    done = subprocess.run(words, cwd=runner.home,
                          env=runner.environment(setting, **environment(runner.home)),
                          capture_output=True, text=True, check=False)
    tests = [line for line in done.stdout.splitlines() if re.match(r"\S+\.py::", line)]
    if not tests:
        raise ToolError(f"pytest finds no tests of {suite.name}: "
                        f"{(done.stdout + done.stderr).strip()[-800:]}")
    return tests


def run(runner, suite, setting, tests, path):
    """Runs tests a chunk at a time; each has a record at the end, also one that crashes."""
    while tests:
        chunk = tests[: runner.options.chunk]
        ended = run_chunk(runner, suite, setting, chunk, path)
        if not ended:
            ended = {chunk[0]}
            runner.record(path, suite, setting, chunk[0], "crash", 0.0,
                          runner.log_path(suite, setting, chunk[0]).read_text(errors="replace"))
        tests = [test for test in tests if test not in ended]


def run_chunk(runner, suite, setting, chunk, path):
    """Runs tests in one process, up to the first that fails: what it has left of the card behind
    may fail others. Returns those that have an outcome now."""
    log = runner.log_path(suite, setting, chunk[0])
    words = command(runner, setting, "-v", "--exitfirst", *chunk)
    ended, failed, text, begun, status = set(), {}, [], time.monotonic(), None
    for line in runner.process(setting, words, log, runner.home, **environment(runner.home)):
        status = line
        text.append(str(line))
        match = ENDED.match(line) if isinstance(line, str) else None
        if not match or match[1] not in chunk:
            continue
        now = time.monotonic()
        if OUTCOMES[match[2]] == "failed":  # why, it says at the end
            failed[match[1]] = now - begun
        elif match[1] not in ended:
            runner.record(path, suite, setting, match[1], OUTCOMES[match[2]], now - begun, "")
        ended.add(match[1])
        begun = now
    reasons = sections(text)
    for test, seconds in failed.items():
        # One that has passed may have an error when what it needed is taken down.
        forget(path, [test])
        name, bracket, parameters = test.split("::", 1)[1].partition("[")
        reason = reasons.get(name.replace("::", ".") + bracket + parameters, "")
        runner.record(path, suite, setting, test, "failed", seconds, reason)
    if status not in (0, 1) and not failed and len(ended) < len(chunk):
        running = next(test for test in chunk if test not in ended)
        outcome = "timeout" if status == "timeout" else "crash"
        runner.record(path, suite, setting, running, outcome, time.monotonic() - begun,
                      "\n".join(text))
        ended.add(running)
    return ended


def sections(lines):
    """What pytest says of each failed test, by the test's name without its file."""
    found, current = {}, None
    for line in lines:
        if match := SECTION.match(line):
            current = found[match[1]] = []
        elif line.startswith("====="):
            current = None
        elif current is not None:
            current.append(line)
    return {name: "\n".join(text) for name, text in found.items()}
