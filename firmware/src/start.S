# Reset vector of a core's firmware: set gp and sp as tt-metal's start-up code does, then main.
  .section .text.start, "ax", @progbits
  .globl _start
  .type _start, @function
_start:
  lui gp, %hi(__global_pointer_value)
  addi gp, gp, %lo(__global_pointer_value)
  lui sp, %hi(__initial_stack)
  addi sp, sp, %lo(__initial_stack)
  call main
1:
  j 1b
  .size _start, . - _start
