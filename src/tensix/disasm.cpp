#include "tensix/disasm.hpp"

#include <fmt/format.h>

#include "tensix/isa.hpp"

namespace bhemu::tensix {

std::string disassemble(u32 word) {
  const Info& info = info_of_word(word);
  if (info.name == nullptr) return fmt::format(".word {:#010x}", word);
  std::string text = info.name;
  u32 rest = word & 0x00FFFFFFu;
  for (unsigned i = 0; i < info.fields_used; ++i) {
    const FieldInfo& field = info.fields[i];
    const u32 value = bits(word, field.low, field.width);
    rest = with_bits(rest, field.low, field.width, 0);
    const bool decimal = field.width <= 4 || value < 10;
    text += fmt::format(fmt::runtime(decimal ? "{}{}={}" : "{}{}={:#x}"), i == 0 ? " " : ", ",
                        field.name, value);
  }
  if (rest != 0) text += fmt::format(" +{:#x}", rest);
  return text;
}

}  // namespace bhemu::tensix
