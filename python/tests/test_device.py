"""The Python package as its users see it. Needs bhemu installed (pip install .)."""

import signal
import threading
from pathlib import Path

import bhemu
import numpy as np
import pytest
from bhemu import tensor

ROOT = Path(__file__).resolve().parents[2]
FOREVER = 0x6F  # jal x0, 0


@pytest.fixture
def card():
    return bhemu.Device("p100a")


def words(*values):
    return np.array(values, np.uint32)


def test_boards_have_their_tiles_and_banks(card):
    assert (card.board, len(card.tensix_tiles), card.dram_banks) == ("P100A", 120, 7)
    other = bhemu.Device("p150", harvest_dram="2,5", harvest_columns="0")
    assert (other.board, len(other.tensix_tiles), other.dram_banks) == ("P150", 130, 6)
    assert "functional_workers" in other.soc_descriptor()


def test_memory_keeps_bytes_words_and_arrays(card):
    card.write((1, 2), 0x1003, b"hello")
    assert card.read((1, 2), 0x1003, 5) == b"hello"
    matrix = np.random.default_rng(1).normal(size=(7, 5)).astype(np.float32)
    card.write((3, 4), 0x2000, matrix.T)
    assert np.array_equal(card.read_array((3, 4), 0x2000, (5, 7), np.float32), matrix.T)
    card.write32((1, 2), 0x40, 0x1_0000_0007)
    assert card.read32((1, 2), 0x40) == 7
    card.write_dram(6, 0x1234, b"dram")
    assert card.read_dram(6, 0x1234, 4) == b"dram"
    assert card.read(card.dram_tile(6), 0x1234, 4) == b"dram"
    card.multicast((1, 2), (3, 4), 0x80, words(99))
    assert [card.read32(tile, 0x80) for tile in ((1, 2), (3, 4), (4, 4))] == [99, 99, 0]


def test_a_core_runs_until_a_predicate_holds(card):
    # lui x5, 0x10; addi x6, x0, 42; sw x6, 0(x5)
    card.write((1, 2), 0x4000, words(0x000102B7, 0x02A00313, 0x0062A023, FOREVER))
    card.start_core((1, 2), "brisc", 0x4000)
    card.run(lambda: card.read32((1, 2), 0x10000) == 42)
    core = card.core((1, 2), "brisc")
    assert core.x[6] == 42 and core.pc == 0x400C and core.instructions >= 3
    card.hold_core((1, 2), "brisc")
    assert card.core((1, 2), "brisc").status == "reset"


def test_what_goes_wrong_is_an_exception_with_a_report(card):
    card.write((2, 3), 0, words(0xFFFFFFFF))
    card.start_core((2, 3), "brisc")
    with pytest.raises(bhemu.FaultError, match=r"\(2, 3\)"):
        card.run(lambda: False)
    (fault,) = card.faults()
    assert fault.is_error and fault.tile == (2, 3) and fault.agent == "BRISC"
    card.clear_faults()
    assert card.faults() == []
    idle = bhemu.Device()
    with pytest.raises(bhemu.HangError) as hang:
        idle.run()
    assert hang.value.device is idle and hang.value.waiters == []
    with pytest.raises(bhemu.InputError, match="nothing answers"):
        card.read((50, 50), 0, 4)
    with pytest.raises(bhemu.InputError, match="no coordinate"):
        card.read((500, 2), 0, 4)
    with pytest.raises(bhemu.InputError, match="unknown"):
        bhemu.Device("p200")
    with pytest.raises(bhemu.InputError, match="contiguous"):
        card._device.write((1, 2), 0, np.zeros((4, 4), np.uint32)[:, ::2])


def test_a_predicate_may_raise(card):
    with pytest.raises(ZeroDivisionError):
        card.run(lambda: 1 // 0)
    card.advance(100)


def test_cycles_pass_and_can_be_limited(card):
    card.write((1, 2), 0, words(0x00128293, 0xFFDFF06F))  # counts for ever
    card.start_core((1, 2), "brisc")
    with pytest.raises(bhemu.LimitError):
        card.run(lambda: False, max_cycles=5000)
    before = card.cycle
    card.advance(1000)
    assert card.cycle >= before + 1000


def test_snapshots_and_clones_repeat_what_happens(card):
    card.write((1, 2), 0, words(0x00020337, 0x00128293, 0x00532023, 0xFF9FF06F))
    card.start_core((1, 2), "brisc")
    card.advance(3000)
    snapshot = card.snapshot()
    clone = card.clone()
    card.advance(3000)
    end = card.hash()
    clone.advance(3000)
    assert clone.hash() == end
    card.restore(snapshot)
    assert card.hash() != end
    card.advance(3000)
    assert card.hash() == end
    with pytest.raises(bhemu.InputError):
        bhemu.Device("p150").restore(snapshot)
    with pytest.raises(bhemu.InputError):
        card.restore(snapshot[:-1])


def test_register_files_have_their_shapes(card):
    assert card.dst((1, 2)).shape == (1024, 16)
    assert card.src((1, 2), "a").shape == card.src((1, 2), "b").shape == (64, 16)
    assert card.lregs((1, 2)).shape == (17, 32)
    assert card.gprs((1, 2)).shape == (3, 64)
    assert card.config((1, 2)).shape[0] == 2 and card.thread_config((1, 2)).shape[0] == 3
    assert np.all(card.lregs((1, 2))[10] == 0x3F800000)
    with pytest.raises(ValueError):
        card.src((1, 2), "c")


def test_source_cells_are_read_as_the_unpackers_format():
    def cell(sign, exponent, mantissa):
        return sign << 31 | exponent << 23 | mantissa << 13

    cases = [
        (5, cell(0, 127, 512), 1.5),  # BF16
        (4, cell(1, 128, 1), -2.001953125),  # TF32
        (1, cell(0, 15, 512), 1.5),  # FP16
        (1, cell(1, 31, 1023), -131008.0),  # no infinity
        (1, cell(0, 0, 7), 0.0),
        (10, cell(0, 16, 768), 3.5),  # FP8
        (2, cell(1, 14, 0), -0.5),  # BFP8a
        (14, cell(1, 16, 100), -100.0),  # INT8
        (14, cell(0, 0, 0), 0.0),
        (9, cell(0, 0x34, 0x12 << 3), 0x1234),  # INT16
    ]
    for code, word, value in cases:
        got = bhemu.tensor.source_values(np.array([word], np.uint32), code)
        assert got.dtype == np.float32 and got[0] == value, (code, hex(word))


def stores(*pairs):
    """A program that stores words: lui and addi of the address and the value, sw; then it stays."""
    code = []
    for address, value in pairs:
        for register, number in ((5, address), (6, value)):
            low = number & 0xFFF
            code.append((number + 0x800 & 0xFFFFF000) | register << 7 | 0x37)
            code.append(low << 20 | register << 15 | register << 7 | 0x13)
        code.append(6 << 20 | 5 << 15 | 2 << 12 | 0x23)
    return words(*code, FOREVER)


@pytest.mark.parametrize("code, one", [(1, 0), (10, 0), (2, 0), (5, 1), (14, 2)])
def test_sources_of_a_card_are_read_in_the_format_of_their_last_unpack(card, code, one):
    # FP16, FP8, BFP8a, BF16, INT8 as Out_data_format of unpacker 0, then UNPACR_NOP: it clears SrcA
    # to one and hands it over.
    nop = 0x43 << 24 | 1 | 2 << 2 | one << 6 | 1 << 8
    program = stores((0xFFEF0000 + 4 * 72, code), (0xFFE40000, nop))
    card.write((1, 2), 0x4000, program)
    card.start_core((1, 2), "trisc0", 0x4000)
    card.advance(3000)
    assert np.all(card.src((1, 2), "a") == 1.0)


def test_a_tile_is_the_card_without_coordinates(card):
    tile = card.tile(3, 4)
    tile.write(0x1000, b"bytes")
    tile.write32(0x2000, 0x1234)
    assert card.read((3, 4), 0x1000, 5) == tile.read(0x1000, 5) == b"bytes"
    assert tile.read32(0x2000) == 0x1234 and tile.l1[0x2000] == 0x34 and tile.l1.size == 0x180000
    assert tile.dst.shape == (1024, 16) and tile.src("b").shape == (64, 16)
    assert tile.core("trisc1").status == "reset"
    assert tile.circular_buffers == []
    with pytest.raises(bhemu.InputError, match="no Tensix tile"):
        card.tile(8, 0)


def test_circular_buffers_are_read_from_the_launch_message(card):
    # A launch message at 0x70 whose kernel configuration at 0x9000 has buffers 0 and 3.
    card.write32((1, 2), 0x70, 0x9000)
    card.write((1, 2), 0x70 + 0x12, np.uint16(0x40).tobytes())
    card.write32((1, 2), 0x70 + 0x40, 0b1001)
    card.write((1, 2), 0x9040, words(0x40000, 4096, 2, 2048))
    card.write((1, 2), 0x9070, words(0x50000, 8192, 8, 1024))
    card.write32((1, 2), 0xFFB40000 + 3 * 0x1000 + 0x28, 5)
    card.write32((1, 2), 0xFFB40000 + 3 * 0x1000 + 0x20, 4)
    assert card.circular_buffers((1, 2)) == [
        bhemu.CircularBuffer(0, 0x40000, 4096, 2, 2048, 0, 0),
        bhemu.CircularBuffer(3, 0x50000, 8192, 8, 1024, 5, 4),
    ]
    card.write32((1, 2), 0x9070, 0x17FFFF)
    with pytest.raises(bhemu.InputError, match="circular buffer 3"):
        card.circular_buffers((1, 2))


def test_firmware_boots_and_memory_of_the_host_is_shared():
    card = bhemu.Device("p150", threads=2)
    memory = np.zeros(4096, np.uint8)
    card.set_host_memory(memory, 0x1000)
    card.boot()
    assert card.cycle > 0
    card.write((19, 24), (1 << 60) | 0x1010, b"\x2a")
    assert memory[0x10] == 42


def test_a_card_tells_who_wrote_what_when_it_was_asked_to_remember(card):
    with pytest.raises(bhemu.InputError, match="writers=True"):
        card.why((1, 2), "0x10000")
    watched = bhemu.Device("p100a", writers=True)
    watched.write((1, 2), 0x10004, words(5))
    # lui x5, 0x10; addi x6, x0, 42; sw x6, 0(x5)
    watched.write((1, 2), 0x4000, words(0x000102B7, 0x02A00313, 0x0062A023, FOREVER))
    watched.start_core((1, 2), "brisc", 0x4000)
    watched.run(lambda: watched.read32((1, 2), 0x10000) == 42)
    assert "memory [0x10000, +4]: BRISC at pc 0x4008 in cycle" in watched.why((1, 2), "0x10000")
    assert "the host in cycle 0" in watched.tile(1, 2).why("0x10004")
    assert "nobody has written it" in watched.why((1, 2), "0x20000")
    with pytest.raises(bhemu.InputError, match="did you mean 'gpr'"):
        watched.why((1, 2), "gprs:3")


def test_accesses_to_a_watched_place_are_kept(card):
    code = [0x00500293, 0x000102B7, 0x00700313, 0x0062A023, 0x0000006F]  # sw t1 (7), 0(0x10000)
    card.write((1, 2), 0x4000, np.array(code, np.uint32))
    card.watch((1, 2), "0x10000")
    card.watch((1, 2), "0x10000", "r")
    card.write32((1, 2), 0x10000, 1)
    card.start_core((1, 2), "brisc", 0x4000)
    card.advance(1000)
    host, core = card.watched()
    assert "by the host" in host.text
    assert (core.watch, core.writes, core.after) == ("1-2:0x10000:w", True, 7)
    assert core.before == 1 and "by BRISC" in core.text and core.cycle > host.cycle
    assert card.watched() == []
    with pytest.raises(ValueError, match="nonsense"):
        card.watch((1, 2), "nonsense:3")


def test_two_threads_may_use_one_card(card):
    card.write((1, 2), 0, words(0x00128293, 0xFFDFF06F))
    card.start_core((1, 2), "brisc")
    stop = threading.Event()

    def clock():
        while not stop.is_set():
            card.advance(1000)

    worker = threading.Thread(target=clock)
    worker.start()
    for value in range(200):
        card.write32((4, 5), 0x100, value)
        assert card.read32((4, 5), 0x100) == value
    stop.set()
    worker.join()


def test_programs_run_and_give_their_tensors():
    result = bhemu.run(ROOT / "examples" / "add_scalar.yaml")
    assert result.ok and result.board == "P100A" and result.cycles > 0
    (output,) = result.tensors.values()
    assert output.size > 0
    hung = bhemu.run(ROOT / "examples" / "stuck" / "semaphore.yaml", check=False)
    assert hung.status == "hang" and "semaphore" in hung.explanation.lower()
    with pytest.raises(bhemu.HangError) as hang:
        bhemu.run(ROOT / "examples" / "stuck" / "semaphore.yaml")
    assert hang.value.first_cause["place"].endswith("(kernels/stuck/semaphore.c:6)")
    assert hang.value.first_cause["agent"] == "BRISC" and hang.value.first_cause["remedy"]
    assert hang.value.waiters[0]["tiles"] == [(1, 2), (14, 11)]
    assert str(hang.value).startswith("First cause: BRISC of (1, 2)")
    with pytest.raises(bhemu.InputError):
        bhemu.run(ROOT / "nowhere.yaml")


def test_a_run_without_end_can_be_interrupted():
    card = bhemu.Device()
    card.write32((1, 2), 0, 0x00150513)  # addi a0, a0, 1
    card.write32((1, 2), 4, 0xFFDFF06F)  # j 0
    card.start_core((1, 2), "brisc", 0)
    with pytest.raises(bhemu.LimitError, match="still runs") as limit:
        card.run(max_cycles=10000)
    assert limit.value.device is card
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            card.run()
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert card.cycle > 10000


def test_tiles_and_back():
    matrix = np.arange(64 * 96).reshape(64, 96)
    tiles = tensor.tilize(matrix)
    assert tiles.shape == (6, 1024)
    assert tiles[0, 16] == matrix[1, 0] and tiles[0, 256] == matrix[0, 16]
    assert tiles[4, 512] == matrix[48, 32]
    assert np.array_equal(tensor.untilize(tiles, 64, 96), matrix)
    with pytest.raises(ValueError):
        tensor.tilize(np.zeros((31, 32)))


def test_bf16_rounds_to_nearest_even_and_keeps_nan():
    values = np.array([1.0, 1.00390625, 1.01171875, -0.0, np.inf, np.nan, 3.4e38], np.float32)
    bits = tensor.to_bf16(values)
    assert [hex(b) for b in bits[:5]] == ["0x3f80", "0x3f80", "0x3f82", "0x8000", "0x7f80"]
    assert np.isnan(tensor.from_bf16(bits)[5])
    assert tensor.from_bf16(bits)[6] == np.inf
    every = np.arange(1 << 16, dtype=np.uint16)
    finite = every[(every & 0x7F80) != 0x7F80]
    assert np.array_equal(tensor.to_bf16(tensor.from_bf16(finite)), finite)


def test_interleaved_pages_come_back(card):
    pages = np.random.default_rng(2).integers(0, 1 << 16, (23, 1024), dtype=np.uint16)
    tensor.write_interleaved(card, 0x10000, pages)
    assert np.array_equal(tensor.read_interleaved(card, 0x10000, 23, (1024,)), pages)
    assert card.read_dram(8 % 7, 0x10000 + 2048, 2048) == pages[8].tobytes()


def test_instructions_have_a_text():
    assert "addi" in bhemu.disassemble_riscv(0x00128293, 0)
    assert bhemu.disassemble_tensix(0x02000000).startswith("NOP")


def test_a_notebook_shows_the_grid_and_a_tile(card):
    card.write32((1, 2), 0, FOREVER)
    card.start_core((1, 2), "brisc")
    card.advance(1000)
    page = card._repr_html_()
    assert page.startswith("<p>P100A, cycle ") and page.count('class="bh-cell"') == 120
    assert 'data-tile="1-2" data-look="waits"' in page
    tile = card.tile(1, 2)._repr_html_()
    assert tile.count('class="bh-cell"') == 1
    assert "<th>BRISC</th><td>waits</td><td>nothing at all" in tile
