#!/usr/bin/env python3
"""Names and addresses of registers in the headers of tt-metal and tt-umd, and the pages of the
ISA documentation, as rows of tools/coverage/names.def; or, with --check, which of them the tables
here lack.

Checkouts are named by BHEMU_TT_METAL_DIR, BHEMU_UMD_DIR and BHEMU_ISA_DOCS_DIR. tt-llk has no
register headers of its own: it takes tt-metal's. Without any of them --check leaves with status
77: skipped.
Only facts are taken: a name, the file that has it, an address.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
BLACKHOLE = "tt_metal/hw/inc/internal/tt-1xx/blackhole/"
ETHERNET = "tt_metal/hw/inc/internal/ethernet/"
NIU = 0xFFB20000
OVERLAY = 0xFFB40000


def read(directory, path):
    with open(os.path.join(directory, path)) as file:
        return file.read().replace("\\\n", " ")


def defines(text):
    """Name -> body of each macro; arguments of function-like ones become 0."""
    found = {}
    pattern = r"^[ \t]*#define[ \t]+(\w+)(\([^)]*\))?[ \t]+(.+)$"
    for name, arguments, body in re.findall(pattern, text, re.M):
        body = re.sub(r"//.*|/\*.*?\*/", "", body)
        for argument in re.findall(r"\w+", arguments):
            body = re.sub(r"\b%s\b" % argument, "0", body)
        found[name] = body
    return found


def value(body, names, depth=0):
    """The number that a body stands for, or None."""
    casts = r"\((?:volatile )?uint\w+_t(?: volatile)?\s*\*\)|\(uint\w+_t\)|(?<=\d)[uUlL]+"
    body = re.sub(casts, "", body)
    body = re.sub(r"(?<=[0-9A-Fa-f])'(?=[0-9A-Fa-f])", "", body)
    for name in set(re.findall(r"\b[A-Za-z_]\w*", body)):
        inner = names.get(name)
        number = value(inner, names, depth + 1) if inner is not None and depth < 9 else None
        if number is None:
            return None
        body = re.sub(r"\b%s\b" % name, str(number), body)
    if not re.fullmatch(r"[\sxX0-9A-Fa-f()+\-*|<>&~]+", body):
        return None
    try:
        return eval(body)  # only digits and operators are left
    except (SyntaxError, TypeError):
        return None


def in_tile(number):
    return number is not None and 0xFFB00000 <= number <= 0xFFFFFFFF


def of_tensix_h(directory):
    names = defines(read(directory, BLACKHOLE + "tensix.h"))
    pic = {"RISC_PIC_BASE_PTR": names.pop("RISC_PIC_BASE_PTR", None)}
    for name, body in names.items():
        number = value(body, names)
        if name.startswith("RISC_PIC_") and "RISC_PIC_BASE_PTR" in body and pic:
            number = 0xFFB13000 + 4 * int(re.search(r"\+\s*(\d+)", body).group(1))
        if in_tile(number):
            yield "tensix.h", name, "Tile", number


def of_dev_mem_map(directory):
    names = defines(read(directory, BLACKHOLE + "dev_mem_map.h"))
    for name, body in names.items():
        number = value(body, names)
        if in_tile(number):
            yield "dev_mem_map.h", name, "Tile", number


STATUS = r"NIU_(MST|SLV)_\w+|NIU_TRANS_COUNT_RTZ_(NUM|SOURCE)"
CONFIG = (r"NIU_CFG_0|ROUTER_CFG_\d|NOC_[XY]_ID_TRANSLATE_TABLE_\d|NOC_ID_(LOGICAL|TRANSLATE_\w+)|"
          r"MEMORY_SHUTDOWN_CONTROL|DDR_COORD_TRANSLATE_(TABLE_\d|COL_SWAP)|DEBUG_COUNTER_RESET|"
          r"NIU_TRANS_COUNT_RTZ_(CFG|CLR)")
# Names of fields and codes, and the register that has them.
FIELDS = ((r"NIU_CFG_0_\w+", 0x100), (r"ROUTER_CFG_0_\w+", 0x104),
          (r"NOC_CMD_(?!CTRL|BUF)\w+", 0x1C),
          (r"NOC_CTRL_S\w+", 0x40), (r"NOC_AT_(INS|IND|WRAP|TILE|ACC)\w*", 0x20),
          (r"NOC_PACKET_TAG_\w+", 0x18), (r"MEMORY_(SD|DSLP|DSLPLV)_BIT", 0x14C),
          (r"DDR_COORD_TRANSLATE_COL_SEL_(EAST|WEST)", 0x16C),
          (r"ROUTER_OUTGOING_FLIT_COUNTER_BIT|CMD_BUFFER_FIFO_OVFL_CLEAR_BIT", 0x174))


def of_noc_parameters(directory):
    names = defines(read(directory, BLACKHOLE + "noc/noc_parameters.h"))
    for name, body in names.items():
        number = value(body, names)
        if re.fullmatch(STATUS, name) and number is not None:
            number = NIU + 0x200 + 4 * number
        elif re.fullmatch(CONFIG, name) and number is not None:
            number = NIU + 0x100 + 4 * number
        else:
            for pattern, offset in FIELDS:
                if re.fullmatch(pattern, name):
                    number = NIU + offset
        if in_tile(number):
            yield "noc_parameters.h", name, "Tile", number


def of_overlay(directory):
    text = read(directory, BLACKHOLE + "noc/noc_overlay_parameters.h")
    register = None
    for name, body in re.findall(r"^[ \t]*#define[ \t]+(\w+)[ \t]+(.+)$", text, re.M):
        if name.endswith("_REG_INDEX"):
            register = int(body.split("//")[0].strip(" ()"), 0)
            yield "noc_overlay_parameters.h", name, "Tile", OVERLAY + 4 * register
        elif register is not None and name + "_WIDTH" in text and not name.endswith("_WIDTH"):
            yield "noc_overlay_parameters.h", name, "Tile", OVERLAY + 4 * register


def of_umd(directory):
    text = read(directory, "device/api/umd/device/arch/blackhole_implementation.hpp")
    names = dict(re.findall(r"constexpr\s+\w+\s+(\w+)\s*=\s*([^;]+);", text))
    for name, body in names.items():
        number = value(body, names)
        if number is None:
            continue
        if re.match(r"ARC_RESET_|SCRATCH_RAM_|ARC_FW_INT_ADDR", name) and number < 0x100000:
            yield "blackhole_implementation.hpp", name, "Arc", 0x80000000 + number
        elif 0x1FC00000 <= number < 0x20000000:
            yield "blackhole_implementation.hpp", name, "Bar0", number
        elif 0x80000000 <= number < 0x80100000 and "SOFT_RESET" not in name:
            yield "blackhole_implementation.hpp", name, "Arc", number
        elif in_tile(number):
            yield "blackhole_implementation.hpp", name, "Tile", number


def of_ethernet(directory):
    names = defines(read(directory, ETHERNET + "tt_eth_ss_regs.h"))
    starts = (("ETH_TXQ_", 0xFFB90000), ("ETH_RXQ_", 0xFFB92000), ("ETH_CORE_", 0xFFB94000),
              ("ETH_RISC_", 0xFFB10000))
    for name, body in names.items():
        number = value(body, names)
        for prefix, start in starts:
            if name.startswith(prefix) and number is not None and number < 0x10000:
                if not re.search(r"_SIZE(_BIT)?$|_CTRL_|_CMD_|_STATUS_|_START_", name):
                    yield "tt_eth_ss_regs.h", name, "Ethernet", start + number
    for name, body in defines(read(directory, BLACKHOLE + "eth_fw_api.h")).items():
        if in_tile(value(body, {})) and name.endswith("_REG_ADDR"):
            yield "eth_fw_api.h", name, "Ethernet", value(body, {})


def all_names():
    metal, umd = os.environ.get("BHEMU_TT_METAL_DIR"), os.environ.get("BHEMU_UMD_DIR")
    if metal:
        for one in (of_tensix_h, of_dev_mem_map, of_noc_parameters, of_overlay, of_ethernet):
            yield from one(metal)
    if umd:
        yield from of_umd(umd)


def fields_of_cfg_defines(directory):
    text = read(directory, BLACKHOLE + "cfg_defines.h")
    numbers = dict(re.findall(r"#define (\w+) (\w+)$", text, re.M))
    for name in re.findall(r"#define (\w+)_ADDR32 ", text):
        if name + "_MASK" in numbers:
            mask = int(numbers[name + "_MASK"], 0)
            low = int(numbers[name + "_SHAMT"], 0)
            yield name, int(numbers[name + "_ADDR32"], 0), low, bin(mask).count("1")


def pages(directory):
    for folder, _, files in os.walk(directory):
        for file in files:
            path = os.path.relpath(os.path.join(folder, file), directory)
            if file.endswith(".md") and re.match(r"BlackholeA0/|WormholeB0/|Miscellaneous/", path):
                yield path


def check():
    known = open(os.path.join(HERE, "names.def")).read()
    missing = []
    if not any(os.environ.get(one) for one in
               ("BHEMU_TT_METAL_DIR", "BHEMU_UMD_DIR", "BHEMU_ISA_DOCS_DIR")):
        print("set BHEMU_TT_METAL_DIR, BHEMU_UMD_DIR or BHEMU_ISA_DOCS_DIR to compare with them")
        return 77
    for file, name, space, number in all_names():
        if 'NAME("%s", "%s", %s, 0x%08X)' % (file, name, space, number) not in known:
            missing.append("%s: %s at 0x%08X" % (file, name, number))
    if os.environ.get("BHEMU_TT_METAL_DIR"):
        config = open(os.path.join(ROOT, "src/tensix/config.def")).read()
        for name, word, low, width in fields_of_cfg_defines(os.environ["BHEMU_TT_METAL_DIR"]):
            if "CFG(%s, %d, %d, %d)" % (name, word, low, min(width, 32)) not in config:
                missing.append("cfg_defines.h: %s in word %d" % (name, word))
    if os.environ.get("BHEMU_ISA_DOCS_DIR"):
        rows = open(os.path.join(HERE, "pages.def")).read()
        of_blackhole = set(re.findall(r'"BlackholeA0/([^"]+)"', rows))
        for page in pages(os.environ["BHEMU_ISA_DOCS_DIR"]):
            superseded = page.startswith("WormholeB0/") and page[11:] in of_blackhole
            if '"%s"' % page not in rows and not superseded:
                missing.append("page %s" % page)
    for one in missing:
        print("no row:", one)
    return 1 if missing else 0


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    seen = set()
    print("// Names that headers of tt-metal and tt-umd give to addresses:\n"
          "// NAME(file, name, space, address). Made by tools/coverage/collect.py from checkouts;\n"
          "// an array has a row for its first element.\n"
          "// clang-format off")
    for row in all_names():
        if row not in seen:
            seen.add(row)
            print('NAME("%s", "%s", %s, 0x%08X)' % row)
    return 0


sys.exit(main())
