import struct

import bhemu_device

# How far the device runs between two looks of the host at it.
POLL_CYCLES = 5000

REGISTERS = {"RISCV_DEBUG_REG_SOFT_RESET_0": bhemu_device.SOFT_RESET_0}


class TTException(Exception):
    pass


class ParsedElfFile:
    pass


class _RegisterStore:
    def read_register(self, name):
        return bhemu_device.current().read_word(REGISTERS[name])

    def write_register(self, name, value):
        bhemu_device.current().write_word(REGISTERS[name], value)


class _RiscDebug:
    def is_ebreak_hit(self):
        return False  # an EBREAK is a fault here, and raised at once


class _Block:
    def get_register_store(self):
        return _RegisterStore()

    def get_risc_debug(self, risc_name, neo_id=None):
        return _RiscDebug()


class _Registers:
    general_purpose_registers = []


class _Device:
    _arch = "blackhole"

    def get_block(self, coordinate):
        return _Block()

    def get_tensix_registers_description(self):
        return _Registers()


class _Context:
    devices = {0: _Device()}


def check_context(context=None):
    return _Context()


def convert_coordinate(location, device_id=0, context=None):
    return location


def read_from_device(location, addr, device_id=0, num_bytes=4, **_):
    return bhemu_device.current().read(addr, num_bytes)


def read_words_from_device(location, addr, device_id=0, word_count=1, **_):
    data = bhemu_device.current().read(addr, 4 * word_count)
    return list(struct.unpack(f"<{word_count}I", data))


def read_word_from_device(location, addr, device_id=0, *_, **__):
    """Hosts poll with this one, so it lets time pass first."""
    device = bhemu_device.current()
    device.run(POLL_CYCLES)
    return device.read_word(addr)


def write_to_device(location, addr, data, *_, **__):
    bhemu_device.current().write(addr, bytes(data))


def write_words_to_device(location, addr, data, *_, **__):
    words = data if isinstance(data, (list, tuple)) else [data]
    packed = struct.pack(f"<{len(words)}I", *(word & 0xFFFFFFFF for word in words))
    bhemu_device.current().write(addr, packed)


def load_elf(elf_file, location, risc_name, return_start_address=False, **_):
    entry = bhemu_device.current().load_elf(elf_file, risc_name)
    return entry if return_start_address else None


def arc_msg(*_, **__):
    return [0, 0, 0]


def parse_elf(*_):
    raise NotImplementedError("only coverage builds ask for this")


def callstack(*_, **__):
    return []


def get_tensix_state(*_, **__):
    raise NotImplementedError("dumps of the coprocessor are not offered")
