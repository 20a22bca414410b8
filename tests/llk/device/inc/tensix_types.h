// Data formats and sizes of the Tensix coprocessor, under the names that LLK uses. A format above
// 15 has no hardware code of its own: its low four bits go to the chip, the rest tells software.
#pragma once

#include <cstdint>

enum xmov_direction_t { XMOV_L0_TO_L1, XMOV_L1_TO_L0, XMOV_L0_TO_L0, XMOV_L1_TO_L1 };
enum tdma_mover_id_t { TDMA_MOVER0, TDMA_MOVER1 };

constexpr std::uint32_t DEST_FACE_WIDTH = 16;
constexpr std::uint32_t DEST_FACE_HEIGHT = 16;
constexpr std::uint32_t DEST_REGISTER_FULL_SIZE = 1024;
constexpr std::uint32_t DEST_REGISTER_HALF_SIZE = 512;
constexpr std::uint32_t BIT32_DEST_REGISTER_HALF_SIZE = 256;
constexpr std::uint32_t L1_SIZE = 0x180000;
constexpr std::uint32_t FIFO_BASE_ADDRESS_ALIGN_BITS = 9;

enum class DataFormat : std::uint8_t {
  Float32 = 0,
  Float16 = 1,
  Bfp8 = 2,
  Bfp4 = 3,
  Tf32 = 4,
  Float16_b = 5,
  Bfp8_b = 6,
  Bfp4_b = 7,
  Int32 = 8,
  UInt16 = 9,
  Lf8 = 10,
  Bfp2 = 11,
  Int8 = 14,
  Bfp2_b = 15,
  UInt32 = 24,
  Fp8_e4m3 = 26,
  UInt8 = 30,
  Invalid = 255
};
