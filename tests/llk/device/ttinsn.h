// `.ttinsn WORD` as Tenstorrent's assembler has it: a Tensix word in a core's instruction stream is
// stored rotated left by two, so that its low bits are not those of a 32-bit RISC-V instruction.
asm(".macro .ttinsn word\n"
    ".word (((\\word) & 0xFFFFFFFF) << 2 | ((\\word) & 0xFFFFFFFF) >> 30) & 0xFFFFFFFF\n"
    ".endm\n");
