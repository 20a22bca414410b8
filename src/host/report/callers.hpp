// Who has called the function in which a core stands. Kernels have no unwind tables and no frame
// pointers. What stands in the return register or on the stack is taken for a return address only
// where the instruction before it is a call of that very function.
#pragma once

#include "host/report/report.hpp"
#include "riscv/core.hpp"

namespace bhemu::host {

/// The calls that have led to `pc`, innermost first; inlined functions are not among them.
std::vector<u32> call_sites(const riscv::CoreState& core, u32 pc, Agent agent, Coord tile,
                            const CodeMap& code);

/// Adds them to a user's place, of which it shows three in all, and to a whole chain.
void add_callers(std::string& user, std::string& where, std::span<const u32> sites, Agent agent,
                 Coord tile, const CodeMap& code);

/// The user's place of a core that stands at `pc`, and the whole chain, with the calls.
std::pair<std::string, std::string> place_and_chain(const riscv::CoreState& core, u32 pc,
                                                    Agent agent, Coord tile, const CodeMap& code);

}  // namespace bhemu::host
