// The data movement of UNPACR: L1 through the format conversion into SrcA, SrcB or Dst.
//
// Document: tt-isa-documentation UNPACR_Regular.md, "Main unpack loop".
#pragma once

#include "tensix/unpack/plan.hpp"

namespace bhemu::tensix::unpack {

/// `count` datums of `bits` each from bit address `address`, right-aligned. The caller has checked
/// that they lie inside `memory`.
void fetch_datums(const u8* memory, u64 address, u32 bits, u32 count, u32* datum);

/// False: a fault stopped the thread on the way. `C`: Context, or Footprint, which walks the same
/// way and only notes what it passes.
template <class C>
bool transfer(const C& context, Plan& plan);

/// The same in parts. `depart`: what of the way has to be known or checked when the instruction is
/// issued. False: a fault stopped the thread. `transfer_part`: up to `until` datums in all.
bool depart(const Context& context, const Plan& plan, Destination& destination);
bool transfer_part(const Context& context, UnpackFlight& flight, u32 until);
/// What that part would touch.
void note_part(const Footprint& print, const UnpackFlight& flight, u32 until);

/// The next 16 datums of the unpacker's flight; with the last of them it is over.
void land_piece(State& state, const Environment& env, u32 unpacker, Cycle now);

/// Rows that SrcA takes in one burst, by the unpacker's rate (see transfer.cpp).
template <class Words>
u32 burst_rows(const Words& words, const Plan& plan);

}  // namespace bhemu::tensix::unpack
