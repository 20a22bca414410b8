// The page about what a host reaches besides the tiles: docs/registers/card.md, from
// src/card/config_space.def, src/card/window.def, src/pcie/controller.def, src/arc/telemetry.def
// and src/arc/messages.def.
#include "doc_markdown.hpp"
#include "doc_pages.hpp"

namespace bhemu::docs {
namespace {

std::string bits_cell(unsigned first, unsigned count) {
  return count == 1 ? std::to_string(first) : fmt::format("{}:{}", first + count - 1, first);
}

std::string config_space_section() {
  std::string text =
      "## Configuration space\n\n"
      "Words of 32 bits; other offsets are refused. A BAR's writable bits leave out those below "
      "its\n"
      "size.\n\n" +
      table_head({"offset", "register", "reset", "writable", "meaning"});
#define CONFIG_REGISTER(name, offset, reset, writable, meaning)                                   \
  text += row({fmt::format("0x{:03X}", offset), code_cell(#name), fmt::format("0x{:08X}", reset), \
               fmt::format("0x{:08X}", writable), cell(meaning)});
#include "card/config_space.def"
#undef CONFIG_REGISTER
  return text + "\n";
}

std::string window_section() {
  std::string text =
      "## Windows\n\n"
      "BAR 0 + 0x1FC00000: three words for each of 202 windows of 2 MiB (BAR 0) and 8 of 4 GiB "
      "(BAR 4),\n"
      "then a word for each of the first 32, which describes multicasts that are no "
      "rectangle.\n\n" +
      table_head({"field", "2 MiB", "4 GiB"});
#define WINDOW_FIELD(name, bit2, bits2, bit4, bits4) \
  text += row({code_cell(#name), bits_cell(bit2, bits2), bits_cell(bit4, bits4)});
#define STRIDED_FIELD(name, bit, bits)
#include "card/window.def"
#undef WINDOW_FIELD
#undef STRIDED_FIELD
  text += "\n" + table_head({"field of the 32 words", "bits"});
#define WINDOW_FIELD(name, bit2, bits2, bit4, bits4)
#define STRIDED_FIELD(name, bit, bits) text += row({code_cell(#name), bits_cell(bit, bits)});
#include "card/window.def"
#undef WINDOW_FIELD
#undef STRIDED_FIELD
  return text + "\n";
}

std::string controller_section() {
  std::string text =
      "## PCI Express controller\n\nBAR 2, and window 62 of the PCIe tile's NoC addresses; whole "
      "words.\n\n" +
      table_head({"offset", "times", "register", "reset", "writable", "meaning"});
#define PCIE_REGISTER(name, offset, stride, count, reset, writable, meaning)                      \
  text += row({fmt::format("0x{:04X}", offset),                                                   \
               count == 1 ? "" : fmt::format("{} every 0x{:X}", count, stride), code_cell(#name), \
               fmt::format("0x{:X}", reset), fmt::format("0x{:08X}", writable), cell(meaning)});
#include "pcie/controller.def"
#undef PCIE_REGISTER
  return text + "\n";
}

std::string kind_text(std::string_view kind) {
  return kind == "Answered" ? "answered" : kind == "Accepted" ? "accepted" : "not modelled";
}

std::string arc_sections() {
  std::string text =
      "## Telemetry\n\nThe ARC tile's scratch RAM 13 points at the tags, 12 at the values. [t], "
      "[c], [r]: where a value\ncomes from, as the table says.\n\n" +
      table_head({"tag", "name", "meaning"});
#define TELEMETRY(tag, name, value, meaning) \
  text += row({std::to_string(tag), code_cell(#name), cell(meaning)});
#include "arc/telemetry.def"
#undef TELEMETRY
  text +=
      "\n## Messages\n\nWhat the ARC's firmware does with the messages of its queues. Others are "
      "answered 0xFF, as by\nthe firmware, and those that are not modelled too; both with the "
      "warning `arc-message`.\n\n" +
      table_head({"code", "name", "here", "meaning"});
#define ARC_MESSAGE(code, name, kind, meaning) \
  text += row({fmt::format("0x{:02X}", code), code_cell(#name), kind_text(#kind), cell(meaning)});
#include "arc/messages.def"
#undef ARC_MESSAGE
  return text;
}

}  // namespace

std::string card_page() {
  return page_head("The card as its host reaches it",
                   "src/card/*.def, src/pcie/controller.def and src/arc/*.def") +
         config_space_section() + window_section() + controller_section() + arc_sections();
}

}  // namespace bhemu::docs
