"""A pytest plugin that makes LLK's own tests compile with Debian's compiler and run on bhemu.

It stands before LLK's conftest.py and changes four things: what Debian's versions of torch and
numpy lack, where files go, how the host waits for the chip, and which variants run.
"""

import hashlib
import json
import os
import random
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import torch
import torch.nn.functional as functional
import typing_extensions

if not hasattr(typing_extensions, "deprecated"):
    typing_extensions.deprecated = lambda message: lambda function: function

# torch 1.13 has no unsigned 16- and 32-bit types. LLK's golden models only use them to look at
# bits, which they mask.
for name, twin in (("uint16", torch.int16), ("uint32", torch.int32)):
    if not hasattr(torch, name):
        setattr(torch, name, twin)



def _in_single_precision(function):
    """For half precision, which torch 1.13 has on few operators: compute wide, round once."""

    def wrapped(*arguments, **named):
        try:
            return function(*arguments, **named)
        except RuntimeError as error:
            if "not implemented for 'Half'" not in str(error):
                raise
        wide = [
            value.float() if getattr(value, "dtype", None) == torch.float16 else value
            for value in arguments
        ]
        return function(*wide, **named).to(torch.float16)

    return wrapped


for name in ("matmul", "exp", "clamp", "relu", "mean", "where", "argsort", "bmm"):
    setattr(torch, name, _in_single_precision(getattr(torch, name)))
for name in ("threshold", "elu", "celu", "gelu", "silu", "hardsigmoid", "hardtanh", "relu"):
    setattr(functional, name, _in_single_precision(getattr(functional, name)))


def _shift(left):
    """As newer versions of torch have it: by the width or more, or by less than 0, is as by all."""
    plain = torch.bitwise_left_shift if left else torch.bitwise_right_shift

    def shifted(value, amount):
        value, amount = torch.as_tensor(value), torch.as_tensor(amount)
        if value.dtype == torch.bool or value.is_floating_point():
            return plain(value, amount)
        last = torch.iinfo(value.dtype).bits - 1
        outside = (amount < 0) | (amount > last)
        inside = torch.where(outside, torch.full_like(amount, 0 if left else last), amount)
        result = plain(value, inside)
        return torch.where(outside, torch.zeros_like(result), result) if left else result

    return shifted


for name, left in (("lshift", True), ("rshift", False)):
    function = _shift(left)
    setattr(torch, "bitwise_left_shift" if left else "bitwise_right_shift", function)
    setattr(torch.Tensor, f"__{name}__", function)

import bhemu_compile  # noqa: E402
import bhemu_device  # noqa: E402
import helpers.pack as pack  # noqa: E402
import helpers.unpack as unpack  # noqa: E402


def _packer(codec):
    def packed(tensor):
        return codec.encode(tensor.cpu().to(torch.float32).numpy()).tobytes()

    return packed


def _unpacker(codec):
    def unpacked(data):
        return codec.decode(np.frombuffer(bytes(data), dtype=codec.storage)).tolist()

    return unpacked


def _replace(module, name, function):
    """Also in the tables that the module has made of its functions."""
    old = getattr(module, name)
    setattr(module, name, function)
    for table in [value for value in vars(module).values() if isinstance(value, dict)]:
        for key in [key for key, value in table.items() if value is old]:
            table[key] = function


if hasattr(ml_dtypes, "Codec"):
    _replace(pack, "pack_bfp16", _packer(ml_dtypes.bfloat16))
    _replace(pack, "pack_fp8_e4m3", _packer(ml_dtypes.float8_e4m3fn))
    _replace(unpack, "unpack_bfp16", _unpacker(ml_dtypes.bfloat16))
    _replace(unpack, "unpack_fp8_e4m3", _unpacker(ml_dtypes.float8_e4m3fn))

import helpers.device as device_module  # noqa: E402
from helpers.test_config import TestConfig  # noqa: E402

WORK = Path(os.environ["BHEMU_LLK_WORK"])
SHARD, SHARDS = map(int, os.environ.get("BHEMU_LLK_SHARD", "0/1").split("/"))
WORKER = f"shard{SHARD}"
CYCLE_LIMIT = int(os.environ.get("BHEMU_LLK_CYCLES", "20000000"))
# All shards together run as many variants of a test as the sample says.
SAMPLE = int(os.environ.get("BHEMU_LLK_SAMPLE", "0"))
SHARE = SAMPLE // SHARDS + (SHARD < SAMPLE % SHARDS)
SEED = os.environ.get("BHEMU_SEED", "1")
EXCHANGE_CYCLES = 20000
# With BHEMU_RACE each variant's races go there first.
RACES = WORK / f"races-{WORKER}.json" if os.environ.get("BHEMU_RACE") else None
if RACES:
    os.environ["BHEMU_RACE_JSON"] = str(RACES)

TestConfig.DEFAULT_ARTEFACTS_PATH = WORK / "artefacts" / WORKER


# --- Waiting: by cycles of the chip, not by the host's clock --------------------------------------


def _commit_brisc_command(location="0,0", command=None, timeout=1):
    boxes = device_module.Mailboxes
    chip = bhemu_device.current()
    chip.run(EXCHANGE_CYCLES)  # BRISC clears the boxes when it starts, the counter last
    while not all(
        chip.read_word(boxes.BriscCounter.value) == device_module.common_counter for _ in range(2)
    ):
        chip.run(EXCHANGE_CYCLES)
    odd = device_module.common_counter & 1
    chip.write_word((boxes.BriscCommand1 if odd else boxes.BriscCommand0).value, command.value)
    device_module.common_counter += 1
    for _ in range(100):
        chip.run(EXCHANGE_CYCLES)
        if chip.read_word(boxes.BriscCounter.value) == device_module.common_counter:
            return
    raise TimeoutError(f"BRISC did not take the command {command.name}")


def _wait_until_finished(self, timeout=2):
    boxes = device_module.Mailboxes
    waiting = {boxes.Unpacker, boxes.Math, boxes.Packer}
    chip = bhemu_device.current()
    begun = chip.cycle()
    while chip.cycle() - begun < CYCLE_LIMIT:
        chip.run(EXCHANGE_CYCLES)
        waiting = {
            box
            for box in waiting
            if chip.read_word(box.value) != device_module.KERNEL_COMPLETE
        }
        if not waiting:
            return
    names = ", ".join(sorted(box.name for box in waiting))
    raise bhemu_device.Failure(f"after {CYCLE_LIMIT} cycles still waiting for {names}")


import helpers.test_config as test_config_module  # noqa: E402

bhemu_compile.install([test_config_module], WORK / "cache")
test_config_module.commit_brisc_command = _commit_brisc_command
device_module.commit_brisc_command = _commit_brisc_command
TestConfig.wait_for_tensix_operations_finished = _wait_until_finished


def _fresh_board():
    bhemu_device.reset()
    TestConfig.BRISC_ELF_LOADED = False
    TestConfig.LAST_LOADED_ELFS = Path()
    device_module.common_counter = 0


# --- Which variants run, and what became of them --------------------------------------------------


# LLK skips many variants from within the test, so more are picked than are to run.
SPARE = 12

_ran = {}


def _is_ours(variant):
    """Whether this process runs it: the shards share the variants by their names."""
    return int(hashlib.sha256(variant.encode()).hexdigest()[:8], 16) % SHARDS == SHARD


def _done():
    """Variants that an earlier run has finished, which counts them as run."""
    done = set()
    path = WORK / "done.jsonl"
    for line in path.read_text().splitlines() if path.exists() else []:
        record = json.loads(line)
        done.add(record["variant"])
        if record["outcome"] != "skipped" and _is_ours(record["variant"]):
            _ran[record["test"]] = _ran.get(record["test"], 0) + 1
    return done


def _function(item):
    return item.nodeid.split("[")[0]


def _chosen(items):
    """Some variants of each test function; which ones depends on the seed only."""
    groups = {}
    for item in items:
        groups.setdefault(_function(item), []).append(item)
    chosen = []
    for group in groups.values():
        if SAMPLE and len(group) > SAMPLE:
            group = random.Random(SEED).sample(group, min(len(group), SAMPLE * SPARE))
        chosen += [item for item in group if _is_ours(item.nodeid)]
    return chosen, {name: len(group) for name, group in groups.items()}


ENOUGH = "enough of this test have run"
ELSEWHERE = "this kernel is tt-metal's, and BHEMU_TT_METAL_DIR does not name a checkout of it"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if SAMPLE and _ran.get(_function(item), 0) >= SHARE:
        pytest.skip(ENOUGH)
    if "BHEMU_TT_METAL_DIR" not in os.environ:
        if any(f"MathOperation.{name}-" in item.nodeid for name in ("Tanh", "Log1p")):
            pytest.skip(ELSEWHERE)
    # LLK leaves marks on the chip that change what a later variant gives, on cards as well.
    _fresh_board()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    kept, totals = _chosen(items)
    done = _done()
    kept = [item for item in kept if item.nodeid not in done]
    wanted = set(kept)
    dropped = [item for item in items if item not in wanted]
    items[:] = kept
    if dropped:
        config.hook.pytest_deselected(items=dropped)
    path = WORK / f"collected-{WORKER}.json"
    earlier = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**earlier, **totals}))


def _kind(text):
    if "Command:" in text and "stderr:" in text:
        return "compile"
    if "Failure" in text or "TENSIX TIMED OUT" in text:
        return "run"
    if "Error type:" in text or "Error type" in text:
        return "harness"
    return "result"


@pytest.fixture(autouse=True)
def _reproducible(request):
    """Inputs depend on the variant's name and the seed, not on what ran before."""
    digest = hashlib.sha256(f"{SEED} {request.node.nodeid}".encode()).digest()
    number = int.from_bytes(digest[:4], "little")
    torch.manual_seed(number)
    np.random.seed(number)
    random.seed(number)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when != "call" and not (report.when == "setup" and report.outcome != "passed"):
        return
    text = str(report.longrepr) if report.longrepr else ""
    if ENOUGH in text:
        return
    if not report.skipped:
        _ran[_function(item)] = _ran.get(_function(item), 0) + 1
    record = {
        "test": _function(item),
        "variant": item.nodeid,
        "outcome": report.outcome,
        "seconds": round(call.duration, 3),
    }
    if report.failed:
        record["kind"] = _kind(text)
        record["text"] = text[:20000]
    elif report.skipped:
        record["text"] = text[:400]
    if report.when == "call" and not report.skipped:
        record["state"] = bhemu_device.state()
        found = bhemu_device.findings(RACES)
        if found:
            record["findings"] = found
    with open(WORK / f"results-{WORKER}.jsonl", "a", encoding="utf-8") as results:
        results.write(json.dumps(record) + "\n")
