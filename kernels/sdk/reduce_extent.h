// Over what a reduction goes, for the threads that compute and pack it.
#pragma once

enum reduce_extent { REDUCE_COLUMNS, REDUCE_ROWS, REDUCE_ALL };
