// bhemu disasm: RISC-V code of an ELF, with the Tensix instructions inside it, or raw Tensix words.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "cli/commands.hpp"
#include "host/error.hpp"
#include "host/file.hpp"
#include "host/program/elf.hpp"
#include "riscv/disasm.hpp"
#include "tensix/disasm.hpp"

namespace bhemu::cli {
namespace {

u32 word_at(const std::vector<u8>& bytes, size_t offset) {
  u32 word;
  std::memcpy(&word, bytes.data() + offset, 4);
  return word;
}

/// A Tensix instruction in the instruction stream of a TRISC is rotated left by two bits, which
/// makes its low bits differ from those of every 32-bit RISC-V instruction.
bool is_tensix(u32 word) {
  return (word & 3) != 3;
}

std::string instruction_text(u32 word, u32 pc) {
  return is_tensix(word) ? "ttinsn " + tensix::disassemble(std::rotr(word, 2))
                         : riscv::disassemble(word, pc);
}

void print_segment(const host::Elf& elf, const host::Segment& segment) {
  std::string last_line;
  const host::Symbol* last_function = nullptr;
  for (size_t offset = 0; offset + 4 <= segment.data.size(); offset += 4) {
    const u32 pc = segment.virtual_address + static_cast<u32>(offset);
    const host::Symbol* function = elf.function_at(pc);
    if (function != nullptr && function != last_function)
      fmt::print("\n{:08x} <{}>:\n", function->value, function->name);
    last_function = function;
    std::string line;
    if (const auto source = elf.line_at(pc))
      line = fmt::format("{}:{}", source->file, source->line);
    if (!line.empty() && line != last_line) fmt::print("; {}\n", line);
    last_line = line;
    const u32 word = word_at(segment.data, offset);
    fmt::print("{:8x}:  {:08x}  {}\n", pc, word, instruction_text(word, pc));
  }
}

}  // namespace

int disasm(const CommonOptions&, const DisasmCommand& command) {
  if (command.tensix) {
    const std::vector<u8> bytes = host::read_file(command.file);
    if (bytes.size() % 4 != 0)
      throw host::InputError(command.file, "", "not a whole number of 32-bit words");
    for (size_t offset = 0; offset < bytes.size(); offset += 4) {
      const u32 word = word_at(bytes, offset);
      fmt::print("{:8x}:  {:08x}  {}\n", offset, word, tensix::disassemble(word));
    }
    return 0;
  }
  const host::Elf elf = host::Elf::load(command.file);
  fmt::print("{}: entry {:#x}\n", elf.name(), elf.entry());
  for (const host::Segment& segment : elf.segments())
    if (segment.executable) print_segment(elf, segment);
  return 0;
}

}  // namespace bhemu::cli
