// Semaphores. Documents: see sync.cpp.
#pragma once

#include "tensix/context.hpp"

namespace bhemu::tensix {

/// One step of a semaphore: up to 15, down to 0, as SEMPOST, SEMGET and the window do it.
void post_semaphore(Semaphore& semaphore);
void get_semaphore(Semaphore& semaphore);

}  // namespace bhemu::tensix
