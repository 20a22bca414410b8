// The page about tt-kmd's double: requests, mappings, files of sysfs.
#include "doc_markdown.hpp"
#include "doc_pages.hpp"

namespace bhemu::docs {
namespace {

struct RequestRow {
  unsigned number;
  const char* name;
  const char* does;
  const char* refuses;
};
constexpr RequestRow kRequests[] = {
#define REQUEST(number, name, handler, structure, does, refuses) {number, #name, does, refuses},
#include "kmd/request.def"
#undef REQUEST
};

struct FileRow {
  const char* path;
  const char* target;  // of a link
  const char* meaning;
};
constexpr FileRow kFiles[] = {
#define ATTRIBUTE(path, value, meaning) {path, "", meaning},
#define LINK(path, target, meaning) {path, target, meaning},
#include "kmd/attribute.def"
#undef ATTRIBUTE
#undef LINK
};

}  // namespace

std::string kmd_page() {
  std::string page =
      page_head("The kernel driver's interface", "src/kmd/request.def, src/kmd/attribute.def");
  page +=
      "What a program sees that opens `/dev/tenstorrent/0` of an emulated card: the requests, the\n"
      "structures and the answers of tt-kmd 2.10 (interface 2), over a card that runs by itself "
      "in\n"
      "the same process. [ARCHITECTURE.md](ARCHITECTURE.md) says how.\n\n"
      "## Requests\n\n"
      "Every request fails with `ENODEV` on a file that was open when another one reset the card\n"
      "and, between a reset and `POST_RESET`, unless it is 0, 5 or 6; with `EFAULT` when its\n"
      "structure is not the caller's memory; with `EINVAL` when there is no such number.\n\n";
  page += table_head({"number", "name", "what it does", "what it refuses"});
  for (const RequestRow& one : kRequests)
    page +=
        row({std::to_string(one.number), code_cell(one.name), cell(one.does), cell(one.refuses)});
  page +=
      "\n## Memory\n\n"
      "The host that is stood for has an IOMMU: any pages can be pinned, whatever lies behind\n"
      "them, and `PIN_PAGES_READ_ONLY` is honoured. NoC addresses are handed out as the driver\n"
      "does, pinned pages from the bottom of the 58 bits and DMA buffers from the top, and the\n"
      "outbound iATU of the card is set to lead there.\n\n"
      "## Faults\n\n"
      "`BHEMU_FAULTS` says what a fault of the guest's does: `report` (default) prints it, and\n"
      "from then on reads of the card give all ones; `throw` makes requests fail with `EIO` and\n"
      "keeps the report; `exit` ends the process with status 4. A reset brings the card back. An\n"
      "access of the host's that nothing answers reads all ones and is reported; the card goes\n"
      "on (with `exit` the process ends with status 2).\n\n"
      "A kernel that hangs is taken for a fault once the client asks in vain: it has read a go\n"
      "message that says that the kernel runs, a thousand times in `BHEMU_HANG` seconds (5; 0:\n"
      "never), while nothing on the card could change it and nobody has written; or, of a kernel\n"
      "that the client's own software on the card has started, it has looked at the card at all. "
      "To\n"
      "see that, reads of L1 are not served directly while a kernel seems to hang. A client that\n"
      "does not look at the card gets the report only. Where tt-metal itself waits for a kernel "
      "it\n"
      "makes an exception of all ones. A client that does not take them for an answer is ended "
      "with\n"
      "status 4 (`report` only): one that has gone on asking for four times `BHEMU_HANG`, and one\n"
      "that waits in memory which it shares with the card and has not looked at the card for as\n"
      "long, or in a hang for twelve times as long.\n\n"
      "## Files of sysfs and procfs\n\n"
      "`{card}` is the class device, `{pci}` the PCI function, `{bdf}` its address\n"
      "(`0000:01:00.0`), `{hwmon}` its sensors, `{n}` the card's number, `{h}` that of the\n"
      "sensors, `{slot}` that of the slot. What describes the board comes from its telemetry, so "
      "nothing contradicts what\n"
      "the chip itself says.\n\n";
  page += table_head({"path", "link to", "what it says"});
  for (const FileRow& one : kFiles)
    page += row({code_cell(one.path), code_cell(one.target), cell(one.meaning)});
  return page;
}

}  // namespace bhemu::docs
