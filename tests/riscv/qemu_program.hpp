// A random program, as a static ELF file that QEMU's user mode runs and as an L1 image that our
// interpreter runs, at the same addresses. After every instruction its result is stored to a
// trace; at the end the program writes the trace to standard output.
#pragma once

#include <string>
#include <vector>

#include "riscv/encode.hpp"
#include "riscv/flat_bus.hpp"

namespace bhemu::riscv {

class QemuProgram {
 public:
  static constexpr u32 kBase = 0x10000;
  static constexpr u32 kCode = 0x11000;
  static constexpr u32 kPool = 0xE0000;     // 4 KiB of constants
  static constexpr u32 kScratch = 0xE1000;  // 4 KiB that loads, stores and atomics use
  static constexpr u32 kTrace = 0xE2000;
  static constexpr u32 kTraceEnd = 0x170000;
  static constexpr u32 kScratchRegister = 30;
  static constexpr u32 kTraceRegister = 31;
  static constexpr u32 kPoolRegister = 27;
  static constexpr u32 kTemporary = 29;

  explicit QemuProgram(u64 seed) : random_(seed) {
    for (u32 reg = 1; reg < 27; ++reg) set_register(reg, 0);  // Linux sets sp, we set sp and gp
    set_register(kScratchRegister, kScratch + 2048);
    set_register(kPoolRegister, kPool + 2048);
    set_register(kTraceRegister, kTrace);
    for (u32 i = 0; i < 1024; ++i) pool_.push_back(random_value());
  }

  std::mt19937_64& random() { return random_; }
  u32 below(u32 limit) { return static_cast<u32>(random_() % limit); }
  std::vector<u32>& pool() { return pool_; }
  u32 random_value() {
    static constexpr u32 kSpecial[] = {0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 2, 31, 32, 0xFF};
    switch (below(4)) {
      case 0:
        return kSpecial[below(std::size(kSpecial))];
      case 1:
        return static_cast<u32>(random_()) >> below(32);
      default:
        return static_cast<u32>(random_());
    }
  }

  void emit(u32 word) { code_.push_back(word); }
  void count() { ++instructions_; }
  u64 instructions() const { return instructions_; }
  u32 here() const { return kCode + static_cast<u32>(code_.size()) * 4; }
  bool full() const {
    return here() > kPool - 0x1000 || trace_ + trace_offset_ > kTraceEnd - 0x1000;
  }
  void set_register(u32 rd, u32 value) {
    for (const u32 word : load_constant(rd, value)) emit(word);
  }
  void load_pool(Op load, u32 rd) {
    emit(encode_i(load, rd, kPoolRegister, static_cast<i32>(below(1024) * 4) - 2048));
  }
  /// Appends a register to the trace; returns the offset of its word.
  u32 trace(Op store, u32 reg) {
    emit(encode_s(store, reg, kTraceRegister, static_cast<i32>(trace_offset_)));
    const u32 at = trace_ + trace_offset_ - kTrace;
    advance(4);
    return at;
  }
  u32 trace_vector(u32 reg) {
    emit(encode_i(Op::addi, kTemporary, kTraceRegister, static_cast<i32>(trace_offset_)));
    emit(0x02800027 | reg << 7 | kTemporary << 15);  // vs1r.v reg, (t4)
    const u32 at = trace_ + trace_offset_ - kTrace;
    advance(16);
    return at;
  }

  /// Traces every register and writes the whole trace out.
  void finish() {
    for (u32 reg = 0; reg < 32; ++reg) trace(Op::sw, reg);
    const u32 bytes = trace_ + trace_offset_ - kTrace;
    set_register(17, 64);
    set_register(10, 1);
    set_register(11, kScratch);
    set_register(12, kTrace + bytes - kScratch);
    emit(match_of(Op::ecall));
    set_register(17, 93);
    set_register(10, 0);
    emit(match_of(Op::ecall));
    output_bytes_ = kTrace + bytes - kScratch;
  }

  u32 output_bytes() const { return output_bytes_; }

  std::vector<u8> image() const {
    std::vector<u8> bytes(kTraceEnd - kBase);
    const auto put = [&](u32 address, const void* source, std::size_t size) {
      std::memcpy(bytes.data() + (address - kBase), source, size);
    };
    put(kCode, code_.data(), code_.size() * 4);
    put(kPool, pool_.data(), pool_.size() * 4);
    put(kScratch, pool_.data(), 4096);
    return bytes;
  }

  std::vector<u8> elf() const {
    const u32 size = kTraceEnd - kBase;
    const u32 header[] = {
        0x464C457F,
        0x00010101,
        0,
        0,  // magic, 32 bits, little endian
        0x00F30002,
        1,
        kCode,
        52,
        0,
        4,  // executable, RISC-V, entry, program
            // headers, float ABI
        0x00200034,
        0x00280001,
        0,  // header sizes, one program header
        1,
        0,
        kBase,
        kBase,
        size,
        size,
        7,
        0x1000,
    };
    std::vector<u8> bytes = image();
    std::memcpy(bytes.data(), header, sizeof header);
    return bytes;
  }

 private:
  void advance(u32 bytes) {
    trace_offset_ += bytes;
    if (trace_offset_ + 16 <= 2047) return;
    emit(encode_i(Op::addi, kTraceRegister, kTraceRegister, static_cast<i32>(trace_offset_)));
    trace_ += trace_offset_;
    trace_offset_ = 0;
  }

  std::mt19937_64 random_;
  std::vector<u32> code_;
  std::vector<u32> pool_;
  u32 trace_ = kTrace;
  u32 trace_offset_ = 0;
  u32 output_bytes_ = 0;
  u64 instructions_ = 0;
};

}  // namespace bhemu::riscv
