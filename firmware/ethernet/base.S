# Start of the stand-in for the Ethernet tiles' base firmware, and the loop in which it waits.
#
# What bhemu has to know of the image stands at fixed places: the first and the end of the waiting
# loop at 0x180, the version at 0x188, where the ARC's firmware looks for it (tt-zephyr-platforms
# lib/tenstorrent/bh_arc/eth.c); bhemu writes the version when it loads the image.
  .section .text.start, "ax", @progbits
  .globl _start
_start:
  lui sp, %hi(0xFFB01FF0)
  addi sp, sp, %lo(0xFFB01FF0)
  lui gp, %hi(0xFFB007F0)
  addi gp, gp, %lo(0xFFB007F0)
  call boot

# The host's, ERISC1's, the management firmware's and another mailbox: a message is a call as long
# as its upper half is 0xCA11. The loop reads nothing but L1, so bhemu can put it to sleep.
  lui s0, 0x7D
  lui s1, 0xD
  addi s1, s1, -0x5EF
idle:
  lhu t0, 0x02(s0)
  lhu t1, 0x12(s0)
  lhu t2, 0x22(s0)
  lhu t3, 0x32(s0)
  beq t0, s1, work
  beq t1, s1, work
  beq t2, s1, work
  bne t3, s1, idle
idle_end:
work:
  call serve
  j idle

  .section .text.header, "a", @progbits
  .word idle
  .word idle_end
  .word 0
