// The way that a value has taken, in one sentence: through whose hands, and from where.
#pragma once

#include "host/boot/prepared.hpp"
#include "watch/why.hpp"

namespace bhemu::watch {

/// " It came by way of thread 2 at Pack (pack.c:7) and NCRISC at Read (reader.c:9), from page 3 of
/// tensor input, byte 1024 on." Of whoever is behind the last writer; empty when that is nobody.
/// Then the modes that instructions on it had, where they are not the usual ones, and who set them.
std::string way_of(const WritersOfDevice& writers, const host::PreparedProgram& program,
                   const Answer& last, const host::CodeMap& code);

}  // namespace bhemu::watch
