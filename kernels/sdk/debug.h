// PRINT and ASSERT for kernels that run on bhemu; on a card both do nothing.
//
//   PRINT("page {} at {:x}, scale {:f}", page, address, scale_bits);
//   ASSERT(page < pages);
//
// Neither emits an instruction: what is to be printed or asserted stands in a section of the ELF
// that is never loaded, with the address at which it holds and the registers its operands are in
// there. So they cost what it takes to have the operands in registers, at most six of 32 bits. In
// the text, {} is unsigned, {:d} signed, {:x} hexadecimal, {:f} the bits of an fp32, {:b} of
// a bf16; it has no % sign. The condition of an ASSERT must have no effects.
#pragma once
#include "guest_types.h"

#define NOTE_STRING_(x) #x
#define NOTE_STRING(x) NOTE_STRING_(x)
// A record: kind, address, line, number of operands; then file, text and operands as strings.
#define NOTE_HEAD(kind, count)                                                    \
  "1:\n\t.pushsection .bhemu.notes,\"\",@progbits\n\t.balign 4\n\t.4byte " #kind \
  ", 1b, " NOTE_STRING(__LINE__) ", " #count "\n\t.asciz \"" __FILE__ "\"\n\t.asciz "
#define NOTE_TAIL "\n\t.popsection"
#define NOTE_OPERAND(i) "\n\t.asciz \"%" #i "\""
#define NOTE_IN(value) "rn"((u32)(value))

#define PRINT_0(text) __asm__ volatile(NOTE_HEAD(0, 0) #text NOTE_TAIL)
#define PRINT_1(text, a) \
  __asm__ volatile(NOTE_HEAD(0, 1) #text NOTE_OPERAND(0) NOTE_TAIL ::NOTE_IN(a))
#define PRINT_2(text, a, b)                                                     \
  __asm__ volatile(NOTE_HEAD(0, 2) #text NOTE_OPERAND(0) NOTE_OPERAND(1) NOTE_TAIL \
                   ::NOTE_IN(a), NOTE_IN(b))
#define PRINT_3(text, a, b, c)                                                              \
  __asm__ volatile(                                                                         \
      NOTE_HEAD(0, 3) #text NOTE_OPERAND(0) NOTE_OPERAND(1) NOTE_OPERAND(2) NOTE_TAIL ::NOTE_IN( \
          a),                                                                               \
      NOTE_IN(b), NOTE_IN(c))
#define PRINT_4(text, a, b, c, d)                                                  \
  __asm__ volatile(NOTE_HEAD(0, 4) #text NOTE_OPERAND(0) NOTE_OPERAND(1)           \
                       NOTE_OPERAND(2) NOTE_OPERAND(3) NOTE_TAIL ::NOTE_IN(a),     \
                   NOTE_IN(b), NOTE_IN(c), NOTE_IN(d))
#define PRINT_5(text, a, b, c, d, e)                                                         \
  __asm__ volatile(NOTE_HEAD(0, 5) #text NOTE_OPERAND(0) NOTE_OPERAND(1) NOTE_OPERAND(2)     \
                       NOTE_OPERAND(3) NOTE_OPERAND(4) NOTE_TAIL ::NOTE_IN(a),               \
                   NOTE_IN(b), NOTE_IN(c), NOTE_IN(d), NOTE_IN(e))
#define PRINT_6(text, a, b, c, d, e, f)                                                      \
  __asm__ volatile(NOTE_HEAD(0, 6) #text NOTE_OPERAND(0) NOTE_OPERAND(1) NOTE_OPERAND(2)     \
                       NOTE_OPERAND(3) NOTE_OPERAND(4) NOTE_OPERAND(5) NOTE_TAIL ::NOTE_IN(a), \
                   NOTE_IN(b), NOTE_IN(c), NOTE_IN(d), NOTE_IN(e), NOTE_IN(f))
#define PRINT_PICK(t, a, b, c, d, e, f, name, ...) name
#define PRINT(...)                                                                               \
  PRINT_PICK(__VA_ARGS__, PRINT_6, PRINT_5, PRINT_4, PRINT_3, PRINT_2, PRINT_1, PRINT_0, unused) \
  (__VA_ARGS__)

#define ASSERT(condition) \
  __asm__ volatile(NOTE_HEAD(1, 1) "\"\"" NOTE_OPERAND(0) NOTE_TAIL ::NOTE_IN(!!(condition)))

// Which runtime arguments a kernel reads, where the number is a constant, so that a launch without
// them is refused before it runs. Kernels that bhemu compiles have these notes. It is a
// statement with its semicolon, on the line of the function's head so that lines and columns below
// it are the same without it, and with them the prebuilt kernels.
#ifdef BHEMU_NOTES
#define NOTE_ARGUMENT(kind, index)                                            \
  if (__builtin_constant_p(index))                                            \
    __asm__ volatile(NOTE_HEAD(kind, 1) "\"\"" NOTE_OPERAND(0) NOTE_TAIL ::"i"( \
        index));
#else
#define NOTE_ARGUMENT(kind, index)
#endif
