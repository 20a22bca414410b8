"""The modules that stand in for blackhole-py's: what its callers rely on."""

import errno
import os
import resource
import struct
import subprocess
import sys
from pathlib import Path

import bhemu
import pytest
from bhemu.blackhole_py import NODES, Card, insert, pcie, tlb
from bhemu.errors import FaultError, InputError

ROOT = Path(__file__).resolve().parents[2]
REGISTERS = 0xFFA00000
SOFT_RESET = 0xFFB121B0 - REGISTERS
MIB_2 = 1 << 21


@pytest.fixture
def device():
    insert(Card("p100a"))
    device = pcie.PCIDevice()
    yield device
    device.close()
    device.close()


@pytest.fixture
def fd():
    insert(Card("p100a"))
    fd = NODES.open("/dev/tenstorrent/0", os.O_RDWR)
    yield fd
    NODES.close(fd)


def test_a_p100a_has_118_cores_beside_those_of_the_queue_and_lacks_one_bank(device):
    assert len(device.cores) == len(set(device.cores)) == 118
    assert (14, 2) not in device.cores and (14, 3) not in device.cores
    assert {x for x, _ in device.cores} == {*range(1, 8), *range(10, 15)}
    assert device.harvested_dram_bank in range(8)
    assert device.card_type == "p100a"


@pytest.mark.parametrize("bank", [0, 3, 7])
def test_the_missing_bank_is_read_from_telemetry(bank):
    insert(Card("p100a", harvest_dram=str(bank)))
    device = pcie.PCIDevice(sysmem_size=4096)
    assert device.harvested_dram_bank == bank
    device.close()


def test_a_p150_has_all_banks_and_138_cores():
    insert(Card("p150"))
    device = pcie.PCIDevice(sysmem_size=4096)
    assert device.harvested_dram_bank is None and len(device.cores) == 138
    assert device.card_type.startswith("p150")
    device.close()


def test_a_gibibyte_of_shared_memory_costs_nothing_until_it_is_used(device):
    assert device.sysmem.size == 1 << 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 19  # KiB: half of it
    assert device.sysmem.noc_addr >> 60 == 1
    first, second = device.sysmem.alloc(100), device.sysmem.alloc(1)
    assert (first, second) == (0, device.sysmem.PAGE_SIZE)
    with pytest.raises(MemoryError):
        device.sysmem.alloc(1 << 30)


def test_host_and_card_see_the_same_memory(device):
    device.sysmem.write(256, b"from the host")
    with pcie.TLBWindow(device.fd, (19, 24)) as window:
        window.target(device.sysmem.noc_addr & -MIB_2)
        assert window.read(256, 13) == b"from the host"
        window.write(512, b"from the card")
    assert device.sysmem.read(512, 13) == bytes(device.sysmem.buffer[512:525]) == b"from the card"
    device.sysmem.flush()


def test_windows_take_any_size_and_alignment(device):
    with pcie.TLBWindow(device.fd, (1, 2)) as window:
        window.target(0)
        data = bytes(range(256)) * 33
        window.write(0x1003, data)
        assert window.read(0x1003, len(data)) == data
        window.write(0x1005, 0x7F, bytes=1)
        assert window.read(0x1004, 3) == bytes((1, 0x7F, 3))
        window.write(0x2000, 0x12345678)
        assert struct.unpack("<I", window.read(0x2000))[0] == 0x12345678
        with pytest.raises(OverflowError):
            window.write(0x2000, 1 << 32)
        with pytest.raises(InputError, match="outside the mapping"):
            window.read(MIB_2 - 2, 4)


def test_a_window_that_was_closed_says_so(device):
    window = pcie.TLBWindow(device.fd, (1, 2))
    window.target(0)
    window.close()
    with pytest.raises(ValueError, match=r"onto \(1, 2\) was closed"):
        window.read(0)
    with pytest.raises(ValueError, match="was closed"):
        window.write(0, 1)


def test_a_window_aimed_where_nothing_is_says_what_is_there(device):
    with pcie.TLBWindow(device.fd, (1, 2)) as window:
        window.target(0, (16, 2))
        with pytest.raises(InputError, match=r"fused off .*x 1 to 7 and 10 to 14"):
            window.read(0)
        window.target(1 << 21, (1, 2))
        with pytest.raises(InputError, match="L1 of a Tensix tile ends at 0x180000"):
            window.read(0)


def test_a_rectangle_as_target_is_a_multicast(device):
    with pcie.TLBWindow(device.fd, (1, 2)) as window:
        window.target(0, (1, 2), (3, 4))
        window.write(0x100, b"to nine of them!")
        for x in range(1, 5):
            for y in range(2, 6):
                window.target(0, (x, y))
                there = x <= 3 and y <= 4
                assert (window.read(0x100, 16) == b"to nine of them!") == there


def test_a_window_that_multicasts_reads_the_end_of_its_rectangle(device):
    with pcie.TLBWindow(device.fd, (3, 4)) as window:
        window.target(0)
        window.write(0x100, 77)
        window.target(0, (1, 2), (3, 4))
        assert window.read(0x100) == b"\x4d\0\0\0"


def test_requests_fail_as_the_driver_lets_them(device):
    window = pcie.TLBWindow(device.fd, (1, 2))
    with pytest.raises(OSError) as error:
        window.target(4096)
    assert error.value.errno == errno.EINVAL
    with pytest.raises(OSError) as error:
        pcie.FreeTlb(device.fd, id=window.id)
    assert error.value.errno == errno.EBUSY
    number = window.id
    window.close()
    with pytest.raises(OSError) as error:
        pcie.ConfigureTlb(device.fd, id=number, addr=0, start=(1, 2))
    assert error.value.errno == errno.EPERM
    with pytest.raises(OSError) as error:
        pcie.UnpinPages(device.fd, virtual_address=4096, size=4096)
    assert error.value.errno == errno.EINVAL


def test_201_windows_can_be_had(device):
    windows = [pcie.TLBWindow(device.fd, (1, 2)) for _ in range(201)]
    assert sorted(window.id for window in windows) == list(range(201))
    with pytest.raises(OSError) as error:
        pcie.TLBWindow(device.fd, (1, 2))
    assert error.value.errno == errno.ENOMEM
    for window in windows:
        window.close()


def test_settings_come_from_arguments_then_from_the_environment(monkeypatch):
    monkeypatch.setenv("BHEMU_BOARD", "p150")
    assert Card().board == "P150"
    assert Card("p100a").board == "P100A"
    monkeypatch.setenv("BHEMU_THREADS", "none")
    with pytest.raises(InputError, match="BHEMU_THREADS"):
        Card()
    monkeypatch.setenv("BHEMU_THREADS", "1")
    with pytest.raises(InputError, match="throw, report and exit"):
        Card(faults="never")


def test_a_fault_of_a_core_is_an_exception_at_the_next_access(device):
    with pcie.TLBWindow(device.fd, (1, 2)) as window:
        window.target(0)
        # lui a0, 1; loop: addi a0, a0, -1; bne a0, x0, loop; then no instruction
        window.write(0, struct.pack("<4I", 0x00001537, 0xFFF50513, 0xFE051EE3, 0xFFFFFFFF))
        window.target(REGISTERS)
        with pytest.raises(FaultError, match="riscv-illegal-instruction"):
            window.write(SOFT_RESET, 0x47000)
            while True:
                window.read(SOFT_RESET)
        with pytest.raises(FaultError):
            window.read(SOFT_RESET)
    assert "BRISC of tile (1, 2)" in NODES.card().failure


def test_an_access_that_nothing_answers_is_an_exception_and_the_card_goes_on(device):
    with pcie.TLBWindow(device.fd, (1, 2)) as window:
        window.target(0x40000000)
        with pytest.raises(InputError):
            window.read(0)
        window.target(0)
        window.write(0, 5)
        assert window.read(0) == b"\x05\0\0\0"


def test_a_client_that_looks_for_ever_at_a_word_of_its_own_is_told(capfd, monkeypatch):
    monkeypatch.setenv("BHEMU_HANG", "1")
    insert(Card("p100a"))
    device = pcie.PCIDevice(sysmem_size=4096)
    with pcie.TLBWindow(device.fd, (1, 2)) as l1, pcie.TLBWindow(device.fd, (1, 2)) as registers:
        l1.target(0)
        registers.target(REGISTERS)
        l1.write(0x10000, bytes(4))
        # It waits for a word that nobody writes, and would then set another.
        l1.write(0, struct.pack("<7I", 0x00010537, 0x00052583, 0xFE058EE3, 0x00020537, 0x00100613,
                                0x00C52023, 0x6F))
        registers.write(SOFT_RESET, struct.pack("<I", 0x47000))
        said = ""
        while "looked at L1[0x20000] of (1, 2)" not in said:
            for _ in range(1000):
                assert l1.read(0x20000, 4) == bytes(4)
            said += capfd.readouterr().err
    device.close()
    said += capfd.readouterr().err
    assert said.count("the client has looked at") == 1
    assert "First cause: BRISC of (1, 2) waits for L1[0x10000]" in said and "Remedy: " in said


def test_report_mode_reads_all_ones_after_a_fault():
    insert(Card("p100a", faults="report"))
    device = pcie.PCIDevice(sysmem_size=4096)
    with pcie.TLBWindow(device.fd, (1, 2)) as window:
        window.target(0)
        window.write(0, 0xFFFFFFFF)
        window.target(REGISTERS)
        window.write(SOFT_RESET, 0x47000)
        while window.read(SOFT_RESET) != b"\xff\xff\xff\xff":
            pass
    device.close()


# --- The January 2026 generation.


def test_a_window_moves_where_it_is_told_to_write_and_back(fd):
    config = tlb.TLBConfig(addr=0, start=(1, 2), end=(1, 2), mode=tlb.TLBMode.STRICT)
    with tlb.TLBWindow(fd, tlb.TLBSize.MiB_2, config) as window:
        window.write(0x100, b"abcd" * 8)
        assert window.uc[0x100:0x108] == window.wc[0x100:0x108] == b"abcdabcd"
        assert window.uc[0x101] == ord("b")
        window.wc[0x101] = 0x20
        assert window.readi32(0x100) == int.from_bytes(b"a cd", "little")
        window.write(0xFFB121B0, (0x47800).to_bytes(4, "little"), use_uc=True)
        assert window.config.addr == 0 and window.uc[0x100] == ord("a")
        window.write(0xFFB121B0, (0x47800).to_bytes(4, "little"), use_uc=True, restore=False)
        assert window.config.addr == REGISTERS and window.readi32(SOFT_RESET) == 0x47800
        with pytest.raises(AssertionError):
            window.configure(tlb.TLBConfig(addr=4096, start=(1, 2), end=(1, 2)))
        with pytest.raises(IndexError):
            window.uc[0:4] = b"abc"
        with pytest.raises(IndexError):
            window.uc[MIB_2]
    with pytest.raises(ValueError):
        window.uc[0]


def test_a_window_without_a_target_refuses(fd):
    with tlb.TLBWindow(fd, tlb.TLBSize.GiB_4) as window:
        with pytest.raises(RuntimeError, match="no active config"):
            window.write(0, b"x")
        with pytest.raises(ValueError, match="start/end"):
            window.configure(tlb.TLBConfig(addr=0))


def test_noc_1_counts_from_the_other_corner():
    config = tlb.TLBConfig(addr=0, start=(1, 2), end=(16, 11), noc=1, mode=tlb.TLBMode.POSTED)
    fields = config.to_struct()
    assert (fields.x_start, fields.y_start, fields.x_end, fields.y_end) == (15, 9, 0, 0)
    assert (fields.noc, fields.mcast, fields.ordering, fields.linked) == (1, 0, 2, 0)


def test_a_large_window_reaches_all_of_a_bank(fd):
    config = tlb.TLBConfig(addr=0, start=(0, 11), end=(0, 11))
    with tlb.TLBWindow(fd, tlb.TLBSize.GiB_4, config) as window:
        window.wc[(1 << 32) - 64 : 1 << 32] = bytes(range(64))
        window.configure(tlb.TLBConfig(addr=0, start=(0, 0), end=(0, 0)))
        assert window.wc[(1 << 32) - 2 : 1 << 32] == b"\x3e\x3f"


# --- Programs.


def run(tmp_path, program, *options, **environment):
    path = tmp_path / "program.py"
    path.write_text(program)
    python_path = os.pathsep.join([str(Path(bhemu.__file__).parents[1]),
                                   os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "bhemu.blackhole_py", *options, str(path), "one", "two"],
        env={**os.environ, **environment, "PYTHONPATH": python_path}, capture_output=True,
        text=True)


def test_a_program_imports_pcie_and_gets_the_emulated_card(tmp_path):
    (tmp_path / "pcie.py").write_text("raise SystemExit('the real one')")
    done = run(tmp_path, """
import sys
from pcie import PCIDevice, TLBWindow, Sysmem, BumpAllocator
from pcie import AllocateTlb, FreeTlb, ConfigureTlb, PinPages, UnpinPages, SetPowerState
device = PCIDevice(0, 1 << 20)
print(len(device.cores), *sys.argv[1:])
device.close()
""", "--board", "p150")
    assert done.stderr == "" and done.stdout == "138 one two\n"


def test_a_driver_that_opens_the_device_itself_is_served_in_its_process(tmp_path):
    done = run(tmp_path, """
import fcntl, mmap, os, struct
from pathlib import Path
print(os.listdir("/dev/tenstorrent"), os.listdir("/sys/class/tenstorrent/"))
print(Path("/sys/class/tenstorrent/tenstorrent!0/tt_card_type").read_text().strip())
fd = os.open("/dev/tenstorrent/0", os.O_RDWR | os.O_CLOEXEC)
info = bytearray(4 + 20)
info[0] = 20
fcntl.ioctl(fd, 0xFA00, info, True)
print(hex(struct.unpack_from("<H", info, 8)[0]), hex(struct.unpack_from("<H", info, 10)[0]))
mappings = bytearray(8 + 6 * 24)
mappings[0] = 6
fcntl.ioctl(fd, 0xFA02, mappings, True)
base, size = struct.unpack_from("<QQ", mappings, 8 + 8)
bar = mmap.mmap(fd, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ, offset=base)
print(len(bar) == 512 << 20, bar[0x1FC00000 + 201 * 12 : 0x1FC00004 + 201 * 12].hex() != "")
bar.close()
ordinary = mmap.mmap(-1, 4096)
ordinary[0:3] = b"abc"
print(ordinary[0:3], isinstance(ordinary, mmap.mmap))
try:
    fcntl.ioctl(fd, 0xFA01, bytearray(8), True)
except OSError as error:
    print(error.errno)
os.close(fd)
try:
    os.close(fd)
except OSError as error:
    print(error.errno)
for path in ("/dev/tenstorrent/1", "/sys/class/tenstorrent/tenstorrent!0/nothing"):
    try:
        os.open(path, os.O_RDWR) if "dev" in path else open(path)
    except FileNotFoundError as error:
        print("none")
""", BHEMU_BOARD="p100a")
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "['0'] ['tenstorrent!0']", "p100a", "0x1e52 0xb140", "True True", "b'abc' True",
        str(errno.EINVAL), str(errno.EBADF), "none", "none"]


def test_a_fault_ends_a_program_with_its_report(tmp_path):
    done = run(tmp_path, """
from pcie import PCIDevice, TLBWindow
device = PCIDevice(sysmem_size=4096)
with TLBWindow(device.fd, (1, 2)) as window:
    window.target(0)
    window.write(0, 0xFFFFFFFF)
    window.target(0xFFA00000)
    window.write(0x1121B0, 0x47000)
    while True:
        pass
""")
    assert done.returncode == 1
    assert "FaultError: First cause: BRISC of (1, 2)" in done.stderr
    assert "BRISC of tile (1, 2)" in done.stderr


LISTING = """
00005880 <_start>:
    5880:  fc010113            addi  sp,sp,-64
    5884:  8481a703            lw  a4,-1976(gp) # ffb00038 <rta_l1_base>
    5888:  00072683            lw  a3,0(a4)
    588c:  00472b03            lw  s6,4(a4)

00005890 <.L1>:
    5890:  00472b03            lw  s6,4(a4)
"""


def test_kernels_are_made_from_listings_with_their_arguments_put_in(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "listings"))
    import codegen

    words = struct.unpack("<5I", codegen.image(LISTING, {1: 64}))
    assert words == (0xFC010113, 0x8481A703, 0x00072683, 0x04000B13, 0x00472B03)
    assert struct.unpack("<5I", codegen.image(LISTING, {0: 0x3F800000}))[2] == 0x3F8006B7
    for broken in (LISTING.replace("5884:", "5886:"), LISTING.replace("rta_l1_base", "other")):
        with pytest.raises(ValueError):
            codegen.image(broken, {1: 64})


@pytest.fixture
def add_1():
    """(blackhole-py of January 2026, environment); skips where they are not to be had."""
    folder = os.environ.get("BHEMU_BLACKHOLE_PY_DIR")
    if not folder or "BHEMU_ADD1_LISTINGS" not in os.environ:
        pytest.skip("BHEMU_BLACKHOLE_PY_DIR (blackhole-py of January 2026) and "
                    "BHEMU_ADD1_LISTINGS (disassembly listings of its kernels) are not set")
    if sys.version_info < (3, 12):
        pytest.skip("blackhole-py needs Python 3.12")
    return Path(folder)


ADD_1 = """
import runpy, sys
sys.path[1:1] = [{listings!r}, {folder!r}]
runpy.run_path({main!r}, run_name="__main__")
"""


def add_1_program(folder):
    return ADD_1.format(listings=str(Path(__file__).parent / "listings"), folder=str(folder),
                        main=str(folder / "main.py"))


def test_add_1_with_the_real_firmware_and_kernels(tmp_path, add_1):
    """blackhole-py's main.py of January 2026, unchanged, on 64 tiles."""
    done = run(tmp_path, add_1_program(add_1), "--board", "p100a")
    assert done.stderr == "" and done.stdout.endswith("Test Passed\n")


def test_add_1_through_the_shim(tmp_path, add_1):
    """The same, with nothing of ours in the process but what is preloaded."""
    command = os.environ.get("BHEMU_COMMAND")
    if not command:
        pytest.skip("BHEMU_COMMAND (the command bhemu) is not set")
    program = tmp_path / "program.py"
    program.write_text(add_1_program(add_1))
    done = subprocess.run([command, "shim", "--board", "p100a", "--", sys.executable, str(program)],
                          capture_output=True, text=True)
    assert done.stderr == "" and done.stdout.endswith("Test Passed\n")


ASKED = """
import os, signal, struct, sys, time
from bhemu.blackhole_py import Card, insert, pcie

insert(Card("p100a"))
device = pcie.PCIDevice()
with pcie.TLBWindow(device.fd, (1, 2)) as window:
    window.target(0)
    window.write(0x10000, 0)
    # lui x8, 0x10; lw x9, 0(x8); beq x9, x0, -4; jal x0, 0
    window.write(0, struct.pack("<4I", 0x00010437, 0x00042483, 0xFE048EE3, 0x0000006F))
    window.target(0xFFA00000)
    window.write(0xFFB121B0 - 0xFFA00000, 0x47000)
    time.sleep(0.1)
    try:
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
        while sys.argv[1] == "SIGINT":
            pass
        time.sleep(1)  # the report is printed by another thread
    except KeyboardInterrupt:
        print("interrupted")
    window.target(0)
    window.write(0x10000, 1)
print("went on" if sys.argv[1] == "SIGUSR1" else "ended")
device.close()
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


@pytest.mark.parametrize("name, says", [("SIGUSR1", "went on"), ("SIGINT", "interrupted\nended")])
def test_a_signal_to_a_client_prints_where_everything_stands(name, says):
    done = subprocess.run([sys.executable, "-c", ASKED, name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == says
    assert "BRISC of (1, 2)" in done.stderr and "L1[0x10000]" in done.stderr
