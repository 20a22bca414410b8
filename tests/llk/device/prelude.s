# Assembler macros that turn Debian's RISC-V compiler into one for Tensix kernels.
#
# A Tensix word in a core's instruction stream is stored rotated left by two, so that its low bits
# are not those of a 32-bit RISC-V instruction. `.ttinsn WORD` writes one.
#
# SFPU registers: the compiler takes a vector for a `double` and gives it one of the registers f0 to
# f7, which stand for LReg0 to LReg7. No word of the D extension ever reaches a core: what the
# headers write are the macros sfpu.*, and what the compiler adds on its own is caught here.

.ifndef sfpu.prelude
.set sfpu.prelude, 1

.macro .ttinsn word
.word (((\word) & 0xFFFFFFFF) << 2 | ((\word) & 0xFFFFFFFF) >> 30) & 0xFFFFFFFF
.endm

.irp n, 0, 1, 2, 3, 4, 5, 6, 7
.set sfpu.number.ft\n, \n
.endr

# Fields. An operand comes as the register that the compiler chose and as the number of a constant
# register, which is negative where there is none and otherwise the one that counts.
.macro sfpu.field to, reg, number, shift
.if (\number) >= 0
.set \to, \to | (\number) << \shift
.else
.set \to, \to | sfpu.number.\reg << \shift
.endif
.endm

# VA, VB, VC, VD
.macro sfpu.abcd d, a, b, c, na, nb, nc, word
.set sfpu.word, (\word) | sfpu.number.\d << 4
sfpu.field sfpu.word, \a, \na, 16
sfpu.field sfpu.word, \b, \nb, 12
sfpu.field sfpu.word, \c, \nc, 8
.ttinsn sfpu.word
.endm

# VB, VC, VD
.macro sfpu.bcd d, b, c, nb, nc, word
.set sfpu.word, (\word) | sfpu.number.\d << 4
sfpu.field sfpu.word, \b, \nb, 12
sfpu.field sfpu.word, \c, \nc, 8
.ttinsn sfpu.word
.endm

# VC, VD
.macro sfpu.cd d, c, nc, word
.set sfpu.word, (\word) | sfpu.number.\d << 4
sfpu.field sfpu.word, \c, \nc, 8
.ttinsn sfpu.word
.endm

# VC
.macro sfpu.c c, nc, word
.set sfpu.word, (\word)
sfpu.field sfpu.word, \c, \nc, 8
.ttinsn sfpu.word
.endm

# VD, where most instructions and where loads, stores and SFPLOADI have it
.macro sfpu.d d, word
.ttinsn (\word) | sfpu.number.\d << 4
.endm
.macro sfpu.high d, nd, word
.set sfpu.word, (\word)
sfpu.field sfpu.word, \d, \nd, 20
.ttinsn sfpu.word
.endm

# The same words with a part that only the core knows: `value` holds it, shifted to its place.
.macro sfpu.push word, value, temporary, buffer
li \temporary, (\word) & 0xFFFFFFFF
or \temporary, \temporary, \value
sw \temporary, 0(\buffer)
.endm
.macro sfpu.push.cd d, c, nc, word, value, temporary, buffer
.set sfpu.word, (\word) | sfpu.number.\d << 4
sfpu.field sfpu.word, \c, \nc, 8
sfpu.push sfpu.word, \value, \temporary, \buffer
.endm
.macro sfpu.push.high d, nd, word, value, temporary, buffer
.set sfpu.word, (\word)
sfpu.field sfpu.word, \d, \nd, 20
sfpu.push sfpu.word, \value, \temporary, \buffer
.endm

# A copy that the register allocation needs: SFPMOV in all lanes, also those that are off.
.macro fmv.d d, c
.ttinsn 0x7C000002 | sfpu.number.\c << 8 | sfpu.number.\d << 4
.endm
# What the compiler gives a vector that has no value yet.
.macro fcvt.d.w d, x
.ifnc \x,x0
.ifnc \x,zero
.error "arithmetic in double precision: these registers are the SFPU's"
.endif
.endif
.endm

# Reaches memory only for a number that stands for a vector (device/inc/sfpi_instructions.h): its
# low half is the SFPMOV, or, if it is negative, the bits that go into every lane. Nothing else uses
# tp.
.macro sfpu.load.number d, address:vararg
addi sp, sp, -16
sw t5, 0(sp)
sw t6, 4(sp)
lw tp, 4+\address
lw t5, \address
lui t6, 0xFFE40
bltz tp, .Lsfpu.word\@
ori t5, t5, sfpu.number.\d << 4
sw t5, 0(t6)
j .Lsfpu.done\@
.Lsfpu.word\@:
sw t5, 8(sp)
li tp, 0x87000000
sw tp, 0(t6)
li tp, 0x8A00300A
sw tp, 0(t6)
zext.h t5, t5
li tp, 0x710A0000 | sfpu.number.\d << 20
or t5, t5, tp
sw t5, 0(t6)
lw t5, 8(sp)
srli t5, t5, 16
li tp, 0x71080000 | sfpu.number.\d << 20
or t5, t5, tp
sw t5, 0(t6)
li tp, 0x88000000
sw tp, 0(t6)
.Lsfpu.done\@:
lw t5, 0(sp)
lw t6, 4(sp)
addi sp, sp, 16
.endm

# A spill is relative to sp, or to s0 where that is the frame; numbers are neither.
.macro fld reg, address:vararg
.set sfpu.spill, 0
.set sfpu.s, 0
.irpc character, "\address"
.ifc \character,p
.set sfpu.spill, 1
.endif
.ifc \character,0
.if sfpu.s
.set sfpu.spill, 1
.endif
.endif
.set sfpu.s, 0
.ifc \character,s
.set sfpu.s, 1
.endif
.endr
.if sfpu.spill
.error "a ninth vector is alive here: the SFPU has eight registers and no memory to spill to"
.else
sfpu.load.number \reg, \address
.endif
.endm
.macro fsd reg, address:vararg
.error "a ninth vector is alive here: the SFPU has eight registers and no memory to spill to"
.endm

.macro sfpu.refuse name
.macro \name operands:vararg
.error "arithmetic in double precision: these registers are the SFPU's"
.endm
.endm
.irp name, fadd.d, fsub.d, fmul.d, fdiv.d, fsqrt.d, fmadd.d, fmsub.d, fnmadd.d, fnmsub.d
sfpu.refuse \name
.endr
.irp name, fneg.d, fabs.d, fmin.d, fmax.d, fsgnj.d, fsgnjn.d, fsgnjx.d, feq.d, flt.d, fle.d
sfpu.refuse \name
.endr
.irp name, fcvt.s.d, fcvt.d.s, fcvt.w.d, fcvt.wu.d, fcvt.d.wu, fclass.d
sfpu.refuse \name
.endr

.endif
