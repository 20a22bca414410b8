"""Runs tt-metal's test programs on bhemu, a bounded number of tests to a process.

Each finished test is one line of JSON in results/; a later run goes on with those that are not
there. A test that crashes, or prints nothing for `timeout` seconds, costs that test only.
"""

import json
import os
import random
import re
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import python_tests
from common import ToolError
from results import forget, read_results

BEGUN = re.compile(r"^\[ RUN      \] (\S+)")
ENDED = re.compile(r"^\[\s+(OK|FAILED|SKIPPED)\s+\] ([^\s,]+)(?:,.*)? \((\d+) ms\)")
OUTCOMES = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
# What tt-metal says when the compiler refuses a kernel.
COMPILE_ERROR = re.compile(r"(build|compile|link) failed|Failed to generate binaries|"
                           r"riscv-tt-elf-g\+\+.*error|mismatched add32/sub32 relocs",
                           re.IGNORECASE)


@dataclass(frozen=True)
class Setting:
    """What a suite is run on."""

    board: str = "p150"
    dispatch: str = "slow"
    way: str = "libttsim"

    def __str__(self):
        return f"{self.board}-{self.dispatch}-{self.way}"


class Runner:
    def __init__(self, area: Path, build: Path, home: Path, options):
        self.area = area
        self.build = build
        self.home = home
        self.options = options
        self.bhemu = Path(options.bhemu)

    # --- The device ---------------------------------------------------------------------------

    def device(self, board):
        return self.area / "device" / board

    def prepare_device(self, board):
        """A folder as TT_METAL_SIMULATOR wants it: the library, and the descriptors beside it."""
        library = self.bhemu / "lib/libbhemu.so"
        if not library.exists():
            raise ToolError(f"{library} is not there; build bhemu first")
        soc = self.describe("soc-descriptor", "--complete", "--board", board)
        if self.options.no_ethernet:
            soc = re.sub(r"^eth:.*?(?=^\S)", "eth: [ ]\n", soc, flags=re.MULTILINE | re.DOTALL)
        folder = self.device(board)
        folder.mkdir(parents=True, exist_ok=True)
        replace(folder / "libbhemu.so", library.read_bytes())
        replace(folder / "soc_descriptor.yaml", soc.encode())
        cluster = self.describe("cluster-descriptor", "--board", board)
        replace(folder / "cluster_descriptor.yaml", cluster.encode())
        return folder

    def describe(self, *words):
        done = subprocess.run([self.bhemu / "bin/bhemu", *words], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise ToolError(f"bhemu {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def environment(self, setting, **more):
        environment = dict(os.environ)
        environment.update(
            TT_METAL_HOME=str(self.home),
            TT_METAL_RUNTIME_ROOT=str(self.home),
            TT_METAL_CACHE=str(self.area / "cache"),
            BHEMU_BOARD=setting.board,
            HOME=str(self.area / "home"),
            **more,
        )
        if setting.way == "libttsim":
            folder = self.device(setting.board)
            environment["TT_METAL_SIMULATOR"] = str(folder / "libbhemu.so")
            environment["TT_METAL_MOCK_CLUSTER_DESC_PATH"] = str(folder / "cluster_descriptor.yaml")
        environment.pop("TT_METAL_SLOW_DISPATCH_MODE", None)
        if setting.dispatch == "slow":
            environment["TT_METAL_SLOW_DISPATCH_MODE"] = "1"
        # In fast dispatch tt-metal hears of a fault only if it looks at the card while it waits.
        environment.setdefault("TT_METAL_OPERATION_TIMEOUT_SECONDS", "100000")
        environment.update(word.split("=", 1) for word in self.options.set)
        (self.area / "home").mkdir(exist_ok=True)
        return environment

    def command(self, setting, program, *arguments):
        command = [str(program), *arguments]
        if setting.way == "shim":
            command = [str(self.bhemu / "bin/bhemu"), "shim", "--board", setting.board, "--",
                       *command]
        return command

    # --- Processes ----------------------------------------------------------------------------

    def process(self, setting, command, log: Path, folder=None, **more):
        """Yields the lines of a process; last its status. Kills it after a silence, and when
        nobody wants more lines."""
        timeout = self.options.timeout
        with open(log, "wb", buffering=0) as output, subprocess.Popen(
                command, cwd=folder or self.work(setting),
                env=self.environment(setting, **more), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                start_new_session=True) as child:
            selector = selectors.DefaultSelector()
            selector.register(child.stdout, selectors.EVENT_READ)
            rest, silent, ended = b"", False, False
            try:
                while not ended:
                    silent = not selector.select(timeout)
                    data = b"" if silent else os.read(child.stdout.fileno(), 65536)
                    ended = not data
                    output.write(data)
                    *lines, rest = (rest + data).split(b"\n")
                    for line in lines:
                        yield line.decode(errors="replace")
            finally:
                if silent or not ended:
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        yield "timeout" if silent else child.returncode

    def work(self, setting):
        folder = self.area / "work" / str(setting)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    # --- Tests --------------------------------------------------------------------------------

    def list_tests(self, suite, setting, program):
        wanted = self.options.filter or "*"
        # Behind a minus all patterns are of tests to leave out.
        pattern = f"{wanted}:{'' if '-' in wanted else '-'}{suite.left_out}"
        command = self.command(setting, program, "--gtest_list_tests", f"--gtest_filter={pattern}")
        done = subprocess.run(command, cwd=self.work(setting), env=self.environment(setting),
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise ToolError(f"{program.name} does not list its tests: {done.stderr[-500:]}")
        tests, fixture = [], ""
        for line in done.stdout.splitlines():
            name = line.split("#")[0].rstrip()
            if re.fullmatch(r"[\w/]+\.", name):
                fixture = name
            elif re.fullmatch(r"  [\w/.-]+", name) and fixture:
                tests.append(fixture + name.strip())
        return tests

    def results_file(self, suite, setting):
        folder = self.area / "results"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{suite.name}-{setting}.jsonl"

    def run(self, suite, setting):
        path = self.results_file(suite, setting)
        if self.options.again and path.exists():
            path.unlink()
        done = {record["test"]: record for record in read_results(path)}
        listed = 0
        if self.options.retry:
            done = {name: record for name, record in done.items()
                    if record["outcome"] in ("passed", "skipped")}

        def choose(tests):
            nonlocal listed
            listed += len(tests)
            tests = sample(tests, self.options.sample, self.options.seed)
            tests = [test for test in tests if test not in done]
            forget(path, tests)
            return tests

        for program in self.programs(suite):
            if suite.kind == "pytest":
                tests = choose(python_tests.list_tests(self, suite, setting))
                python_tests.run(self, suite, setting, tests, path)
            elif suite.kind == "gtest":
                tests = choose(self.list_tests(suite, setting, program))
                self.run_gtest(suite, setting, program, tests, path)
            elif program.name not in done and self.wanted(program.name):
                forget(path, [program.name])
                self.run_program(suite, setting, program, path)
        if listed and not self.options.filter:
            path.with_suffix(".listed").write_text(f"{listed}\n", encoding="utf-8")

    def wanted(self, name):
        return not self.options.filter or self.options.filter.strip("*") in name

    def programs(self, suite):
        """Those of the suite's programs that are built; for Python, what it loads."""
        if suite.kind == "pytest":
            path = python_tests.extension(self.home)
            return [path] if path.exists() else []
        paths = [self.build / suite.folder / target for target in suite.targets]
        return [path for path in paths if path.exists()]

    def missing(self, suite):
        """Why nothing of a suite can be run."""
        if suite.kind == "pytest":
            return (f"{python_tests.extension(self.home)} is not there: build tt-metal with "
                    "WITH_PYTHON_BINDINGS=ON, then cmake --install BUILD --component tt_pybinds")
        return f"{self.build / suite.folder} has no {suite.targets[0]}"

    def record(self, path, suite, setting, test, outcome, seconds, log):
        lines = [] if outcome in ("passed", "skipped") else log.splitlines()
        if outcome == "failed" and any(COMPILE_ERROR.search(line) for line in lines):
            outcome = "compile"
        entry = {"suite": suite.name, "test": test, "setting": str(setting), "outcome": outcome,
                 "seconds": round(seconds, 3)}
        if lines:
            entry["log"] = "\n".join(lines[-60:])
        with open(path, "a", encoding="utf-8") as output:
            output.write(json.dumps(entry) + "\n")
        if not self.options.quiet or lines:
            print(f"  {outcome:8} {seconds:7.1f} s  {suite.name}:{test}  ({setting})", flush=True)

    def log_path(self, suite, setting, name):
        folder = self.area / "logs" / str(setting) / suite.name
        folder.mkdir(parents=True, exist_ok=True)
        return folder / (re.sub(r"[^\w.-]", "_", name)[:150] + ".log")

    def run_program(self, suite, setting, program, path):
        log = self.log_path(suite, setting, program.name)
        begun, status = time.monotonic(), None
        lines = []
        for line in self.process(setting, self.command(setting, program), log):
            status = line
            lines.append(str(line))
        outcome = {0: "passed", "timeout": "timeout"}.get(status, "failed")
        if outcome == "passed" and any("Test Failed" in line for line in lines):
            outcome = "failed"
        self.record(path, suite, setting, program.name, outcome, time.monotonic() - begun,
                    "\n".join(lines))

    def run_gtest(self, suite, setting, program, tests, path):
        while tests:
            chunk, name = tests[: self.options.chunk], tests[0]
            log = self.log_path(suite, setting, name)
            command = self.command(setting, program, "--gtest_filter=" + ":".join(chunk),
                                   "--gtest_color=no")
            ended = self.run_chunk(suite, setting, command, log, path)
            if not ended:
                ended = {name}
                self.record(path, suite, setting, name, "crash", 0.0,
                            log.read_text(errors="replace")[-6000:])
            tests = [test for test in tests if test not in ended]

    def run_chunk(self, suite, setting, command, log, path):
        """Runs tests in one process; returns those that have an outcome now."""
        ended, current, lines, begun = set(), None, [], 0.0
        for line in self.process(setting, command, log):
            if not isinstance(line, str) or line == "timeout":
                outcome = "timeout" if line == "timeout" else "crash"
                if current:
                    lines.append(f"the process ended with status {line}")
                    self.record(path, suite, setting, current, outcome,
                                time.monotonic() - begun, "\n".join(lines))
                    ended.add(current)
                break
            if match := BEGUN.match(line):
                current, lines, begun = match[1], [], time.monotonic()
            lines.append(line)
            if (match := ENDED.match(line)) and match[2] == current:
                self.record(path, suite, setting, current, OUTCOMES[match[1]],
                            int(match[3]) / 1000, "\n".join(lines))
                ended.add(current)
                current = None
                # A driver's card answers nothing after a fault or a hang, until a reset.
                if setting.way == "shim" and match[1] == "FAILED":
                    break
        return ended


def sample(tests, count, seed):
    """One test from each of `count` equal parts of the list, so that all of it is represented."""
    if not count or count >= len(tests):
        return tests
    numbers = random.Random(seed)
    edges = [len(tests) * part // count for part in range(count + 1)]
    return [tests[numbers.randrange(begin, end)] for begin, end in zip(edges, edges[1:])]


def replace(path, data):
    """At once, for the sake of programs that are running."""
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_bytes(data)
    new.replace(path)
