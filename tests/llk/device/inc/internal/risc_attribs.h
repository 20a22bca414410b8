// Tenstorrent's compiler marks pointers into registers and L1; for others the marks mean nothing.
#pragma once

#define tt_l1_ptr
#define tt_reg_ptr
