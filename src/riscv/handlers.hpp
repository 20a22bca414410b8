// One handler per row of isa.def, by format. Included by execute.hpp inside its run_entries, and
// nowhere else: the macros say which operands a row's meaning sees.
// tidy: allow pragma-once in this file: it is the inside of a function
//
// A single unsigned comparison tests alignment and range together: rotating an address right by
// log2(size) puts misaligned bits on top.
#define BHEMU_RS1 [[maybe_unused]] const u32 rs1 = x[ip->rs1]
#define BHEMU_RS2 [[maybe_unused]] const u32 rs2 = x[ip->rs2]
#define BHEMU_IMM [[maybe_unused]] const u32 imm = static_cast<u32>(ip->imm)

#define BHEMU_TO_RD(operands, ...) \
  {                                \
    operands;                      \
    u32 rd;                        \
    __VA_ARGS__;                   \
    x[ip->rd] = rd;                \
    BHEMU_NEXT;                    \
  }

#define BHEMU_HANDLE_Upper(...) BHEMU_TO_RD(BHEMU_IMM, __VA_ARGS__)
#define BHEMU_HANDLE_UpperPc(...) BHEMU_TO_RD(BHEMU_IMM, __VA_ARGS__)
#define BHEMU_HANDLE_Imm(...) BHEMU_TO_RD(BHEMU_RS1; BHEMU_IMM, __VA_ARGS__)
#define BHEMU_HANDLE_Shift(...) BHEMU_TO_RD(BHEMU_RS1; BHEMU_IMM, __VA_ARGS__)
#define BHEMU_HANDLE_Reg(...) BHEMU_TO_RD(BHEMU_RS1; BHEMU_RS2, __VA_ARGS__)
#define BHEMU_HANDLE_Unary(...) BHEMU_TO_RD(BHEMU_RS1, __VA_ARGS__)

#define BHEMU_HANDLE_Jal(...) \
  {                           \
    const u32 pc = BHEMU_PC;  \
    u32 rd;                   \
    __VA_ARGS__;              \
    x[ip->rd] = rd;           \
    BHEMU_GO(ip->imm);        \
    BHEMU_CONTINUE;           \
  }
#define BHEMU_HANDLE_Jalr(...)                                  \
  {                                                             \
    BHEMU_RS1;                                                  \
    BHEMU_IMM;                                                  \
    const u32 target = (rs1 + imm) & ~1u;                       \
    if (std::rotr(target, 2) >= Bus::kL1Bytes / 4) [[unlikely]] \
      BHEMU_COLD(bad_jalr(*ip));                                \
    const u32 pc = BHEMU_PC;                                    \
    u32 rd;                                                     \
    __VA_ARGS__;                                                \
    x[ip->rd] = rd;                                             \
    BHEMU_ENTER(target);                                        \
    BHEMU_CONTINUE;                                             \
  }
#define BHEMU_HANDLE_Branch(...) \
  {                              \
    BHEMU_RS1;                   \
    BHEMU_RS2;                   \
    if (__VA_ARGS__) {           \
      BHEMU_GO(ip->imm);         \
      BHEMU_CONTINUE;            \
    }                            \
    BHEMU_NEXT;                  \
  }

// `target` is the register that receives the (boxed) value.
#define BHEMU_LOAD(type, target, box, slow)                                     \
  {                                                                             \
    constexpr unsigned kShift = sizeof(type) / 2;                               \
    const u32 address = x[ip->rs1] + static_cast<u32>(ip->imm);                 \
    type value;                                                                 \
    if (std::rotr(address, kShift) < (Bus::kL1Bytes >> kShift)) {               \
      /* Before: what is on its way there may have to land first. */            \
      if constexpr (Bus::kRecord) bus.note_load_l1(address, sizeof value);      \
      std::memcpy(&value, l1 + address, sizeof value);                          \
      target = static_cast<u32>(static_cast<i32>(value)) | (box);               \
      if constexpr (Bus::kRecord) BHEMU_NEXT_IF_WANTED;                         \
      BHEMU_NEXT;                                                               \
    }                                                                           \
    if (std::rotr(address - kLdmBase, kShift) < (ldm_size >> kShift)) {         \
      std::memcpy(&value, ldm + (address - kLdmBase), sizeof value);            \
      target = static_cast<u32>(static_cast<i32>(value)) | (box);               \
      BHEMU_NEXT;                                                               \
    }                                                                           \
    if constexpr (std::is_same_v<type, u32> && kAtOnce<Bus>) {                  \
      if (address % 4 == 0 && bus.load_at_once(address, value, end - budget)) { \
        target = value;                                                         \
        BHEMU_NEXT;                                                             \
      }                                                                         \
    }                                                                           \
    BHEMU_COLD(template slow<type>(*ip));                                       \
  }
#define BHEMU_STORE(type, source)                                                                  \
  {                                                                                                \
    constexpr unsigned kShift = sizeof(type) / 2;                                                  \
    const u32 address = x[ip->rs1] + static_cast<u32>(ip->imm);                                    \
    const type value = static_cast<type>(source);                                                  \
    if (!Bus::kRecord && std::rotr(address, kShift) < (Bus::kL1Bytes >> kShift) &&                 \
        l1_flags[address >> 6] == 0) {                                                             \
      std::memcpy(l1 + address, &value, sizeof value);                                             \
      BHEMU_NEXT;                                                                                  \
    }                                                                                              \
    if (std::rotr(address - kLdmBase, kShift) < (ldm_size >> kShift)) {                            \
      if constexpr (Bus::kRecord) {                                                                \
        if (std::memcmp(ldm + (address - kLdmBase), &value, sizeof value) != 0) bus.note_impure(); \
      }                                                                                            \
      std::memcpy(ldm + (address - kLdmBase), &value, sizeof value);                               \
      if constexpr (Bus::kRecord) BHEMU_NEXT_IF_WANTED;                                            \
      BHEMU_NEXT;                                                                                  \
    }                                                                                              \
    if constexpr (std::is_same_v<type, u32> && kAtOnce<Bus>) {                                     \
      if (address % 4 == 0 && bus.store_at_once(BHEMU_PC, address, value, end - budget))           \
        BHEMU_NEXT;                                                                                \
    }                                                                                              \
    BHEMU_COLD(template store_register<type>(*ip, source));                                        \
  }
#define BHEMU_HANDLE_Load(type) BHEMU_LOAD(type, x[ip->rd], 0, load_integer)
#define BHEMU_HANDLE_FpLoad(type) \
  BHEMU_LOAD(type, f[ip->rd], sizeof(type) == 2 ? 0xFFFF0000u : 0, load_float)
#define BHEMU_HANDLE_Store(type) BHEMU_STORE(type, x[ip->rs2])
#define BHEMU_HANDLE_FpStore(type) BHEMU_STORE(type, f[ip->rs2])

#define BHEMU_HANDLE_Fence(...) BHEMU_NEXT;
#define BHEMU_HANDLE_System(function) BHEMU_COLD(function());
#define BHEMU_HANDLE_Amo(...) \
  BHEMU_COLD(atomic(*ip, []([[maybe_unused]] u32 old, u32 rs2) -> u32 { return __VA_ARGS__; }));

#define BHEMU_SINGLE const auto fp = numeric::RiscvFloat::single(&state.csr.fcsr)
#define BHEMU_HALF                                      \
  const auto mode = numeric::half_mode(state.csr.cfg0); \
  [[maybe_unused]] const auto fp = numeric::RiscvFloat::half(mode, &state.csr.fcsr)
#define BHEMU_FP(setup, ...) \
  {                          \
    setup;                   \
    __VA_ARGS__;             \
    BHEMU_NEXT;              \
  }
#define BHEMU_A [[maybe_unused]] const u32 a = f[ip->rs1]
#define BHEMU_B [[maybe_unused]] const u32 b = f[ip->rs2]
#define BHEMU_C const u32 c = f[ip->imm]
#define BHEMU_HALF_A [[maybe_unused]] const u32 a = numeric::unbox_half(f[ip->rs1], mode)
#define BHEMU_HALF_B [[maybe_unused]] const u32 b = numeric::unbox_half(f[ip->rs2], mode)
#define BHEMU_HALF_C const u32 c = numeric::unbox_half(f[ip->imm], mode)
#define BHEMU_RESULT(...) \
  u32 result;             \
  __VA_ARGS__;            \
  f[ip->rd] = result
#define BHEMU_HALF_RESULT(...) \
  u32 result;                  \
  __VA_ARGS__;                 \
  f[ip->rd] = numeric::box_half(result)
#define BHEMU_FP_RD(...) \
  u32 rd;                \
  __VA_ARGS__;           \
  x[ip->rd] = rd

#define BHEMU_HANDLE_FpTernary(...) \
  BHEMU_FP(BHEMU_SINGLE; BHEMU_A; BHEMU_B; BHEMU_C, BHEMU_RESULT(__VA_ARGS__))
#define BHEMU_HANDLE_FpTernaryHalf(...) \
  BHEMU_FP(BHEMU_HALF; BHEMU_HALF_A; BHEMU_HALF_B; BHEMU_HALF_C, BHEMU_HALF_RESULT(__VA_ARGS__))
#define BHEMU_HANDLE_FpBinary(...) \
  BHEMU_FP(BHEMU_SINGLE; BHEMU_A; BHEMU_B, BHEMU_RESULT(__VA_ARGS__))
#define BHEMU_HANDLE_FpBinaryHalf(...) \
  BHEMU_FP(BHEMU_HALF; BHEMU_HALF_A; BHEMU_HALF_B, BHEMU_HALF_RESULT(__VA_ARGS__))
#define BHEMU_HANDLE_FpCompare(...) \
  BHEMU_FP(BHEMU_SINGLE; BHEMU_A; BHEMU_B, BHEMU_FP_RD(__VA_ARGS__))
#define BHEMU_HANDLE_FpCompareHalf(...) \
  BHEMU_FP(BHEMU_HALF; BHEMU_HALF_A; BHEMU_HALF_B, BHEMU_FP_RD(__VA_ARGS__))
#define BHEMU_HANDLE_FpToInt(...) \
  BHEMU_FP([[maybe_unused]] BHEMU_SINGLE; BHEMU_A, BHEMU_FP_RD(__VA_ARGS__))
#define BHEMU_HANDLE_FpToIntHalf(...) BHEMU_FP(BHEMU_HALF; BHEMU_HALF_A, BHEMU_FP_RD(__VA_ARGS__))
#define BHEMU_HANDLE_FpFromInt(...) \
  BHEMU_FP([[maybe_unused]] BHEMU_SINGLE; BHEMU_RS1, BHEMU_RESULT(__VA_ARGS__))
#define BHEMU_HANDLE_FpFromIntHalf(...) \
  BHEMU_FP(BHEMU_HALF; BHEMU_RS1, BHEMU_HALF_RESULT(__VA_ARGS__))
#define BHEMU_HANDLE_FpMoveHalf(...) BHEMU_FP(const u32 raw = f[ip->rs1], BHEMU_FP_RD(__VA_ARGS__))
#define BHEMU_HANDLE_FpWiden(...) BHEMU_FP(BHEMU_HALF; BHEMU_HALF_A, BHEMU_RESULT(__VA_ARGS__))
#define BHEMU_HANDLE_FpNarrow(...) \
  BHEMU_FP(BHEMU_HALF; const u32 raw = f[ip->rs1], BHEMU_HALF_RESULT(__VA_ARGS__))

#define BHEMU_HANDLE_Vector(...) BHEMU_COLD(vector(static_cast<u32>(ip->imm)));
#define BHEMU_HANDLE_Ttinsn(...) BHEMU_COLD(tensix(static_cast<u32>(ip->imm)));

#define BHEMU_HANDLE_Csr(...) BHEMU_CSR(false, __VA_ARGS__)
#define BHEMU_HANDLE_CsrImm(...) BHEMU_CSR(true, __VA_ARGS__)
#define BHEMU_CSR(immediate, ...) \
  BHEMU_COLD(csr(*ip, immediate,  \
                 []([[maybe_unused]] u32 old, u32 operand) -> u32 { return __VA_ARGS__; }));

#define RV(name, bits, extension, format, ...) handle_##name : BHEMU_HANDLE_##format(__VA_ARGS__)
#include "riscv/isa.def"
#undef RV
#undef BHEMU_RS1
#undef BHEMU_RS2
#undef BHEMU_IMM
#undef BHEMU_TO_RD
#undef BHEMU_HANDLE_Upper
#undef BHEMU_HANDLE_UpperPc
#undef BHEMU_HANDLE_Imm
#undef BHEMU_HANDLE_Shift
#undef BHEMU_HANDLE_Reg
#undef BHEMU_HANDLE_Unary
#undef BHEMU_HANDLE_Jal
#undef BHEMU_HANDLE_Jalr
#undef BHEMU_HANDLE_Branch
#undef BHEMU_LOAD
#undef BHEMU_STORE
#undef BHEMU_HANDLE_Load
#undef BHEMU_HANDLE_FpLoad
#undef BHEMU_HANDLE_Store
#undef BHEMU_HANDLE_FpStore
#undef BHEMU_HANDLE_Fence
#undef BHEMU_HANDLE_System
#undef BHEMU_HANDLE_Amo
#undef BHEMU_SINGLE
#undef BHEMU_HALF
#undef BHEMU_FP
#undef BHEMU_A
#undef BHEMU_B
#undef BHEMU_C
#undef BHEMU_HALF_A
#undef BHEMU_HALF_B
#undef BHEMU_HALF_C
#undef BHEMU_RESULT
#undef BHEMU_HALF_RESULT
#undef BHEMU_FP_RD
#undef BHEMU_HANDLE_FpTernary
#undef BHEMU_HANDLE_FpTernaryHalf
#undef BHEMU_HANDLE_FpBinary
#undef BHEMU_HANDLE_FpBinaryHalf
#undef BHEMU_HANDLE_FpCompare
#undef BHEMU_HANDLE_FpCompareHalf
#undef BHEMU_HANDLE_FpToInt
#undef BHEMU_HANDLE_FpToIntHalf
#undef BHEMU_HANDLE_FpFromInt
#undef BHEMU_HANDLE_FpFromIntHalf
#undef BHEMU_HANDLE_FpMoveHalf
#undef BHEMU_HANDLE_FpWiden
#undef BHEMU_HANDLE_FpNarrow
#undef BHEMU_HANDLE_Vector
#undef BHEMU_HANDLE_Ttinsn
#undef BHEMU_HANDLE_Csr
#undef BHEMU_HANDLE_CsrImm
#undef BHEMU_CSR
