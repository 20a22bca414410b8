#include "debug/page/template.hpp"

#include "base/types.hpp"

// The assembler looks for the file along the compiler's include path, that is from src/.
__asm__(
    ".pushsection .rodata\n"
    "bhemu_report_page: .incbin \"debug/page/report.html\"\n"
    "bhemu_report_page_end: .byte 0\n"
    ".popsection\n");

namespace bhemu::debug {

extern "C" {
extern const char bhemu_report_page[];
extern const char bhemu_report_page_end[];
}

std::string_view page_template() {
  return {bhemu_report_page, static_cast<std::size_t>(bhemu_report_page_end - bhemu_report_page)};
}

}  // namespace bhemu::debug
