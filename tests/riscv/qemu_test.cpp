// Differential tests against QEMU's user mode: whole random programs, every result compared.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "riscv/disasm.hpp"
#include "riscv/qemu_program.hpp"
#include "riscv/vector_unit.hpp"

namespace bhemu::riscv {
namespace {

bool has_qemu() {
  return std::system("command -v qemu-riscv32 >/dev/null 2>&1") == 0;
}
// tidy: allow macro in this file: GTEST_SKIP returns from the function it stands in
#define SKIP_WITHOUT_QEMU() \
  if (!has_qemu()) GTEST_SKIP() << "qemu-riscv32 (Debian package qemu-user) is not installed"

std::vector<u8> run_in_qemu(const QemuProgram& program, const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("bhemu_qemu_" + name);
  fs::create_directories(folder);
  const fs::path elf = folder / "guest.elf";
  const fs::path out = folder / "out.bin";
  const std::vector<u8> bytes = program.elf();
  std::ofstream(elf, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  fs::permissions(elf, fs::perms::owner_all);
  const std::string command =
      "qemu-riscv32 -cpu "
      "rv32,zba=true,zbb=true,zbkb=true,Zfh=true,v=true,vlen=128,elen=32,vext_spec=v1.0 '" +
      elf.string() + "' >'" + out.string() + "'";
  const int status = std::system(command.c_str());
  EXPECT_EQ(status, 0) << command;
  std::ifstream file(out, std::ios::binary);
  std::vector<u8> result((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (status == 0) fs::remove_all(folder);
  return result;
}

std::vector<u8> run_here(const QemuProgram& program) {
  FlatMemory memory;
  const std::vector<u8> image = program.image();
  memory.write(QemuProgram::kBase, image.data(), static_cast<u32>(image.size()));
  FlatBus bus(memory, 0x1000);
  CoreState core;
  core.id = CoreId::Trisc2;
  core.reset(QemuProgram::kCode);
  const Outcome outcome = run(core, bus, ~Cycle{0} >> 1);
  EXPECT_EQ(outcome, Outcome::Stop);
  EXPECT_EQ(bus.faults.size(), 1u);
  if (!bus.faults.empty()) {
    EXPECT_EQ(bus.faults.back().rule, Rule::RiscvEcall) << bus.faults.back().text;
  }
  const u8* start = memory.l1.data() + QemuProgram::kScratch;
  return {start, start + program.output_bytes()};
}

struct Origin {
  u32 trace;
  u32 word;
  bool flushes;  // an arithmetic result, which silicon flushes when it is denormal
  bool half;
};

u32 word_at(const std::vector<u8>& bytes, u32 offset) {
  u32 value = 0;
  if (offset + 4 <= bytes.size()) std::memcpy(&value, bytes.data() + offset, 4);
  return value;
}

u32 flushed(u32 value, const Origin& origin) {
  if (origin.half) return (value & 0x7C00) == 0 ? value & 0xFFFF8000 : value;
  return (value & 0x7F800000) == 0 ? value & 0x80000000 : value;
}

void compare(const QemuProgram& program, const std::vector<Origin>& origins,
             const std::string& name) {
  const std::vector<u8> theirs = run_in_qemu(program, name);
  const std::vector<u8> ours = run_here(program);
  ASSERT_EQ(theirs.size(), ours.size());
  const u32 skip = QemuProgram::kTrace - QemuProgram::kScratch;
  unsigned wrong = 0;
  std::vector<bool> explained(ours.size(), false);
  for (const Origin& origin : origins) {
    u32 expected = word_at(theirs, skip + origin.trace);
    const u32 actual = word_at(ours, skip + origin.trace);
    if (origin.flushes) expected = flushed(expected, origin);
    for (u32 i = 0; i < 4; ++i) explained[skip + origin.trace + i] = true;
    if (expected == actual) continue;
    ADD_FAILURE() << disassemble(origin.word, 0) << std::hex << " (0x" << origin.word
                  << ") gives 0x" << actual << ", QEMU says 0x" << expected;
    if (++wrong == 20) return;
  }
  for (u32 i = 0; i < ours.size(); ++i) {
    if (explained[i] || ours[i] == theirs[i]) continue;
    ADD_FAILURE() << std::hex << "byte 0x" << i << " of memory differs";
    if (++wrong == 20) return;
  }
}

// ---- Integer --------------------------------------------------------------------------------

class IntegerGenerator {
 public:
  explicit IntegerGenerator(QemuProgram& program) : p_(program) {
    for (const Row& row : kRows) {
      switch (row.extension) {
        case Extension::I:
        case Extension::M:
        case Extension::Zaamo:
        case Extension::Zba:
        case Extension::Zbb:
          if (row.format != Format::System) rows_.push_back(&row);
          break;
        case Extension::Zbkb:
          if (row.op != Op::grevi) rows_.push_back(&row);  // a draft that QEMU does not have
          break;
        default:
          break;
      }
    }
  }

  void step() {
    if (p_.below(4) == 0) p_.load_pool(Op::lw, destination());
    const Row& row = *rows_[p_.below(static_cast<u32>(rows_.size()))];
    u32 word = random_word(row.encoding, p_.random());
    word = with_bits(word, 7, 5, destination());
    switch (row.format) {
      case Format::Load:
        word = encode_i(row.op, destination(), QemuProgram::kScratchRegister, offset());
        break;
      case Format::Store:
        word = encode_s(row.op, p_.below(32), QemuProgram::kScratchRegister, offset());
        break;
      case Format::Amo:
        p_.emit(
            encode_i(Op::addi, QemuProgram::kTemporary, QemuProgram::kScratchRegister, offset()));
        word = with_bits(word, 15, 5, QemuProgram::kTemporary);
        break;
      case Format::Branch:
        return skip(encode_b(row.op, p_.below(32), p_.below(32), 8));
      case Format::Jal:
        return skip(encode_j(destination(), 8));
      case Format::Jalr:
        p_.emit(encode_u(Op::auipc, QemuProgram::kTemporary, 0));
        // Bit 0 of the target is ignored.
        return skip(encode_i(Op::jalr, destination(), QemuProgram::kTemporary,
                             12 + static_cast<i32>(p_.below(2))));
      default:
        break;
    }
    p_.emit(word);
    p_.count();
    seen_.insert(row.op);
    if (row.format != Format::Store && row.format != Format::Fence) record(word, rd_of(word));
  }

  const std::vector<Origin>& origins() const { return origins_; }
  void expect_every_row_was_used() const {
    for (const Row* row : rows_) EXPECT_TRUE(seen_.contains(row->op)) << row->name;
  }

 private:
  u32 destination() { return p_.below(27); }
  i32 offset() { return static_cast<i32>(p_.below(1020) * 4) - 2048; }
  void record(u32 word, u32 rd) { origins_.push_back({p_.trace(Op::sw, rd), word, false, false}); }
  /// A jump over an instruction that marks whether it was skipped.
  void skip(u32 word) {
    const u32 mark = 1 + p_.below(26);
    p_.emit(word);
    seen_.insert(find_row(word)->op);
    p_.emit(encode_i(Op::xori, mark, mark, 0x155));
    p_.count();
    record(word, mark);
    record(word, rd_of(word) < 27 ? rd_of(word) : mark);
  }

  QemuProgram& p_;
  std::vector<const Row*> rows_;
  std::set<Op> seen_;
  std::vector<Origin> origins_;
};

TEST(Qemu, a_million_random_integer_and_atomic_instructions_agree) {
  SKIP_WITHOUT_QEMU();
  u64 instructions = 0;
  for (u64 seed = 1; instructions < 1'100'000; ++seed) {
    QemuProgram program(seed);
    IntegerGenerator generator(program);
    while (!program.full()) generator.step();
    program.finish();
    generator.expect_every_row_was_used();
    compare(program, generator.origins(), "integer");
    instructions += program.instructions();
    if (HasFailure()) return;
  }
  RecordProperty("instructions", std::to_string(instructions));
}

// ---- Floating point -------------------------------------------------------------------------

/// Sources f0-f15 hold pool values only, so that a flushed result cannot spread.
class FloatGenerator {
 public:
  FloatGenerator(QemuProgram& program, Extension extension) : p_(program), extension_(extension) {
    for (const Row& row : kRows)
      if (row.extension == extension) rows_.push_back(&row);
    for (u32& value : p_.pool()) value = extension == Extension::F ? single() : half();
    const Op load = extension == Extension::F ? Op::flw : Op::flh;
    for (u32 reg = 0; reg < 16; ++reg) p_.load_pool(load, reg);  // QEMU starts with other values
  }

  void step() {
    const Op load = extension_ == Extension::F ? Op::flw : Op::flh;
    p_.load_pool(load, p_.below(16));
    const Row& row = *rows_[p_.below(static_cast<u32>(rows_.size()))];
    u32 word = random_word(row.encoding, p_.random());
    word = with_bits(word, 15, 5, p_.below(16));
    bool to_x = false;
    switch (row.format) {
      case Format::FpLoad:
      case Format::FpStore:
      case Format::FpTernary:
      case Format::FpTernaryHalf:
        return;  // loads and stores surround every step; multiply-add is only partially fused
      case Format::FpCompare:
      case Format::FpCompareHalf:
      case Format::FpToInt:
      case Format::FpToIntHalf:
      case Format::FpMoveHalf:
        to_x = true;
        break;
      case Format::FpFromInt:
      case Format::FpFromIntHalf:
        p_.set_register(6, p_.random_value());
        word = with_bits(word, 15, 5, 6);
        break;
      default:
        word = with_bits(word, 20, 5, rs2_for(row, word));
        break;
    }
    if (row.format == Format::FpCompare || row.format == Format::FpCompareHalf)
      word = with_bits(word, 20, 5, p_.below(16));
    if (row.bits[17] == '-') word = with_bits(word, 12, 3, 0);  // QEMU would follow the mode
    if (row.op == Op::fcvt_h_s) {
      for (u32 reg = 0; reg < 16; ++reg) narrow_source(reg, word);
    }
    const u32 rd = to_x ? 1 + p_.below(26) : 16 + p_.below(16);
    word = with_bits(word, 7, 5, rd);
    p_.emit(word);
    p_.count();
    const u32 at = p_.trace(to_x ? Op::sw : Op::fsw, rd);
    const bool is_sign = row.name.starts_with("fsgnj") || row.name.starts_with("fm");
    const bool is_mul = row.name.starts_with("fmul");
    const bool is_half = extension_ == Extension::Zfh && row.op != Op::fcvt_s_h;
    origins_.push_back({at, word, !to_x && (!is_sign || is_mul), is_half});
  }

  const std::vector<Origin>& origins() const { return origins_; }

 private:
  u32 rs2_for(const Row& row, u32 word) { return row.bits[7] == 't' ? p_.below(16) : rs2_of(word); }
  /// fcvt.h.s takes a single: replace the source by one just before.
  void narrow_source(u32 reg, u32 word) {
    if (rs1_of(word) != reg) return;
    p_.set_register(6, single());
    p_.emit(encode_i(Op::fmv_w_x, reg, 6, 0));
  }
  u32 single() {
    static constexpr u32 kSpecial[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                       0x7F800001, 0x3F800000, 0x3F000000, 0x4F000000, 0xCF000000,
                                       0x7F7FFFFF, 0x00800000, 0xFFFFFFFF, 0x4F800000};
    if (p_.below(4) == 0) return kSpecial[p_.below(std::size(kSpecial))];
    const u32 exponent = p_.below(3) == 0 ? 1 + p_.below(254) : 110 + p_.below(50);
    return static_cast<u32>(p_.random()()) << 31 | exponent << 23 |
           (static_cast<u32>(p_.random()()) & 0x7FFFFF) >> (p_.below(2) * 12) << (p_.below(2) * 12);
  }
  u32 half() {
    static constexpr u32 kSpecial[] = {0,      0x8000, 0x7C00, 0xFC00, 0x7E00,
                                       0x7C01, 0x3C00, 0x3800, 0x7BFF, 0x0400};
    if (p_.below(4) == 0) return kSpecial[p_.below(std::size(kSpecial))];
    return (p_.below(2) << 15) | (1 + p_.below(30)) << 10 | p_.below(1024);
  }

  QemuProgram& p_;
  Extension extension_;
  std::vector<const Row*> rows_;
  std::vector<Origin> origins_;
};

void run_float(Extension extension, u64 wanted, const std::string& name) {
  u64 instructions = 0;
  for (u64 seed = 1; instructions < wanted; ++seed) {
    QemuProgram program(seed);
    FloatGenerator generator(program, extension);
    while (!program.full()) generator.step();
    program.finish();
    compare(program, generator.origins(), name);
    instructions += program.instructions();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Qemu, random_single_precision_instructions_agree_up_to_flushing) {
  SKIP_WITHOUT_QEMU();
  run_float(Extension::F, 150'000, "single");
}

TEST(Qemu, random_half_precision_instructions_agree_up_to_flushing) {
  SKIP_WITHOUT_QEMU();
  run_float(Extension::Zfh, 100'000, "half");
}

// ---- Vector -----------------------------------------------------------------------------------

/// Candidates run on a core of our own first, so that only legal ones are emitted; what we take
/// for legal and QEMU does not shows up as a crash of the guest.
class VectorGenerator {
 public:
  explicit VectorGenerator(QemuProgram& program) : p_(program) {
    shadow_.id = CoreId::Trisc2;
    for (const VectorRow& row : kVectorRows)
      if (is_comparable(row)) rows_.push_back(&row);
    while (shadow_.csr.vl == 0) set_type();  // QEMU starts with an invalid vtype
    for (u32 reg = 0; reg < 32; reg += 8) refill(reg);
  }

  void step() {
    switch (p_.below(8)) {
      case 0:
        return set_type();
      case 1:
        return refill(p_.below(4) * 8);
      case 2:
        return memory();
      default:
        break;
    }
    const VectorRow& row = *rows_[p_.below(static_cast<u32>(rows_.size()))];
    u32 word = random_word(row.encoding, p_.random());
    const u32 funct3 = bits(word, 12, 3);
    const bool to_x = row.bits[20] == 'D';
    if (to_x) word = with_bits(word, 7, 5, 5);
    if (row.bits[12] == 's' && (funct3 == 4 || funct3 == 6)) {
      word = with_bits(word, 15, 5, 7);
      p_.load_pool(Op::lw, 7);
    }
    const bool vector_vs1 = funct3 == 0 || funct3 == 2;
    if (is_masked(word) && (rs2_of(word) == 0 || (vector_vs1 && rs1_of(word) == 0))) return;
    if (mixes_widths(row)) {
      if (vector_vs1 && may_overlap(rs1_of(word), rs2_of(word))) return;
      const bool adds = row.name.starts_with("vwmacc");  // to vd, which is wide
      if (adds && vector_vs1 && may_overlap(rs1_of(word), rd_of(word))) return;
      if (adds && may_overlap(rs2_of(word), rd_of(word))) return;
    }
    if (execute_vector(shadow_, word, false) != VectorResult::Ok) return;
    p_.emit(word);
    p_.count();
    seen.insert(&row);
    if (to_x) {
      origins_.push_back({p_.trace(Op::sw, 5), word, false, false});
      return;
    }
    note(p_.trace_vector(rd_of(word)), word);
    // The rest of a group, every now and then.
    if (p_.below(8) != 0) return;
    for (u32 reg = 0; reg < 32; ++reg) note(p_.trace_vector(reg), word);
    p_.emit(encode_csr(Op::csrrs, 6, 9, 0));
    origins_.push_back({p_.trace(Op::sw, 6), word, false, false});
  }

  const std::vector<Origin>& origins() const { return origins_; }
  const std::vector<const VectorRow*>& rows() const { return rows_; }
  std::set<const VectorRow*> seen;

 private:
  static bool is_comparable(const VectorRow& row) {
    if (row.name.starts_with("vset")) return false;
    const std::string_view funct3 = row.bits.substr(17, 3);
    return funct3 != "001" && funct3 != "101";  // floating point has its own vectors
  }
  /// Then v0 is read as a mask, and for anything else must not be: it has one element width in an
  /// instruction (RVV 1.0, 5.2). QEMU refuses it from version 10 on at the latest.
  static bool is_masked(u32 word) { return !bit(word, 25); }
  /// Likewise, their operands are of two widths and must not share a register.
  static bool mixes_widths(const VectorRow& row) {
    return row.name.starts_with("vw") || row.name.starts_with("vn") || row.name == "vrgatherei16";
  }
  /// Groups of at most eight registers.
  static bool may_overlap(u32 a, u32 b) { return a < b + 8 && b < a + 8; }
  void note(u32 at, u32 word) {
    for (u32 i = 0; i < 16; i += 4) origins_.push_back({at + i, word, false, false});
  }
  void set_type() {
    const u32 vtype = p_.below(256);
    const u32 vl = p_.below(32);
    const u32 word = 0xC0007057 | 5 << 7 | vl << 15 | vtype << 20;
    if (execute_vector(shadow_, word, false) != VectorResult::Ok) return;
    p_.emit(word);
    p_.count();
    origins_.push_back({p_.trace(Op::sw, 5), word, false, false});
    p_.emit(encode_csr(Op::csrrwi, 0, 10, p_.below(4)));
  }
  /// Eight registers from the pool, whatever vtype is.
  void refill(u32 reg) {
    p_.emit(encode_i(Op::addi, 6, QemuProgram::kPoolRegister,
                     static_cast<i32>(p_.below(900) * 4) - 2048));
    p_.emit(0xE2800007 | reg << 7 | 6 << 15);  // vl8re8.v
  }
  void memory() {
    const bool store = p_.below(2) != 0;
    static constexpr u32 kWidths[] = {0, 5, 6};
    static constexpr u32 kUnits[] = {0, 0, 8, 11};
    const u32 mop = p_.below(3);  // 0 unit stride, 1 indexed, 2 strided
    u32 word = (store ? 0x27 : 0x07) | kWidths[p_.below(3)] << 12 | mop << 26 | 6 << 15 |
               p_.below(2) << 25 | p_.below(32) << 7 | (p_.below(3) == 0 ? p_.below(8) << 29 : 0);
    p_.emit(encode_i(Op::addi, 6, QemuProgram::kScratchRegister, -2048 + 64));
    if (mop == 0) word |= kUnits[p_.below(4)] << 20;
    if (mop == 2) {
      p_.emit(encode_i(Op::addi, 8, 0, static_cast<i32>(p_.below(4) * 4)));
      word |= 8 << 20;
    }
    if (mop == 1) return indexed(word);
    finish_memory(word, store);
  }
  /// Indices 4 * i in v24-v31, of the width that the instruction reads.
  void indexed(u32 word) {
    const u32 before = shadow_.csr.vtype;
    const u32 width = bits(word, 12, 3);
    const u32 vsew = width == 0 ? 0 : width == 5 ? 1 : 2;
    // e<width>, LMUL 8 to fill the whole group; then back to the type of the test.
    const u32 words[] = {0xC0007057 | 16u << 15 | (vsew << 3 | 3) << 20,  // vsetivli zero, 16
                         0x5208AC57,                                      // vid.v v24
                         0x97813C57,                                      // vsll.vi v24, v24, 2
                         0xC0007057 | 5u << 7 | p_.below(17) << 15 | before << 20};
    for (const u32 set : words) {
      p_.emit(set);
      EXPECT_EQ(execute_vector(shadow_, set, false), VectorResult::Ok) << disassemble(set, 0);
    }
    // Data and indices are of two widths, too, and must not share a register (fields have up to 8).
    if (bit(word, 5) && rd_of(word) > 16) return;
    finish_memory(word | 24 << 20, bit(word, 5));
  }
  void finish_memory(u32 word, bool store) {
    VectorAccess access;
    if (store && is_masked(word) && rd_of(word) == 0) return;
    if (plan_vector_access(shadow_, word, access) != VectorResult::Ok) return;
    p_.emit(word);
    p_.count();
    if (store) return;  // memory is compared at the end
    for (u32 reg = 0; reg < 32; ++reg) note(p_.trace_vector(reg), word);
  }

  QemuProgram& p_;
  CoreState shadow_;
  std::vector<const VectorRow*> rows_;
  std::vector<Origin> origins_;
};

TEST(Qemu, random_integer_vector_instructions_agree) {
  SKIP_WITHOUT_QEMU();
  u64 instructions = 0;
  std::set<const VectorRow*> seen;
  for (u64 seed = 1; instructions < 60'000; ++seed) {
    QemuProgram program(seed);
    VectorGenerator generator(program);
    while (!program.full()) generator.step();
    program.finish();
    compare(program, generator.origins(), "vector");
    instructions += program.instructions();
    seen.insert(generator.seen.begin(), generator.seen.end());
    if (HasFailure()) return;
    if (instructions < 60'000) continue;
    for (const VectorRow* row : generator.rows())
      EXPECT_TRUE(seen.contains(row)) << row->name << '.' << row->form;
  }
}

}  // namespace
}  // namespace bhemu::riscv
