#include "debug/page/template.hpp"

#include "base/types.hpp"

// The assembler looks for the file along the compiler's include path, that is from src/. The names
// are hidden, not local: on aarch64 the address of a local one would be taken from a table of
// addresses in which the linker has only the beginning of the section.
__asm__(
    ".pushsection .rodata\n"
    ".globl bhemu_report_page, bhemu_report_page_end\n"
    ".hidden bhemu_report_page, bhemu_report_page_end\n"
    "bhemu_report_page: .incbin \"debug/page/report.html\"\n"
    "bhemu_report_page_end: .byte 0\n"
    ".popsection\n");

namespace bhemu::debug {

extern "C" {
[[gnu::visibility("hidden")]] extern const char bhemu_report_page[];
[[gnu::visibility("hidden")]] extern const char bhemu_report_page_end[];
}

std::string_view page_template() {
  return {bhemu_report_page, static_cast<std::size_t>(bhemu_report_page_end - bhemu_report_page)};
}

}  // namespace bhemu::debug
