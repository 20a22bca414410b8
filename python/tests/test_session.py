"""Sessions: programs that are stopped, looked at and gone on with."""

import os
import pickle
import signal
from pathlib import Path

import bhemu
import numpy as np
import pytest
from bhemu import tensor

ROOT = Path(__file__).resolve().parents[2]
TILE = (1, 2)


@pytest.fixture(scope="module")
def booted():
    card = bhemu.Device("p100a")
    card.boot()
    return card.snapshot()


@pytest.fixture
def card(booted):
    card = bhemu.Device("p100a")
    card.boot()
    card.restore(booted)
    return card


def example(name):
    return bhemu.Program(ROOT / "examples" / f"{name}.yaml")


def test_a_session_ends_with_what_the_program_expects(card):
    session = example("copy").load(card)
    assert not session.done
    session.run()
    assert session.done
    assert all(passed is True for passed in session.check().values())
    assert np.array_equal(session.tensors()["input"], session.tensors()["output"])


def test_it_has_the_hash_of_a_run_in_one_piece(card):
    one = card.clone()
    example("copy").load(one).run()
    session = example("copy").load(card)
    assert session.run_until(symbol="_start", core="trisc1", tile=TILE).tile == TILE
    session.step(512)
    session.run_until(cycle=card.cycle + 300)
    session.run()
    assert card.cycle == one.cycle
    assert card.hash() == one.hash()


def test_inputs_are_arrays_by_name(card):
    values = tensor.from_bf16(tensor.to_bf16(np.random.default_rng(3).normal(size=(512, 512))))
    session = example("copy").load(card, {"input": values.astype(np.float32)})
    session.run()
    found = session.tensors()["output"]
    if found.dtype == np.uint16:
        found = tensor.from_bf16(found)
    assert np.array_equal(np.asarray(found, np.float32), values)
    with pytest.raises(ValueError, match="did you mean 'input'"):
        example("copy").load(card, {"inptu": values})


def test_several_programs_follow_each_other_on_one_boot(card):
    for name in ("copy", "add_scalar", "copy"):
        with example(name).load(card) as session:
            pass
        assert session.done
        assert all(passed is True for passed in session.check().values()), name


def test_a_core_is_seen_where_it_came_by(card):
    session = example("copy").load(card)
    hit = session.run_until(symbol="_start", core="brisc", tile=TILE)
    assert (hit.tile, hit.core) == (TILE, "brisc")
    assert card.cycle - 256 <= hit.cycle <= card.cycle
    session.run()
    # Nobody comes by any more: the program is done.
    assert session.run_until(pc=hit.pc, core="brisc") is None


def test_a_buffer_fills_and_conditions_hold(card):
    session = example("copy").load(card)
    session.run_until(cb=(0, 1))
    assert next(b for b in card.circular_buffers(TILE) if b.index == 0).received >= 1
    session.run_until(condition=lambda: session.dst(TILE).any())
    assert not session.done
    assert session.dst(TILE).shape == (1024, 16)
    assert session.dst(TILE, "fp32").shape == (512, 16)
    matrices = session.dst(TILE, tile_layout=True)
    assert matrices.shape == (16, 32, 32)
    assert np.array_equal(matrices[0][:16, :16], session.dst(TILE)[:16])
    assert np.array_equal(matrices[0][:16, 16:], session.dst(TILE)[16:32])
    assert np.array_equal(matrices[0][16:, :16], session.dst(TILE)[32:48])


def test_requests_under_way_are_seen(card):
    session = example("dram_copy").load(card)
    seen = []

    def look():
        for requests in session.noc(TILE):
            seen.append(requests)
        return bool(seen)

    session.run_until(condition=look)
    assert seen[0].kind == "read" and seen[0].count >= 1 and seen[0].noc in (0, 1)
    assert seen[0].node.startswith("DRAM") and seen[0].since <= card.cycle
    session.run()
    assert session.noc(TILE) == []


def test_sigusr1_says_where_everything_stands(card, capfd):
    session = example("copy").load(card)
    sent = []

    def ask():
        if not sent:
            os.kill(os.getpid(), signal.SIGUSR1)
        sent.append(1)
        return len(sent) > 2

    session.run_until(condition=ask)
    assert "At cycle" in capfd.readouterr().err
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL
    session.run()


def test_elfs_are_registered_by_file_and_by_folder(card):
    card.register_elf(ROOT / "kernels" / "prebuilt")
    with pytest.raises(bhemu.InputError):
        card.register_elf("/nowhere.elf")


def test_semaphores_mutexes_and_threads_are_seen(card):
    session = bhemu.Program(ROOT / "tests/hangs/mutex_kept.yaml").load(card)
    with pytest.raises(bhemu.HangError) as hang:
        session.run()
    assert hang.value.device is card
    assert session.mutexes(TILE)
    assert any(thread.waiting and "mutex" in thread.what for thread in session.threads(TILE))
    assert len(session.semaphores(TILE)) == 8


def test_snapshots_are_pickled(card):
    session = example("copy").load(card)
    session.step(1024)
    kept = pickle.loads(pickle.dumps(card.snapshot()))
    session.run()
    end = card.hash()
    card.restore(kept)
    session.run()
    assert card.hash() == end


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"pc": 0x8000, "cycle": 1},
        {"pc": -4},
        {"pc": 1 << 32},
        {"cycle": -1},
        {"cycle": 1.5},
        {"cb": (7, 1)},
        {"cb": (0, -1)},
        {"symbol": "no_such_function"},
        {"pc": 0x8000, "core": "brisk"},
        {"pc": 0x8000, "max_cycles": -5},
    ],
)
def test_nonsense_is_a_value_error(card, arguments):
    session = example("copy").load(card)
    with pytest.raises(ValueError):
        session.run_until(**arguments)
    with pytest.raises(ValueError):
        session.step(-1)
    with pytest.raises(ValueError):
        session.dst(TILE, "bf17")


def test_a_card_that_is_not_booted_takes_no_program():
    with pytest.raises(ValueError, match="boot"):
        example("copy").load(bhemu.Device("p100a"))


def test_checks_find_what_silicon_lets_pass():
    program = bhemu.Program(ROOT / "tests" / "hangs" / "memory_never_written.yaml")
    assert program.run().status == "ok"
    with pytest.raises(bhemu.FaultError, match="uninitialised-l1"):
        program.run(check="all")
    result = program.run(check="none")
    assert result.status == "ok" and result.faults == []


def test_a_card_checks_what_its_launches_do():
    card = bhemu.Device("p100a", check="all")
    card.boot()
    broken = bhemu.Program(ROOT / "tests" / "hangs" / "memory_never_written.yaml").load(card)
    with pytest.raises(bhemu.FaultError, match=r"LookUp \(.*uninitialised-l1"):
        broken.run()


def test_a_card_that_checks_lets_good_programs_pass():
    card = bhemu.Device("p100a", check="all")
    card.boot()
    session = example("add_scalar").load(card)
    session.run()
    assert all(session.check().values())
    assert card.faults() == []


def test_the_second_look_knows_who_wrote_beside_the_word():
    with pytest.raises(bhemu.HangError) as hang:
        bhemu.run(ROOT / "tests" / "hangs" / "flag_beside_the_word.yaml")
    assert "memory [0x90004, +4], by NCRISC" in hang.value.first_cause["sentence"]
    assert hang.value.first_cause["rule"] is None


def test_a_fault_has_its_first_cause_with_place_and_rule():
    with pytest.raises(bhemu.FaultError) as fault:
        bhemu.run(ROOT / "tests" / "hangs" / "read_beyond_l1.yaml")
    cause = fault.value.first_cause
    assert cause["rule"] == "noc-address"
    assert cause["agent"] == "BRISC" and cause["tile"] == (3, 2)
    assert "read_beyond_l1.c:" in cause["place"]


def test_a_reservation_beyond_the_buffer_is_a_broken_rule():
    with pytest.raises(bhemu.HangError) as hang:
        bhemu.run(ROOT / "tests" / "hangs" / "cb_over_reserved.yaml")
    assert hang.value.first_cause["rule"] == "cb-over-reserve"


def test_ctrl_c_ends_an_advance_and_its_note_says_what_the_card_did(card):
    bhemu.Program(ROOT / "tests/hangs/busy_for_ever.yaml").load(card)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt) as interrupt:
            card.advance(10**12)
    finally:
        signal.signal(signal.SIGALRM, before)
    if hasattr(interrupt.value, "add_note"):  # Python 3.11
        assert "BRISC of (1, 2) still runs at Count" in interrupt.value.__notes__[0]


def test_what_a_program_file_leaves_behind_can_be_looked_at():
    with pytest.raises(bhemu.HangError) as hang:
        bhemu.Program(ROOT / "tests/hangs/mutex_kept.yaml").run()
    card = hang.value.device
    assert card.board == "P100A" and card.cycle > 0
    assert card.read(TILE, 0, 4) != bytes(4)
    waiter = hang.value.waiters[0]
    assert card.core(waiter["tiles"][0], "trisc1").status == "blocked"
    # Its reports know the program's kernels, and another one may run on it.
    assert "mutex_kept.c:" in card.waiters()
    cycle = card.cycle
    card.advance(1000)
    assert card.cycle >= cycle + 1000
    left = bhemu.Program(ROOT / "tests/hangs/mutex_kept.yaml").run(check=False)
    assert left.status == "hang" and left.device.hash() != card.hash()
    assert example("copy").run().device is None


def test_the_card_of_a_fault_can_be_looked_at():
    with pytest.raises(bhemu.FaultError) as fault:
        bhemu.Program(ROOT / "tests/hangs/read_beyond_l1.yaml").run()
    (found, *_) = fault.value.device.faults()
    assert found.is_error and ".c:" in found.where
