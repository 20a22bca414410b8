// What LLK's headers want to know of the processors in a tile.
#pragma once

constexpr unsigned MaxProcessorsPerCoreType = 5;
