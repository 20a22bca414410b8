// MOP expander. Documents: see frontend.hpp.
#pragma once

#include "tensix/frontend/state.hpp"

namespace bhemu::tensix::frontend {

/// Starts the expansion that the MOP instruction `word` asks for.
void start_mop(Frontend& frontend, u32 word);

/// The next word of the expansion. False when it yields no more; the expander is then idle.
bool next_of_mop(Frontend& frontend, u32& word);

}  // namespace bhemu::tensix::frontend
