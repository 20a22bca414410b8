// The grid of live tiles, as the host tells it to every core: the NoC's x of each logical column
// and y of each logical row. Other kinds of tile lie between columns, so what is meant for many
// tiles goes out as one multicast for each run of neighbouring columns.
#pragma once
#include "guest_types.h"
#include "ldm.h"
#include "noc.h"

enum { GRID_TABLE_COLUMNS = 20, GRID_TABLE_ROWS = 12 };

GUEST_INLINE u32 GridX(u32 column) {
  return LDM8(LDM_LOGICAL_COL_TO_VIRTUAL_COL + column);
}
GUEST_INLINE u32 GridY(u32 row) {
  return LDM8(LDM_LOGICAL_ROW_TO_VIRTUAL_ROW + row);
}

// The tables end with zeroes.
GUEST_INLINE u32 GridColumns(void) {
  u32 columns = 0;
  while (columns < GRID_TABLE_COLUMNS && GridX(columns) != 0) ++columns;
  return columns;
}
GUEST_INLINE u32 GridRows(void) {
  u32 rows = 0;
  while (rows < GRID_TABLE_ROWS && GridY(rows) != 0) ++rows;
  return rows;
}

// Writes L1 of this tile to the same address of all other tiles in logical columns
// [first_column, end_column) and rows [first_row, end_row), and waits until it is there.
static void GridMulticast(u32 noc, u32 address, u32 size, u32 first_column, u32 end_column,
                          u32 first_row, u32 end_row) {
  const u32 top = GridY(first_row);
  const u32 bottom = GridY(end_row - 1);
  const u32 rows = end_row - first_row;
  const u32 my_row_is_in = MyY(noc) >= top && MyY(noc) <= bottom;
  for (u32 column = first_column; column < end_column;) {
    const u32 west = GridX(column);
    u32 columns = 1;
    while (column + columns < end_column && GridX(column + columns) == west + columns) ++columns;
    const u32 here = my_row_is_in && MyX(noc) >= west && MyX(noc) < west + columns;
    const u32 targets = columns * rows - here;
    if (targets != 0) {
      const u32 rectangle = NocRectangle(noc, west, top, west + columns - 1, bottom);
      NocWriteMulticast(noc, address, rectangle, address, size, targets);
    }
    column += columns;
  }
  NocWriteBarrier(noc);
}
