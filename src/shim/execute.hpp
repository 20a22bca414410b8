// Performs the client's instruction that touched a window: with exactly its bytes and width on the
// bus, and with the registers and flags that the processor would have left.
//
// String instructions are done here, element by element. For everything else the operand's bytes
// are fetched, the processor runs the instruction on them in a buffer (native.hpp), and the bytes
// that it stored go back; masked loads and stores touch the chosen elements only. What is refused:
// gathers and scatters, jumps and calls through a window, system instructions, operands of more
// than 64 bytes, and a stack in a window.
//
// LOCK holds against the client's other threads, not against the card: PCIe has no locked access
// for an endpoint either.
#pragma once

#include <string>

#include "shim/bus.hpp"
#include "shim/instruction.hpp"
#include "shim/native.hpp"

namespace bhemu::shim {

enum class Result : u8 {
  Done,         // performed; the frame stands behind the instruction
  NotOurs,      // no operand of it is the bus's
  Refused,      // nothing has happened; `text` says what cannot be done
  WrongAddress  // ordinary memory at `address` is not there
};

struct Outcome {
  Result result = Result::Done;
  u64 address = 0;
  std::string text;
};

class Executor {
 public:
  Executor(Bus& bus, Native& native) : bus_(bus), native_(native) {}

  /// The instruction at the frame's instruction pointer.
  Outcome step(Frame& frame);

 private:
  struct Operand;

  bool touches(u64 address, u64 bytes) const;
  bool load(u64 address, std::span<u8> bytes, Outcome& outcome);
  bool store(u64 address, std::span<const u8> bytes, Outcome& outcome);

  Outcome on_operand(Frame& frame, const Operand& operand);
  bool fetch_operand(const Frame& frame, const Operand& operand, u8* to, Outcome& outcome);
  bool store_operand(const Operand& operand, const u8* bytes, u64 written, Outcome& outcome);
  u64 written_bytes(Frame& frame, const Operand& operand, Native::Run run, u8* scratch);

  Outcome string(Frame& frame);
  u64 source_segment_base() const;
  bool string_element(Frame& frame, unsigned width, Outcome& outcome);
  u64 string_chunk(Frame& frame, unsigned width, u64 count, Outcome& outcome);
  void compare(Frame& frame, u64 left, u64 right, unsigned width);

  Outcome push(Frame& frame, u64 address);
  Outcome pop(Frame& frame, u64 address);
  Outcome move_64_bytes(Frame& frame);
  Outcome masked_move(Frame& frame);
  Outcome refuse(const Frame& frame, const char* why) const;

  Bus& bus_;
  Native& native_;
  Instruction instruction_;
};

}  // namespace bhemu::shim
