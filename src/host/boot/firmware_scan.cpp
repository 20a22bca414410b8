#include "host/boot/firmware_scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bits.hpp"

namespace bhemu::host {
namespace {

constexpr unsigned kGp = 3;
constexpr unsigned kA0 = 10;
constexpr unsigned kA1 = 11;

enum Opcode : u32 {
  kLoad = 0x03,
  kOpImm = 0x13,
  kAuipc = 0x17,
  kStore = 0x23,
  kOp = 0x33,
  kLui = 0x37,
  kBranch = 0x63,
  kJalr = 0x67,
  kJal = 0x6F,
};

bool in_ldm(u32 address) {
  return address >= kLdmStart && address < kLdmEnd;
}
bool in_l1(u32 address) {
  return address < kL1Size;
}

class Scanner {
 public:
  Scanner(const Elf& elf, FirmwareScan& scan) : elf_(elf), scan_(scan) { forget_all(); }

  void run(const Segment& segment) {
    const u32 words = static_cast<u32>(segment.data.size()) / 4;
    for (u32 i = 0; i < words; ++i) {
      const u32 pc = segment.virtual_address + i * 4;
      const Symbol* function = elf_.function_at(pc);
      if (function != nullptr && function->value == pc) forget_all();
      u32 word;
      std::memcpy(&word, segment.data.data() + i * 4, 4);
      step(word, pc);
    }
  }

 private:
  struct Value {
    std::optional<u32> constant;
    std::optional<u32> loaded_from;  // one byte, zero-extended
  };

  void forget_all() {
    // The global pointer is set once, at the entry, for the whole program.
    const Value gp = registers_[kGp];
    registers_.fill({});
    registers_[0].constant = 0;
    registers_[kGp] = gp;
  }
  void forget_caller_saved() {
    for (unsigned i = 0; i < registers_.size(); ++i)
      if (i == 1 || (i >= 5 && i <= 7) || (i >= 10 && i <= 17) || i >= 28) registers_[i] = {};
  }
  void set(u32 rd, Value value) {
    if (rd != 0) registers_[rd] = value;
  }

  void step(u32 word, u32 pc) {
    const u32 rd = bits(word, 7, 5);
    const Value& a = registers_[bits(word, 15, 5)];
    const Value& b = registers_[bits(word, 20, 5)];
    const u32 imm_i = static_cast<u32>(sign_extend(word >> 20, 12));
    switch (bits(word, 0, 7)) {
      case kLui:
        return set(rd, {word & 0xFFFFF000, std::nullopt});
      case kAuipc:
        return set(rd, {pc + (word & 0xFFFFF000), std::nullopt});
      case kOpImm:
        if (bits(word, 12, 3) == 0 && a.constant)
          return set(rd, {*a.constant + imm_i, std::nullopt});
        return set(rd, {});
      case kOp:
        if (bits(word, 12, 3) == 0 && bits(word, 25, 7) == 0 && a.constant && b.constant)
          return set(rd, {*a.constant + *b.constant, std::nullopt});
        return set(rd, {});
      case kLoad:
        return load(word, a, rd, imm_i);
      case kStore:
        return store(word, a, b);
      case kBranch:
        return branch(a, b);
      case kJal:
      case kJalr:
        return call(rd);
      default:
        return set(rd, {});
    }
  }

  void load(u32 word, const Value& base, u32 rd, u32 offset) {
    Value loaded;
    if (base.constant && in_l1(*base.constant + offset)) {
      scan_.absolute.push_back(*base.constant + offset);
      constexpr u32 kLbu = 4;
      if (bits(word, 12, 3) == kLbu) loaded.loaded_from = *base.constant + offset;
    }
    set(rd, loaded);
  }

  void store(u32 word, const Value& base, const Value& value) {
    const u32 offset =
        static_cast<u32>(sign_extend((bits(word, 25, 7) << 5) | bits(word, 7, 5), 12));
    if (!base.constant) return;
    const u32 address = *base.constant + offset;
    if (in_l1(address)) scan_.absolute.push_back(address);
    if (in_ldm(address) && value.loaded_from)
      scan_.loaded_bytes.push_back({address, *value.loaded_from});
  }

  void branch(const Value& a, const Value& b) {
    if (!a.constant || !b.constant || scan_.staging) return;
    const u32 low = std::min(*a.constant, *b.constant);
    const u32 high = std::max(*a.constant, *b.constant);
    if (high == kLdmStart && low != 0 && in_l1(low)) scan_.staging = low;
  }

  void call(u32 rd) {
    if (rd == 0) return;
    const auto& target = registers_[kA0].constant;
    const auto& source = registers_[kA1].constant;
    if (target && source && in_ldm(*target) && *source != 0 && in_l1(*source))
      scan_.copies.push_back({*target, *source});
    forget_caller_saved();
  }

  const Elf& elf_;
  FirmwareScan& scan_;
  std::array<Value, 32> registers_;
};

std::optional<u32> source_in(const std::vector<FirmwareScan::Copy>& copies, u32 target) {
  for (const FirmwareScan::Copy& copy : copies)
    if (copy.target == target) return copy.source;
  return std::nullopt;
}

}  // namespace

std::optional<u32> FirmwareScan::source_of(u32 target) const {
  return source_in(copies, target);
}
std::optional<u32> FirmwareScan::byte_source_of(u32 target) const {
  return source_in(loaded_bytes, target);
}
bool FirmwareScan::touches(u32 address) const {
  return std::find(absolute.begin(), absolute.end(), address) != absolute.end();
}

FirmwareScan scan_firmware(const Elf& elf) {
  FirmwareScan scan;
  Scanner scanner(elf, scan);
  for (const Segment& segment : elf.segments())
    if (segment.executable) scanner.run(segment);
  return scan;
}

}  // namespace bhemu::host
