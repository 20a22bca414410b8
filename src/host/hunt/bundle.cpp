#include "host/hunt/bundle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>
#include <set>

#include "base/archive.hpp"
#include "base/check.hpp"
#include "host/boot/embedded.hpp"
#include "host/error.hpp"
#include "host/file.hpp"
#include "host/hunt/delay_list.hpp"
#include "host/version.hpp"
#include "mem/mapping.hpp"

namespace bhemu::host {
namespace {

constexpr char kMagic[8] = {'b', 'h', 'e', 'm', 'u', 'b', 'u', 'g'};
constexpr u32 kFormat = 2;
constexpr u64 kMostFiles = 1 << 16;
constexpr u64 kMostBytes = u64{1} << 40;

struct Header {
  char magic[8] = {};
  u32 format = 0;
  u32 reserved = 0;
  u64 bytes = 0;     // compressed, after the header
  u64 contents = 0;  // decompressed
  u64 checksum = 0;  // of the compressed bytes
};

template <class Item, class Each>
void archive_list(Archive& archive, std::vector<Item>& items, Each each) {
  u64 count = items.size();
  archive.value(count);
  if (count > kMostFiles) throw ArchiveError("too many items");
  if (archive.is_loading()) items.resize(static_cast<size_t>(count));
  for (Item& item : items) each(item);
}

/// Booleans as bytes: another value than 0 and 1 is none.
void archive_flag(Archive& archive, bool& flag) {
  u8 byte = flag ? 1 : 0;
  archive.value(byte);
  flag = byte != 0;
}

void archive_settings(Archive& archive, DeviceSettings& settings) {
  for (std::string* text : {&settings.board, &settings.harvest_dram, &settings.harvest_columns,
                            &settings.bundle, &settings.timing, &settings.effects, &settings.check})
    archive.text(*text);
  archive_list(archive, settings.rules, [&](std::string& rule) { archive.text(rule); });
  archive.value(settings.seed);
}

void archive_bundle(Archive& archive, Bundle& bundle) {
  archive.text(bundle.version);
  archive_settings(archive, bundle.settings);
  archive.value(bundle.max_cycles);
  archive.text(bundle.program_file);
  archive.vector(bundle.program);
  archive_list(archive, bundle.files, [&](BundledFile& file) {
    archive.text(file.path);
    archive.vector(file.bytes);
  });
  for (std::vector<u8>& elf : bundle.firmware) archive.vector(elf);
  archive_flag(archive, bundle.ran);
  archive.value(bundle.status);
  archive_flag(archive, bundle.interrupted);
  archive.value(bundle.cycles);
  archive.value(bundle.end_cycle);
  archive.value(bundle.hash);
  archive.vector(bundle.snapshot);
  archive.value(bundle.snapshot_cycle);
  archive_list(archive, bundle.sections, [&](BundleSection& section) {
    archive.text(section.name);
    archive_flag(archive, section.needed);
    archive.vector(section.bytes);
  });
}

std::vector<u8> decompressed(const std::string& path, std::span<const u8> frame, u64 size) {
  // The frame says itself how much is in it; a header that says something else is damaged.
  if (size > kMostBytes || ZSTD_getFrameContentSize(frame.data(), frame.size()) != size)
    throw InputError(path, "", "the bundle is damaged");
  std::vector<u8> bytes(static_cast<size_t>(size));
  const size_t done = ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  if (ZSTD_isError(done) != 0 || done != bytes.size())
    throw InputError(path, "", "the bundle is damaged");
  return bytes;
}

/// Calls visit(path, name in the bundle). A source is in it as what was made of it.
void each_path(Program& program,
               const std::function<void(std::string&, const std::string&)>& visit) {
  program.each_part([&](PartSpec& part) {
    for (unsigned core = 0; core < kCores; ++core) {
      auto& kernel = part.kernels[core];
      if (!kernel) continue;
      const std::string name =
          kernel->source.empty() ? kernel->path
                                 : fmt::format("{} for {} {}", kernel->source, kCoreFileNames[core],
                                               fmt::join(kernel->flags, " "));
      visit(kernel->path, name);
    }
  });
  for (TensorSpec& tensor : program.tensors) {
    if (auto* file = std::get_if<FileSource>(&tensor.source)) visit(file->path, file->path);
    if (!tensor.expect) continue;
    if (auto* file = std::get_if<FileSource>(&tensor.expect->source)) visit(file->path, file->path);
  }
}

}  // namespace

Bundle bundle_of(const Program& program, const DeviceSettings& settings, u64 max_cycles,
                 const std::string& firmware) {
  Bundle bundle;
  bundle.version = kVersion;
  bundle.settings = settings;
  bundle.max_cycles = max_cycles;
  bundle.program_file = program.file;
  bundle.program = read_file(program.file);
  std::set<std::string> known;
  Program copy = program;
  each_path(copy, [&](std::string& path, const std::string& name) {
    if (known.insert(name).second) bundle.files.push_back({name, read_file(path)});
  });
  for (unsigned core = 0; core < kCores; ++core) {
    if (firmware.empty()) {
      const std::span<const u8> bytes = embedded_firmware(core);
      bundle.firmware[core].assign(bytes.begin(), bytes.end());
    } else {
      bundle.firmware[core] = read_file(
          (std::filesystem::path(firmware) / fmt::format("{}.elf", kCoreFileNames[core])).string());
    }
  }
  return bundle;
}

void record_outcome(Bundle& bundle, const Outcome& outcome, Device& device, bool ran) {
  bundle.ran = ran;
  bundle.status = static_cast<u8>(outcome.status);
  bundle.interrupted = outcome.interrupted;
  bundle.cycles = outcome.totals.cycles;
  bundle.end_cycle = outcome.cycle;
  bundle.hash = device.hash();
}

std::vector<u8> format_bundle(const Bundle& bundle) {
  constexpr int kLevel = 3;
  Archive archive = Archive::saving();
  Bundle copy = bundle;  // the archive's functions read and write alike
  archive_bundle(archive, copy);
  const std::vector<u8> contents = archive.take();
  std::vector<u8> bytes(sizeof(Header) + ZSTD_compressBound(contents.size()));
  const size_t size = ZSTD_compress(bytes.data() + sizeof(Header), bytes.size() - sizeof(Header),
                                    contents.data(), contents.size(), kLevel);
  CHECK(ZSTD_isError(size) == 0);
  bytes.resize(sizeof(Header) + size);
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.format = kFormat;
  header.bytes = size;
  header.contents = contents.size();
  header.checksum = hash_bytes(0, bytes.data() + sizeof header, size);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

Bundle parse_bundle(const std::string& path, std::span<const u8> bytes) {
  Header header;
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    throw InputError(path, "", "is no bundle that bhemu run --bug-bundle has written");
  if (bytes.size() < sizeof header) throw InputError(path, "", "the bundle is cut short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.format != kFormat)
    throw InputError(path, "",
                     fmt::format("the bundle has format {}, this bhemu ({}) knows format {}",
                                 header.format, kVersion, kFormat));
  const std::span<const u8> frame = bytes.subspan(sizeof header);
  if (frame.size() < header.bytes) throw InputError(path, "", "the bundle is cut short");
  if (frame.size() != header.bytes || header.checksum != hash_bytes(0, frame.data(), frame.size()))
    throw InputError(path, "", "the bundle is damaged: its checksum is wrong");
  const std::vector<u8> contents = decompressed(path, frame, header.contents);
  Bundle bundle;
  try {
    Archive archive = Archive::loading(contents);
    archive_bundle(archive, bundle);
    if (!archive.at_end()) throw ArchiveError("more than is known");
  } catch (const ArchiveError&) {
    throw InputError(path, "", "the bundle is damaged: its contents make no sense");
  }
  for (const BundleSection& section : bundle.sections)
    if (section.needed && section.name != kDelaySection)
      throw InputError(path, "",
                       fmt::format("the bundle was written by bhemu {} and needs '{}', which this "
                                   "bhemu ({}) does not know",
                                   bundle.version, section.name, kVersion));
  return bundle;
}

void write_bundle(const std::string& path, const Bundle& bundle) {
  write_file(path, format_bundle(bundle));
}

Bundle read_bundle(const std::string& path) {
  return parse_bundle(path, read_file(path));
}

Program unpack_program(const Bundle& bundle, const std::string& directory) {
  Program program =
      parse_program(bundle.program_file, {bundle.program.begin(), bundle.program.end()});
  const std::filesystem::path folder(directory);
  for (size_t i = 0; i < bundle.files.size(); ++i)
    write_file((folder / std::to_string(i)).string(), bundle.files[i].bytes);
  each_path(program, [&](std::string& path, const std::string& name) {
    for (size_t i = 0; i < bundle.files.size(); ++i)
      if (bundle.files[i].path == name) {
        path = (folder / std::to_string(i)).string();
        return;
      }
    throw InputError(name, "", "is not in the bundle");
  });
  for (TensorSpec& tensor : program.tensors) tensor.save.clear();
  return program;
}

Firmware firmware_of(const Bundle& bundle) {
  std::vector<Elf> elfs;
  for (unsigned core = 0; core < kCores; ++core)
    elfs.push_back(
        Elf::parse(fmt::format("bundled {}.elf", kCoreFileNames[core]), bundle.firmware[core]));
  return Firmware::from_elfs("of the bundle", std::move(elfs));
}

}  // namespace bhemu::host
