// MOP expander. Documents: see frontend.hpp.
#pragma once

#include "tensix/frontend/state.hpp"

namespace bhemu::tensix::frontend {

/// Starts the expansion that the MOP instruction `word` asks for.
void start_mop(Frontend& frontend, u32 word);

/// The next word of the expansion. False when it yields no more; the expander is then idle.
bool next_of_mop(Frontend& frontend, u32& word);

/// What `start_mop` makes of the word.
MopExpansion begin_mop(const Frontend& frontend, u32 word);

/// The first `count` of the words of `loop_words_left`.
void list_loop_words(const Frontend& frontend, const MopExpansion& run, u32* words, u32 count);
/// The first `count` (at least one) of them have come.
void skip_loop_words(MopExpansion& run, u32 count);

}  // namespace bhemu::tensix::frontend
