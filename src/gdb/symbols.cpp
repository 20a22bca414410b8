// Which ELF's code is where, in gdb's words. Each core has its own, and a tile may run others than
// its neighbour, so the lines are per inferior.
#include <fmt/format.h>

#include <filesystem>

#include "gdb/server.hpp"
#include "host/file.hpp"

namespace bhemu::gdb {

std::vector<Image> images_of(const host::CodeMap& code) {
  std::vector<Image> images;
  for (const host::CodeMap::Entry& entry : code.entries())
    images.push_back({entry.core, entry.tile, entry.elf->name(), entry.run_base, entry.link_base});
  return images;
}

host::CodeMap Server::known_code() const {
  return options_.code ? options_.code() : host::CodeMap{};
}

/// add-symbol-file for every ELF that is a file, by inferior.
std::string Server::symbol_lines() const {
  const std::vector<Image> images = images_of(known_code());
  std::string text;
  for (unsigned tile = 0; tile < tiles_.size(); ++tile) {
    std::string lines;
    for (const Image& image : images) {
      std::error_code none;
      if (image.tile && *image.tile != tiles_[tile].coord) continue;
      const std::filesystem::path path = std::filesystem::absolute(image.path, none);
      if (none || !std::filesystem::is_regular_file(path, none)) continue;
      const std::string line = fmt::format("add-symbol-file \"{}\" -o 0x{:x}\n", path.string(),
                                           image.run_base - image.link_base);
      if (lines.find(line) == std::string::npos) lines += line;
    }
    if (!lines.empty()) text += fmt::format("inferior {}\n{}", tile + 1, lines);
  }
  return text;
}

void Server::write_script() const {
  std::string text = fmt::format(
      "# For gdb-multiarch -x, written by bhemu: connects, and loads the symbols of every tile.\n"
      "set confirm off\n"
      "set schedule-multiple on\n"
      "set architecture riscv:rv32\n"
      "target extended-remote {}\n",
      link_.address());
  // gdb fetches the description of the registers for the first inferior only.
  for (std::size_t tile = 2; tile <= tiles_.size(); ++tile)
    text += fmt::format("inferior {}\nunset tdesc filename\n", tile);
  text += symbol_lines() + "inferior 1\n";
  host::write_file(options_.settings.script,
                   {reinterpret_cast<const u8*>(text.data()), text.size()});
}

}  // namespace bhemu::gdb
