// Pages about addresses and registers: docs/registers/*.md.
#include "doc_markdown.hpp"
#include "doc_pages.hpp"
#include "eth/registers.hpp"

namespace bhemu::docs {
namespace {

struct Register {
  const char* name;
  unsigned offset;
  unsigned count;
  const char* access;
  const char* kind;
  const char* reset;
  const char* meaning;
};

constexpr const char* kKinds =
    "`Storage` reads back what was written; a write to a `Trigger` acts; a `Live` register is\n"
    "computed when read; `Refused` raises a fault; `WithoutEffect` is stored and warns. An address "
    "without a row is a fault, too.\n\n";

std::string register_table(const std::vector<Register>& registers) {
  std::string text = table_head({"offset", "register", "access", "kind", "reset", "meaning"});
  for (const Register& one : registers) {
    const std::string name = one.count == 1 ? fmt::format("`{}`", one.name)
                                            : fmt::format("`{}` ({} words)", one.name, one.count);
    text += row({fmt::format("0x{:03X}", one.offset), name, one.access, one.kind,
                 code_cell(one.reset), cell(one.meaning)});
  }
  return text;
}

struct ConfigField {
  const char* name;
  unsigned word;
  unsigned low;
  unsigned width;
};

std::string config_table(const std::vector<ConfigField>& fields) {
  std::string text = table_head({"word", "bits", "field"});
  for (const ConfigField& field : fields) {
    const std::string bits = field.width == 1
                                 ? std::to_string(field.low)
                                 : fmt::format("{}:{}", field.low + field.width - 1, field.low);
    text += row({std::to_string(field.word), bits, code_cell(field.name)});
  }
  return text;
}

}  // namespace

std::string address_map_page() {
  std::string page = page_head("Address map of a Tensix tile", "src/tile/regions.def");
  page +=
      "Who may access a region: `B` BRISC, `N` NCRISC, `T` the three TRISCs; the last column says\n"
      "whether it answers over the NoC, and to the host, too.\n\n";
  page += table_head({"first", "last", "region", "cores", "NoC", "what"});
  const auto add = [&page](const char* name, unsigned first, unsigned last, std::string_view cores,
                           bool noc, const char* meaning) {
    const std::string who = cores == "kAll"  ? "B N T"
                            : cores == "kBT" ? "B T"
                                             : std::string(cores.substr(1));
    page += row({fmt::format("0x{:08X}", first), fmt::format("0x{:08X}", last), name, who,
                 noc ? "yes" : "", cell(meaning)});
  };
#define REGION(name, first, last, cores, noc, meaning) \
  add(#name, first, last, #cores, noc, meaning);
#include "tile/regions.def"
#undef REGION
  return page;
}

std::string debug_registers_page() {
  const std::vector<Register> registers = {
#define REG(name, offset, tiles, access, kind, reset, meaning) \
  {#name, offset, 1, #access, #kind, #reset, meaning},
#include "tile/debug.def"
#undef REG
  };
  std::string shared;
#define REG(name, offset, tiles, access, kind, reset, meaning) \
  if (std::string_view(#tiles) == "Both")                      \
    shared += (shared.empty() ? "`" : ", `") + std::string(#name "`");
#include "tile/debug.def"
#undef REG
  return page_head("Tile control, debug and status registers", "src/tile/debug.def") +
         "Offsets from 0xFFB12000.\n\n" + kKinds + "An Ethernet tile has, of these, " + shared +
         ".\n\n" + register_table(registers);
}

std::string ethernet_page() {
  std::string page = page_head("Ethernet tiles", "src/eth/registers.def");
  page +=
      "Two cores, ERISC0 and ERISC1, with 8 KiB of local memory each that nobody else reaches; "
      "both\n"
      "may go everywhere. The NoC, and the host, reach all but local memory.\n\n"
      "## Address map (`src/tile/ethernet_regions.def`)\n\n";
  page += table_head({"first", "last", "region", "NoC", "what"});
#define SHARED_REGION(name, first, last, cores, noc, meaning)                        \
  page += row({fmt::format("0x{:08X}", first), fmt::format("0x{:08X}", last), #name, \
               noc ? "yes" : "", cell(meaning)});
#define REGION SHARED_REGION
#include "tile/ethernet_regions.def"
#undef REGION
#undef SHARED_REGION
  page +=
      "\nRegisters are 32-bit words. Letters name the source where it is not the documents: TM\n"
      "tt-metal, EX tt-exalens, Z tt-zephyr-platforms. `Unmodelled` raises a fault at any access,\n"
      "`Refused` when anything but 0 is written.\n";
  for (const eth::BlockInfo& block : eth::blocks()) {
    page += fmt::format("\n## {}\n\nFrom 0x{:08X}", block.meaning, block.first);
    page += block.copies > 1
                ? fmt::format(", {} times, 0x{:X} bytes apart.\n\n", block.copies, block.stride)
                : ".\n\n";
    std::vector<Register> registers;
    std::vector<std::string> resets;
    for (const eth::RegisterInfo& info : eth::registers())
      if (&eth::info_of(info.block) == &block) resets.push_back(fmt::format("{:#x}", info.reset));
    std::size_t i = 0;
    constexpr const char* kAccess[] = {"RW", "RO", "WO"};
    constexpr const char* kKind[] = {"Storage", "Trigger", "Live", "Refused", "Unmodelled"};
    for (const eth::RegisterInfo& info : eth::registers())
      if (&eth::info_of(info.block) == &block)
        registers.push_back(
            {info.name, info.offset, info.count, kAccess[static_cast<unsigned>(info.access)],
             kKind[static_cast<unsigned>(info.kind)], resets[i++].c_str(), info.meaning});
    page += register_table(registers);
  }
  return page;
}

std::string riscv_debug_page() {
  const auto bits = [](unsigned low, unsigned width) {
    return width == 1 ? std::to_string(low) : fmt::format("{}:{}", low + width - 1, low);
  };
  std::string page = page_head("RISC-V debug interface", "src/tile/riscv_debug.def");
  page +=
      "Four registers of the tile (0xFFB12080-0xFFB1208C) give access to the debug registers of\n"
      "each core. NCRISC has none. In an Ethernet tile, Which is 0 for\n"
      "ERISC0 and 1 for ERISC1. To write one: data to `RISC_DBG_CNTL_1`, 0 to\n"
      "`RISC_DBG_CNTL_0`, then index, core, `IsWrite` and `Trigger` there. To read one: the same\n"
      "without `IsWrite`, then poll `RISC_DBG_STATUS_0` for `Trigger` and `Valid` and read\n"
      "`RISC_DBG_STATUS_1`.\n\n## Cores\n\n";
  page += table_head({"Which", "core"});
#define SELECT(which, core) page += row({#which, #core});
#include "tile/riscv_debug.def"
  page += "\n## Debug registers of a core\n\n";
  page += table_head({"index", "register", "access", "meaning"});
#define DR(name, index, count, access, meaning)                                      \
  page += row({count == 1 ? #index : fmt::format("{}-{}", index, index + count - 1), \
               "`" #name "`", #access, meaning});
#include "tile/riscv_debug.def"
  page += "\n## Fields\n\n" + table_head({"register", "bits", "field", "meaning"});
#define FIELD(reg, name, low, width, meaning) \
  page += row({"`" #reg "`", bits(low, width), "`" #name "`", meaning});
#include "tile/riscv_debug.def"
  page +=
      "\n## Commands\n\nBits of `Command`, in the order in which several given at once act. One\n"
      "that the core cannot take has no effect, with a warning.\n\n";
  page += table_head({"bit", "command", "core must be", "meaning"});
#define COMMAND(name, bit, core, meaning) page += row({#bit, "`" #name "`", #core, meaning});
#include "tile/riscv_debug.def"
  page +=
      "\n## Watchpoints\n\nModes; with any other the watchpoint is off. An access hits when the\n"
      "address of its instruction is equal to that of the watchpoint, whatever its width. After a\n"
      "breakpoint, and after a store, the core pauses before the next instruction. A load that\n"
      "hits has read when the core pauses, and writes its register when the core goes on.\n\n";
  page += table_head({"value", "mode", "pauses when"});
#define MODE(value, name, instruction, loads, stores, meaning) \
  page += row({#value, "`" #name "`", meaning});
#include "tile/riscv_debug.def"
  return page;
}

std::string noc_registers_page() {
  std::vector<Register> commands, shared, others;
#define CMD(name, offset, access, kind, reset, meaning) \
  commands.push_back({#name, offset, 1, #access, #kind, #reset, meaning});
#define SHARED(name, offset, count, access, kind, reset, meaning) \
  shared.push_back({#name, offset, count, #access, #kind, #reset, meaning});
#define NIU(name, offset, count, access, kind, reset, meaning) \
  others.push_back({#name, offset, count, #access, #kind, #reset, meaning});
#include "noc/niu.def"
#undef CMD
#undef SHARED
#undef NIU
  return page_head("Registers of a NoC interface unit", "src/noc/niu.def") +
         "Offsets from 0xFFB20000 (NoC 0) or 0xFFB30000 (NoC 1).\n\n" + kKinds +
         "## Command buffers\n\nFour of each, 0x800 apart.\n\n" + register_table(commands) +
         "\n## The same in all four command buffers\n\n" + register_table(shared) +
         "\n## One per unit\n\n" + register_table(others);
}

std::string csr_page() {
  std::string page = page_head("Control and status registers of the cores", "src/riscv/csr.def");
  page += table_head({"address", "CSR", "kind"});
#define CSR(address, name, kind, ...) \
  page += row({fmt::format("0x{:03X}", address), "`" #name "`", #kind});
#include "riscv/csr.def"
#undef CSR
  return page;
}

std::string config_page() {
  const std::vector<ConfigField> fields = {
#define CFG(name, word, low, width) {#name, word, low, width},
#include "tensix/config.def"
#undef CFG
  };
  const std::vector<ConfigField> thread_fields = {
#define THREAD_CFG(name, word, low, width) {#name, word, low, width},
#include "tensix/config.def"
#undef THREAD_CFG
  };
  return page_head("Backend configuration", "src/tensix/config.def") +
         "## Words of 32 bits\n\nWords below 180 exist once per state bank, the others once.\n\n" +
         config_table(fields) +
         "\n## Words of 16 bits that every thread has for itself\n\nWritten by `SETC16` only.\n\n" +
         config_table(thread_fields);
}

}  // namespace bhemu::docs
