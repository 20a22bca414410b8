#include "shim/execute.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace bhemu::shim {
namespace {

constexpr unsigned kLargest = 64;  // bytes of an operand
constexpr u64 kPage = 4096;

bool is_cache_hint(const ZydisDecodedInstruction& info) {
  switch (info.mnemonic) {
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_CLDEMOTE:
      return true;
    default:
      return false;
  }
}

/// AVX's own masked moves: the mask is the sign of each element of a vector.
bool is_mask_move(const ZydisDecodedInstruction& info) {
  return info.mnemonic == ZYDIS_MNEMONIC_VMASKMOVPS || info.mnemonic == ZYDIS_MNEMONIC_VMASKMOVPD ||
         info.mnemonic == ZYDIS_MNEMONIC_VPMASKMOVD || info.mnemonic == ZYDIS_MNEMONIC_VPMASKMOVQ;
}

/// Why an instruction with a memory operand cannot run on a copy of that; null: it can.
const char* reason_against(const ZydisDecodedInstruction& info) {
  switch (info.meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_RET:
      return "it jumps to where a window of the card says";
    case ZYDIS_CATEGORY_AVX2GATHER:
    case ZYDIS_CATEGORY_GATHER:
    case ZYDIS_CATEGORY_SCATTER:
      return "gathers and scatters are not done on windows";
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_AMX_TILE:
    case ZYDIS_CATEGORY_ENQCMD:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
    case ZYDIS_CATEGORY_VTX:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_CET:
    case ZYDIS_CATEGORY_MPX:
    case ZYDIS_CATEGORY_KEYLOCKER:
      return "system instructions are not done on windows";
    default:
      return nullptr;
  }
}

constexpr u8 kRead = ZYDIS_OPERAND_ACTION_READ | ZYDIS_OPERAND_ACTION_CONDREAD;
constexpr u8 kWrite = ZYDIS_OPERAND_ACTION_WRITE | ZYDIS_OPERAND_ACTION_CONDWRITE;

}  // namespace

struct Executor::Operand {
  const ZydisDecodedOperand* row = nullptr;
  u64 address = 0;
  unsigned bytes = 0;
  u64 bias = 0;  // of a bit string's register: how far the operand lies from what the ModRM names
  bool reads = false;
  bool writes = false;
};

bool Executor::touches(u64 address, u64 bytes) const {
  // No operand is as large as the smallest thing between two windows could be.
  return bus_.covers(address) != 0 || bus_.covers(address + bytes - 1) != 0;
}

bool Executor::load(u64 address, std::span<u8> bytes, Outcome& outcome) {
  while (!bytes.empty()) {
    const u64 ours = std::min<u64>(bus_.covers(address), bytes.size());
    if (ours != 0) {
      bus_.read(address, bytes.first(ours));
      bytes = bytes.subspan(ours);
      address += ours;
      continue;
    }
    // Windows begin and end with pages.
    const u64 count = std::min<u64>(bytes.size(), kPage - address % kPage);
    const iovec local{bytes.data(), count};
    const iovec remote{reinterpret_cast<void*>(address), count};
    const ssize_t done = ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0);
    if (done != static_cast<ssize_t>(count)) {
      outcome = {Result::WrongAddress, address + static_cast<u64>(std::max<ssize_t>(done, 0)), ""};
      return false;
    }
    bytes = bytes.subspan(count);
    address += count;
  }
  return true;
}

bool Executor::store(u64 address, std::span<const u8> bytes, Outcome& outcome) {
  while (!bytes.empty()) {
    const u64 ours = std::min<u64>(bus_.covers(address), bytes.size());
    if (ours != 0) {
      bus_.write(address, bytes.first(ours));
      bytes = bytes.subspan(ours);
      address += ours;
      continue;
    }
    // Windows begin and end with pages.
    const u64 count = std::min<u64>(bytes.size(), kPage - address % kPage);
    const iovec local{const_cast<u8*>(bytes.data()), count};
    const iovec remote{reinterpret_cast<void*>(address), count};
    const ssize_t done = ::process_vm_writev(::getpid(), &local, 1, &remote, 1, 0);
    if (done != static_cast<ssize_t>(count)) {
      outcome = {Result::WrongAddress, address + static_cast<u64>(std::max<ssize_t>(done, 0)), ""};
      return false;
    }
    bytes = bytes.subspan(count);
    address += count;
  }
  return true;
}

Outcome Executor::refuse(const Frame& frame, const char* why) const {
  return {Result::Refused, frame.rip(),
          fmt::format("the instruction at {:#x} ({}) cannot be done: {}", frame.rip(),
                      instruction_.text(frame.rip()), why)};
}

Outcome Executor::step(Frame& frame) {
  if (!instruction_.fetch(frame.rip())) return {Result::NotOurs, 0, ""};
  const ZydisDecodedInstruction& info = instruction_.info();
  if (info.meta.category == ZYDIS_CATEGORY_STRINGOP) return string(frame);
  if (info.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU || info.mnemonic == ZYDIS_MNEMONIC_MASKMOVQ ||
      info.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU)
    return masked_move(frame);
  if (info.mnemonic == ZYDIS_MNEMONIC_MOVDIR64B) return move_64_bytes(frame);
  Operand operand;
  bool unknown = false;
  for (const ZydisDecodedOperand& row : instruction_.operands()) {
    if (row.type != ZYDIS_OPERAND_TYPE_MEMORY || row.mem.type == ZYDIS_MEMOP_TYPE_AGEN) continue;
    u64 address = 0;
    if (!instruction_.address_of(row, frame, address)) {
      unknown = true;
      continue;
    }
    const unsigned bytes = row.size / 8;
    // BT and its kin with a register reach as far as that says (Intel SDM, BT).
    u64 bias = 0;
    if (info.meta.category == ZYDIS_CATEGORY_BITBYTE && bytes != 0 &&
        instruction_.operands()[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
      const unsigned number = gpr_number(instruction_.operands()[1].reg.value);
      const unsigned shift = 64 - row.size;
      const i64 bit = static_cast<i64>(frame.gpr(number) << shift) >> shift;
      bias = static_cast<u64>((bit >> (bytes == 8 ? 6 : bytes == 4 ? 5 : 4)) * bytes);
    }
    if (bytes == 0 || !touches(address + bias, bytes)) continue;
    operand = {
        &row, address + bias, bytes, bias, (row.actions & kRead) != 0, (row.actions & kWrite) != 0};
    break;
  }
  if (operand.row == nullptr) {
    if (unknown && reason_against(info) != nullptr) return refuse(frame, reason_against(info));
    return {Result::NotOurs, 0, ""};
  }
  if (is_cache_hint(info)) {
    frame.set_rip(frame.rip() + info.length);
    return {};
  }
  if (const char* reason = reason_against(info)) return refuse(frame, reason);
  if (operand.row->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
    return refuse(frame, "an operand that it does not name, like its stack, lies in a window");
  if (info.mnemonic == ZYDIS_MNEMONIC_PUSH) return push(frame, operand.address);
  if (info.mnemonic == ZYDIS_MNEMONIC_POP) return pop(frame, operand.address);
  return on_operand(frame, operand);
}

/// The operand's bytes that an AVX-512 or AVX mask leaves out are not read.
bool Executor::fetch_operand(const Frame& frame, const Operand& operand, u8* to, Outcome& outcome) {
  const ZydisDecodedInstruction& info = instruction_.info();
  const unsigned elements = std::max<unsigned>(operand.row->element_count, 1);
  const unsigned width = operand.bytes / elements;
  u64 chosen = ~u64{0};
  if (is_mask_move(info)) {
    const Vector mask = frame.vector(
        static_cast<unsigned>(ZydisRegisterGetId(instruction_.operands()[1].reg.value)));
    chosen = 0;
    for (unsigned i = 0; i < elements; ++i)
      if ((mask[(i + 1) * width - 1] & 0x80) != 0) chosen |= u64{1} << i;
  } else if (info.avx.mask.reg != ZYDIS_REGISTER_NONE && info.avx.mask.reg != ZYDIS_REGISTER_K0) {
    const u64 mask = frame.mask(static_cast<unsigned>(ZydisRegisterGetId(info.avx.mask.reg)));
    const ZydisDecodedOperand& target = instruction_.operands()[0];
    const u64 lanes = target.element_count >= 64 ? ~u64{0} : (u64{1} << target.element_count) - 1;
    if (info.meta.category == ZYDIS_CATEGORY_EXPAND)
      chosen = (u64{1} << static_cast<unsigned>(__builtin_popcountll(mask & lanes))) - 1;
    else if (target.element_count == elements)
      chosen = mask;
    else  // a broadcast, or elements that are not the mask's: all or nothing
      chosen = (mask & lanes) != 0 ? ~u64{0} : 0;
  }
  for (unsigned at = 0; at < elements;) {
    unsigned end = at;
    while (end < elements && (chosen >> end & 1) != 0) ++end;
    if (end > at &&
        !load(operand.address + at * width, {to + at * width, (end - at) * width}, outcome))
      return false;
    at = end + 1;
  }
  return true;
}

/// Which bytes an instruction stores that does not store all: those that come out the same over two
/// different backgrounds.
u64 Executor::written_bytes(Frame& frame, const Operand& operand, Native::Run run, u8* scratch) {
  const bool all = (operand.row->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) == 0 &&
                   instruction_.info().avx.mask.reg == ZYDIS_REGISTER_NONE &&
                   !is_mask_move(instruction_.info());
  const u64 every = operand.bytes == kLargest ? ~u64{0} : (u64{1} << operand.bytes) - 1;
  if (all || operand.reads) return every;
  std::memset(scratch, 0xFF, operand.bytes);
  run.dry = true;
  native_.run(frame, run);
  Vector over_ones{};
  std::memcpy(over_ones.data(), scratch, operand.bytes);
  std::memset(scratch, 0, operand.bytes);
  native_.run(frame, run);
  u64 written = 0;
  for (unsigned i = 0; i < operand.bytes; ++i)
    if (scratch[i] == over_ones[i]) written |= u64{1} << i;
  return written;
}

bool Executor::store_operand(const Operand& operand, const u8* bytes, u64 written,
                             Outcome& outcome) {
  for (unsigned at = 0; at < operand.bytes;) {
    unsigned end = at;
    while (end < operand.bytes && (written >> end & 1) != 0) ++end;
    if (end > at && !store(operand.address + at, {bytes + at, end - at}, outcome)) return false;
    at = end + 1;
  }
  return true;
}

Outcome Executor::on_operand(Frame& frame, const Operand& operand) {
  const unsigned base = instruction_.free_register();
  std::array<u8, 16> code{};
  const std::size_t length = instruction_.with_base(base % kGprs, code);
  if (base == kGprs || length == 0 || operand.bytes > kLargest)
    return refuse(frame, "it cannot be run on a copy of its operand");
  // As far off a multiple of 64 as the operand, for what depends on alignment.
  alignas(64) std::array<u8, 2 * kLargest> buffer{};
  u8* scratch = buffer.data() + operand.address % kLargest;
  Native::Run run;
  run.code = {code.data(), length};
  run.base = base;
  run.address = reinterpret_cast<u64>(scratch) - operand.bias;
  run.vectors = instruction_.uses_vectors();
  if (run.vectors && frame.xsave_area() == nullptr)
    return refuse(frame, "the kernel saved no vector registers");
  const std::lock_guard<std::mutex> lock(native_.mutex());
  Outcome outcome;
  if (operand.reads && !fetch_operand(frame, operand, scratch, outcome)) return outcome;
  const u64 written = operand.writes ? written_bytes(frame, operand, run, scratch) : 0;
  native_.run(frame, run);
  if (!store_operand(operand, scratch, written, outcome)) return outcome;
  frame.set_rip(frame.rip() + instruction_.info().length);
  return outcome;
}

}  // namespace bhemu::shim
