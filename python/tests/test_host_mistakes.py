"""What is said to host code that is wrong: each mistake with the launch or call that is right."""

import warnings

import bhemu
import numpy as np
import pytest
from bhemu.errors import FaultError, HangError, InputError
from launcher import (CONFIG, DATA, GO, ROOT, SOURCE, TARGET, TILE, Launch, fill, go, is_done,
                      result, run)


@pytest.fixture(scope="module")
def booted():
    card = bhemu.Device("p100a")
    card.boot()
    return card


@pytest.fixture
def card(booted):
    twin = booted.clone()
    fill(twin)
    return twin


def refusal(launch, card) -> str:
    with pytest.raises(InputError) as refused:
        launch.send(card)
    text = str(refused.value)
    assert text.startswith("First cause: ") and "\nRemedy: " in text
    # It was not written: what was wrong can be mended.
    assert is_done(card)
    return text


def test_a_launch_by_hand_that_is_right_is_silent(card):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            Launch().send(card)
            run(card)
    assert result(card) == [7, 8, 9, 10]


def test_go_without_a_message_is_refused_and_goes_after_it(card):
    launch = Launch()
    launch.configure(card)
    launch.announce(card, (2, 2))
    with pytest.raises(InputError, match="slot 0.*enables no core(.|\n)*to this tile"):
        go(card)
    launch.announce(card)
    go(card)
    run(card)
    assert result(card) == [7, 8, 9, 10]


def test_a_message_in_a_slot_that_nobody_looks_at_is_told_with_both_slots(card):
    dispatched = 0x80020200  # the tile reports to (2, 2) when it is done
    launch = Launch()
    launch.mode = 0
    launch.configure(card)
    launch.announce(card)
    go(card, word=dispatched)
    run(card)
    card.advance(1000)  # the tile says that it is done, then moves its read pointer
    launch.announce(card, slot=0)
    with pytest.raises(InputError, match=r"slot 1.*while slot 0 .* BRISC, NCRISC"):
        go(card, word=dispatched)
    launch.announce(card, slot=1)
    go(card, word=dispatched)
    run(card)


def test_a_second_go_waits_for_the_first(card):
    Launch(64).send(card)
    card.advance(500)
    with pytest.raises(InputError, match="has not ended what it was told to run before"):
        Launch().send(card)


def test_kernels_begin_where_there_is_code(card):
    launch = Launch()
    launch.images = {}
    assert "BRISC's kernel begin at L1[0x8ab0]" in refusal(launch, card)
    launch = Launch()
    launch.configure(card)
    launch.images = {}
    launch.texts = {core: CONFIG + offset for core, offset in launch.texts.items()}
    assert "give the offset from kernel_config_base and not the address" in refusal(launch, card)


def test_circular_buffers_keep_off_the_kernels(card):
    launch = Launch()
    launch.buffers[0] = (0x8800, 4096, 2, 2048)
    assert "puts CB 0 at L1[0x8800, +0x1000], over BRISC's kernel" in refusal(launch, card)


def test_without_checks_a_host_may_do_as_it_likes():
    card = bhemu.Device("p100a", check="none")
    card.boot()
    go(card)
    with pytest.raises(FaultError, match="enables no core. So BRISC"):
        card.advance(5000)


@pytest.mark.parametrize("spoil, said", [
    (lambda launch: launch.buffers.update({0: (0x40000, 4096, 2, 0)}), "2 pages of 0 bytes"),
    (lambda launch: setattr(launch, "enables", 1), r"enables \(0x1\) lack bit 1"),
    (lambda launch: launch.arguments.update({0: []}), "BRISC .* finds its arguments"),
])
def test_what_may_be_meant_is_a_warning_at_the_go(spoil, said):
    card = bhemu.Device("p100a")
    card.boot()
    launch = Launch()
    spoil(launch)
    with pytest.warns(UserWarning, match=said):
        launch.send(card)


def test_a_hang_tells_of_the_launch_that_made_it(card):
    launch = Launch()
    launch.enables = 1
    with pytest.warns(UserWarning):
        launch.send(card)
    with pytest.raises(HangError) as hang:
        run(card)
    assert "lack bit 1" in hang.value.first_cause["sentence"]
    assert hang.value.first_cause["remedy"].startswith("set bit 1 of enables")


def test_a_buffer_that_the_mask_lacks_is_told(card):
    launch = Launch()
    launch.mask = 0
    launch.send(card)
    with pytest.raises(HangError, match=r"local_cb_mask .* lacks bit 0"):
        run(card)


def test_kernels_over_each_other_are_told_by_who_ran_into_whom(card):
    told = "NCRISC .* has run out of its kernel .* into BRISC's"
    for behind, error in (0x80, FaultError), (0x40, HangError):
        twin = card.clone()
        launch = Launch()
        launch.texts = {1: 0x400, 0: 0x400 + behind}
        launch.send(twin)
        with pytest.raises(error, match=told):
            run(twin)


def test_the_signal_in_another_byte_is_found(card):
    launch = Launch()
    launch.configure(card)
    launch.announce(card)
    go(card, word=0x80)
    with pytest.raises(HangError, match="is in byte 0 of it(.|\n)*0x80000000"):
        card.run(until=lambda: card.read32(TILE, GO) == 0)


def test_a_condition_that_cannot_come_true_is_told_by_its_line_and_what_it_saw(card):
    Launch().send(card)
    with pytest.raises(HangError) as hang:
        card.run(until=lambda: card.read32(TILE, 0x374) != 0)
    cause = hang.value.first_cause
    assert "test_host_mistakes.py:" in cause["place"]
    assert "what was launched on (1, 2) has ended" in cause["sentence"]
    assert "at 0x374 of (1, 2)" in cause["sentence"]


def test_a_host_that_signals_beside_the_word_is_told():
    card = bhemu.Device("p100a")
    card.boot()
    session = bhemu.Program(ROOT / "tests/hangs/word_never_written.yaml").load(card)
    session.step(2000)
    with pytest.raises(HangError) as hang:
        session.run()
    sentence = hang.value.first_cause["sentence"]
    assert "the host has written" not in sentence
    address = int(sentence.split("L1[")[1].split("]")[0], 16)
    card.write32(TILE, address + 4, 1)
    with pytest.raises(HangError, match="the host has written .* 4 bytes behind it"):
        session.run()


def wait_for_word(address):
    """lui t0; lw t1, 0(t0); beq t1, x0, -4; j ."""
    return [0x000002B7 | address, 0x0002A303, 0xFE030EE3, 0x0000006F]


def test_a_word_that_the_host_sets_back_after_the_signal_is_told():
    card = bhemu.Device("p100a")
    card.write(TILE, 0x4000, np.array(wait_for_word(0x10000), np.uint32))
    # BRISC of (2, 2) sends four bytes of its own over NoC 0.
    sender = []
    for register, value in ((0x00, 0x400), (0x04, 0), (0x08, 2 << 6 | 2), (0x0C, 0x10000),
                            (0x10, 0), (0x14, 2 << 6 | 1), (0x1C, 0x2092), (0x20, 4), (0x24, 0),
                            (0x40, 1)):
        address, upper = 0xFFB20000 + register, (value + 0x800) & 0xFFFFF000
        sender += [0x000002B7 | address & 0xFFFFF000, 0x00000337 | upper,
                   0x00030313 | (value & 0xFFF) << 20, 0x0062A023 | (register & 31) << 7
                   | register >> 5 << 25]
    card.write((2, 2), 0x4000, np.array(sender + [0x6F], np.uint32))
    card.write32((2, 2), 0x400, 1)
    card.start_core((2, 2), "brisc", 0x4000)
    card.advance(3000)
    assert card.read32(TILE, 0x10000) == 1
    card.write32(TILE, 0x10000, 0)
    card.start_core(TILE, "brisc", 0x4000)
    with pytest.raises(HangError) as hang:
        card.run(until=lambda: card.read32(TILE, 0x20000) != 0)
    cause = hang.value.first_cause
    assert "the host has set it to 0x0 in cycle" in cause["sentence"]
    assert "after BRISC of Tensix (2,2) had written it in cycle" in cause["sentence"]
    assert "before any tile that signals them is told to go" in cause["remedy"]


def test_a_tile_with_a_message_and_no_go_is_named(card):
    launches = {TILE: Launch(), (2, 2): Launch()}
    for tile, launch in launches.items():
        launch.configure(card, tile)
        launch.announce(card, tile)
    go(card)
    with pytest.raises(HangError) as hang:
        card.run(until=lambda: card.read32((2, 2), 0x40000) != 0)
    sentence = hang.value.first_cause["sentence"]
    assert "what was launched on (1, 2) has ended" in sentence
    assert "(2, 2) has a launch message and was never told to go" in sentence
    assert hang.value.first_cause["remedy"].startswith("write the go message of every tile")


def test_dram_that_is_read_before_a_cycle_has_passed_is_a_warning(card):
    Launch().send(card)
    with pytest.warns(UserWarning, match="no cycle has passed"):
        card.read_dram(0, TARGET, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(card)
        assert result(card) == [7, 8, 9, 10]


def test_a_card_that_was_never_booted_says_so():
    card = bhemu.Device("p100a")
    go(card)
    with pytest.raises(HangError, match=r"held in reset(.|\n)*boot the card first"):
        card.run(until=lambda: is_done(card))


def test_a_core_that_was_let_go_without_code_is_named():
    card = bhemu.Device("p100a")
    card.start_core(TILE, "trisc1", 0x4000)
    with pytest.raises(FaultError, match="First cause: TRISC1 .* where there is no code"):
        card.run(max_cycles=10_000)


@pytest.mark.parametrize("tile, address, size, said", [
    ((16, 2), 0, 4, r"fused off.*x 1 to 7 and 10 to 14"),
    ((2, 12), 0, 4, r"\(12, 2\) is a Tensix tile: x comes first"),
    ((1, 2), 0x17FFF0, 64, "over the end of L1, 0x180000, by 48"),
    ((1, 2), DATA << 12, 4, "L1 of a Tensix tile ends at 0x180000"),
    ((1, 2), 0xFFB121B1, 4, "whole words of 4 bytes"),
    ((1, 2), 0xFFB80000, 4, "only cores of the tile itself"),
    ((17, 14), 1 << 33, 4, "7 banks of this P100A"),
    ((19, 24), 1 << 60, 4, "host has lent none"),
])
def test_refused_places_are_explained(tile, address, size, said):
    with pytest.raises(InputError, match=said):
        bhemu.Device("p100a").read(tile, address, size)


def test_banks_and_rectangles_are_explained():
    card = bhemu.Device("p100a")
    with pytest.raises(InputError, match="has 7 banks, 0 to 6"):
        card.read_dram(7, 0, 4)
    with pytest.raises(InputError, match=r"\(1, 2\) to \(4, 4\)"):
        card.multicast((4, 4), (1, 2), 0, bytes(4))
    with pytest.raises(InputError, match="no Tensix tile is in the rectangle"):
        card.multicast((8, 2), (9, 5), 0, bytes(4))


def test_data_is_bytes_or_an_array_of_numbers_that_a_card_has():
    card = bhemu.Device("p100a")
    for data in ([1, 2], 5, "abc"):
        with pytest.raises(TypeError, match="np.array"):
            card.write(TILE, 0x1000, data)
    for array in (np.ones(4), np.array([None])):
        with pytest.raises(InputError, match="astype"):
            card.write(TILE, 0x1000, array)
    card.write(TILE, 0x1000, np.ones(4, np.float32))
    with pytest.raises(TypeError, match="an address is a whole number"):
        card.read(TILE, -4, 4)
    with pytest.raises(TypeError, match=r"a tile is \(x, y\)"):
        card.read(5, 0, 4)


def test_a_session_is_over_when_another_was_loaded(card):
    program = bhemu.Program(ROOT / "examples" / "copy.yaml")
    first = program.load(card)
    second = program.load(card)  # no cycle has passed: as if the first had never been
    with pytest.raises(InputError, match="is over"):
        first.run()
    second.step(256)
    with pytest.raises(InputError, match="still runs what was launched before"):
        program.load(card)
    second.run()
    assert all(passed is True for passed in second.check().values())


def test_an_input_that_is_no_array_of_numbers_is_named(card):
    program = bhemu.Program(ROOT / "examples" / "copy.yaml")
    for array in (np.ones((512, 512), complex), None):
        with pytest.raises(InputError, match="input 'input' is an array of"):
            program.load(card, {"input": array})


def test_arguments_of_another_core_read_what_nobody_has_written():
    card = bhemu.Device("p100a")
    card.boot()
    fill(card)
    launch = Launch()
    launch.arguments = {0: launch.arguments[1], 1: launch.arguments[0]}
    launch.send(card)
    with pytest.warns(UserWarning, match=r"NCRISC of \(1, 2\).* has read 2048 bytes at 0x200000 of "
                      r".*nobody has ever written \(and 3 more.*compare the arguments"):
        run(card)
    assert result(card) == [0, 0, 0, 0]


@pytest.mark.parametrize("fills", [
    fill,
    # A page of which the first word alone was written.
    lambda card: [card.write_dram(page, SOURCE, b"\1\0\0\0") for page in range(4)],
])
def test_arguments_in_order_and_pages_that_are_written_in_part_are_no_mistake(fills):
    card = bhemu.Device("p100a")
    card.boot()
    fills(card)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Launch().send(card)
        run(card)
        # What the card has written itself was written.
        launch = Launch()
        launch.arguments = {0: [SOURCE, 0, 4], 1: [TARGET, 0, 4]}
        launch.send(card)
        run(card)


def test_nothing_is_said_of_memory_that_came_with_a_snapshot_or_with_checks_off():
    card = bhemu.Device("p100a")
    card.boot()
    card.restore(card.snapshot())
    unchecked = bhemu.Device("p100a", check="none")
    unchecked.boot()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for one in (card, unchecked):
            Launch().send(one)
            run(one)
