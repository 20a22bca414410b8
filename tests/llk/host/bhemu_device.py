"""One emulated Tensix tile, through the C API of libbhemu.so."""

import ctypes
import json
import os
import struct
from pathlib import Path

SOFT_RESET_0 = 0xFFB121B0
DBG_FEATURE_DISABLE = 0xFFB12068
TRISC_RESET_PC = 0xFFB12228  # three words
TRISC_RESET_PC_OVERRIDE = 0xFFB12234
LOCAL_MEMORY = 0xFFB00000

OK, HANG, FAULT, LIMIT = 0, 3, 4, 5


class Failure(Exception):
    """The program on the device broke a rule, hangs, or ran for too long."""


class Options(ctypes.Structure):
    _fields_ = [
        ("board", ctypes.c_int),
        ("harvested_dram", ctypes.c_uint32),
        ("harvested_columns", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("reference_timing", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
    ]


class Fault(ctypes.Structure):
    _fields_ = [
        ("rule", ctypes.c_char_p),
        ("is_error", ctypes.c_int),
        ("x", ctypes.c_uint32),
        ("y", ctypes.c_uint32),
        ("agent", ctypes.c_char_p),
        ("pc", ctypes.c_uint32),
        ("cycle", ctypes.c_uint64),
        ("text", ctypes.c_char_p),
    ]


def load_library():
    library = ctypes.CDLL(os.environ["BHEMU_LIBRARY"])
    pointer, u32, u64, size = (
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.c_uint64,
        ctypes.c_size_t,
    )
    library.bhemu_last_error.restype = ctypes.c_char_p
    library.bhemu_default_options.restype = Options
    library.bhemu_create.argtypes = [ctypes.POINTER(Options)]
    library.bhemu_create.restype = pointer
    library.bhemu_destroy.argtypes = [pointer]
    library.bhemu_destroy.restype = None
    library.bhemu_tensix_tiles.argtypes = [pointer, ctypes.c_char_p, ctypes.c_char_p, size]
    library.bhemu_tensix_tiles.restype = size
    for name in ("bhemu_read", "bhemu_write"):
        getattr(library, name).argtypes = [pointer, u32, u32, u64, ctypes.c_char_p, size]
    library.bhemu_set_rule.argtypes = [pointer, ctypes.c_char_p, ctypes.c_int]
    library.bhemu_run.argtypes = [pointer, u64, pointer, pointer]
    library.bhemu_fault_count.argtypes = [pointer]
    library.bhemu_fault_count.restype = size
    library.bhemu_get_fault.argtypes = [pointer, size, ctypes.POINTER(Fault)]
    library.bhemu_cycle.argtypes = [pointer]
    library.bhemu_cycle.restype = u64
    library.bhemu_hash.argtypes = [pointer]
    library.bhemu_hash.restype = u64
    return library


class Device:
    """The first Tensix tile of a fresh board; everything else stays in reset."""

    def __init__(self):
        self.library = load_library()
        options = self.library.bhemu_default_options(0)
        options.reference_timing = int(os.environ.get("BHEMU_LLK_REFERENCE", "0"))
        self.handle = self.library.bhemu_create(ctypes.byref(options))
        if not self.handle:
            raise Failure(self.error())
        # LLK's tests switch it on, and their tolerances take either rounding; how the chip draws
        # its random numbers there is written nowhere, so bhemu rounds to nearest and says so.
        self.library.bhemu_set_rule(self.handle, b"fpu-stochastic-rounding", 1)
        x, y = ctypes.create_string_buffer(1), ctypes.create_string_buffer(1)
        self.library.bhemu_tensix_tiles(self.handle, x, y, 1)
        self.x, self.y = x.raw[0], y.raw[0]
        # What other tests, which ran before on the same card, have left there.
        left = int(os.environ.get("BHEMU_LLK_FEATURE_DISABLE", "0"), 0)
        if left:
            self.write_word(DBG_FEATURE_DISABLE, left)

    def close(self):
        self.library.bhemu_destroy(self.handle)
        self.handle = None

    def warnings(self):
        """What was reported of the program though it went on: "rule: text", each once."""
        fault, found = Fault(), []
        for index in range(self.library.bhemu_fault_count(self.handle)):
            self.library.bhemu_get_fault(self.handle, index, ctypes.byref(fault))
            if not fault.is_error:
                found.append(f"{fault.rule.decode()}: {fault.agent.decode()} {fault.text.decode()}")
        return sorted(set(found))

    def error(self):
        return self.library.bhemu_last_error().decode()

    def read(self, address, count):
        data = ctypes.create_string_buffer(count)
        if self.library.bhemu_read(self.handle, self.x, self.y, address, data, count) != OK:
            raise Failure(self.error())
        return data.raw

    def write(self, address, data):
        data = bytes(data)
        status = self.library.bhemu_write(
            self.handle, self.x, self.y, address, data, len(data)
        )
        if status != OK:
            raise Failure(self.error())

    def read_word(self, address):
        return struct.unpack("<I", self.read(address, 4))[0]

    def write_word(self, address, value):
        self.write(address, struct.pack("<I", value & 0xFFFFFFFF))

    def run(self, cycles):
        """Runs for `cycles`; a fault or a hang is raised."""
        status = self.library.bhemu_run(self.handle, cycles, None, None)
        if status not in (OK, LIMIT):
            raise Failure(self.error())

    def cycle(self):
        return self.library.bhemu_cycle(self.handle)

    def load_elf(self, path, core):
        """Puts the sections where tt-exalens puts them, and `core`'s start address on its entry.

        What belongs into a core's local memory goes to its .loader_init section in L1, from where
        the program's own start-up code copies it.
        """
        sections = elf_sections(Path(path).read_bytes())
        staging = sections[".loader_init"][0]
        for name in (".init", ".text", ".ldm_data"):
            address, data = sections.get(name, (0, b""))
            if address >= LOCAL_MEMORY:
                address += staging - LOCAL_MEMORY
            if data:
                self.write(address, data)
        entry = sections[".init"][0]
        if core == "brisc":
            if entry != 0:
                raise Failure(f"{path}: BRISC starts at 0, not at {entry:#x}")
            return entry
        index = int(core[-1])
        override = self.read_word(TRISC_RESET_PC_OVERRIDE)
        self.write_word(TRISC_RESET_PC_OVERRIDE, override | 1 << index)
        self.write_word(TRISC_RESET_PC + 4 * index, entry)
        return entry


def elf_sections(image):
    """{name: (address, bytes)} of a 32-bit little-endian ELF file."""
    (table,) = struct.unpack_from("<I", image, 0x20)
    size, count, names = struct.unpack_from("<HHH", image, 0x2E)
    headers = [struct.unpack_from("<IIIIII", image, table + i * size) for i in range(count)]
    strings = headers[names][4]
    sections = {}
    for name, kind, _, address, offset, length in headers:
        start = strings + name
        text = image[start : image.index(b"\0", start)].decode()
        has_data = kind not in (0, 8)  # neither an empty entry nor one without bytes
        sections[text] = (address, image[offset : offset + length] if has_data else b"")
    return sections


_current = None


def current():
    global _current
    if _current is None:
        _current = Device()
    return _current


def state():
    """What the board in use has come to, as a hash of all that a program could see; or None."""
    return None if _current is None else f"{_current.library.bhemu_hash(_current.handle):016x}"


def findings(races):
    """Warnings of the board in use, and with `races`, which then throws the board away, what the
    race detector has written into that file."""
    found = _current.warnings() if _current is not None else []
    if races:
        reset()
        if races.exists():
            for one in json.loads(races.read_text())["findings"]:
                found.append(f"{one['kind']}: {one['where']}, {one['missing']}")
            races.unlink()
    return found


def reset():
    """Throws the board away: the next use makes a fresh one."""
    global _current
    if _current is not None:
        _current.close()
    _current = None
