// The input side of UNPACR: compressed tiles, and random programs against the pages' formulas.
#include <algorithm>
#include <random>

#include "tensix/unpack_bench.hpp"

namespace bhemu::tensix {
namespace {

/// Compression.md, "In-memory format", with zeros folded wherever they can be.
std::vector<u8> compress(const std::vector<std::vector<u16>>& rows) {
  std::vector<u16> starts = {0};
  std::vector<std::pair<u16, u8>> stored;
  for (const std::vector<u16>& row : rows) {
    for (u32 i = 0; i < row.size(); ++i) {
      const bool edge = i == 0 || i + 1 == row.size();
      if (!edge && row[i] == 0 && stored.back().second < 15) {
        ++stored.back().second;
      } else {
        stored.emplace_back(row[i], 0);
      }
    }
    starts.push_back(static_cast<u16>(stored.size()));
  }
  std::vector<u8> bytes;
  for (u16 start : starts) {
    bytes.push_back(static_cast<u8>(start));
    bytes.push_back(static_cast<u8>(start >> 8));
  }
  bytes.resize((bytes.size() + 15) / 16 * 16);
  for (u32 group = 0; group < stored.size(); group += 32) {
    std::vector<u8> datums(64), lengths(16);
    for (u32 i = 0; i < 32 && group + i < stored.size(); ++i) {
      datums[2 * i] = static_cast<u8>(stored[group + i].first);
      datums[2 * i + 1] = static_cast<u8>(stored[group + i].first >> 8);
      lengths[i / 2] |= static_cast<u8>(stored[group + i].second << (i % 2 * 4));
    }
    bytes.insert(bytes.end(), datums.begin(), datums.end());
    bytes.insert(bytes.end(), lengths.begin(), lengths.end());
  }
  return bytes;
}

TEST_F(Unpack, compressed_rows_come_back_with_their_zeros) {
  std::mt19937 random(3);
  std::vector<std::vector<u16>> rows(6, std::vector<u16>(64));
  for (auto& row : rows)
    for (u16& d : row) d = random() % 3 == 0 ? static_cast<u16>(random() | 1) : u16{0};
  TileSetup s;
  s.unpacker = 1;
  s.x = 64;
  s.y = 6;
  s.z = 1;
  s.x_end = 63;
  apply(s);
  set_word(121, 0);  // compressed in every context
  const std::vector<u8> bytes = compress(rows);
  std::copy(bytes.begin(), bytes.end(), l1.data() + data_address(s));
  for (u32 y = 0; y < 6; ++y) {
    for (u32 r = 0; r < 64; ++r) src_b(r).datum.fill(0xFFFFFFFF);
    adc(AdcUnit::Unpacker1).channel[0].y = static_cast<u16>(y);
    unpack(1);
    for (u32 i = 0; i < 64; ++i)
      EXPECT_EQ(src_b(i / 16).datum[i % 16], u32{rows[y][i]} << 16) << y << " " << i;
    EXPECT_EQ(src_b(4).datum[0], 0xFFFFFFFFu);
  }
  // A part of a row: the first datums are dropped, the rest is counted.
  adc(AdcUnit::Unpacker1).channel[0].y = 2;
  adc(AdcUnit::Unpacker1).channel[0].x = 5;
  adc(AdcUnit::Unpacker1).channel[1].x = 40;
  for (u32 r = 0; r < 64; ++r) src_b(r).datum.fill(0xFFFFFFFF);
  unpack(1);
  for (u32 i = 0; i < 36; ++i)
    EXPECT_EQ(src_b(i / 16).datum[i % 16], u32{rows[2][i + 5]} << 16) << i;
  EXPECT_EQ(src_b(2).datum[4], 0xFFFFFFFFu);
  EXPECT_FALSE(faulted());
}

TEST_F(Unpack, row_search_of_a_compressed_tile_ends_at_the_row_named_by_x) {
  std::vector<std::vector<u16>> rows(4, std::vector<u16>(16, 7));
  TileSetup s;
  s.unpacker = 1;
  s.x = 16;
  s.y = 4;
  s.z = 1;
  apply(s);
  set_word(121, 0);
  const std::vector<u8> bytes = compress(rows);
  std::copy(bytes.begin(), bytes.end(), l1.data() + data_address(s));
  adc(AdcUnit::Unpacker1).channel[0].x = 2;
  adc(AdcUnit::Unpacker1).channel[0].y = 1;
  unpack(1, false, {{"row_search", 1}});
  EXPECT_EQ(src_b(1).datum[15], 7u << 16);  // rows 1 and 2
  EXPECT_EQ(src_b(2).datum[0], 0u);
}

// Random programs against the formulas of the pages, datum by datum.
struct Model {
  TileSetup s;
  bool tileize = false, haloize = false, to_dst = false;
  u32 step = 0;  // tileize step, 16-byte units
  u32 y0 = 0, z0 = 0, w0 = 0;
};

u32 bits_at(const u8* memory, u64 bit_address, u32 count) {
  u32 value = 0;
  for (u32 i = 0; i < count; ++i, ++bit_address)
    value |= (u32{memory[bit_address / 8]} >> (bit_address % 8) & 1) << i;
  return value;
}

// tidy: allow function-length: one program is drawn, run and modelled step by step
TEST_F(Unpack, random_programs_match_the_datum_by_datum_formulas) {
  std::mt19937 random(99);
  const auto below = [&](u32 n) { return random() % n; };
  for (u32 i = 0; i < kL1Size; i += 4) put32(i, random());
  const Format formats[] = {Format::Fp32, Format::Fp16,  Format::Bf16, Format::Bfp8, Format::Bfp4,
                            Format::Bfp2, Format::Int16, Format::Fp8,  Format::Int8};
  for (int program = 0; program < 400; ++program) {
    Model m;
    m.s.unpacker = below(2);
    m.s.in = formats[below(9)];
    m.s.out = m.s.in == Format::Fp32 ? Format::Tf32 : m.s.in;
    const u32 b = numeric::bits_of(m.s.in);
    m.tileize = m.s.unpacker == 0 && b >= 8 && below(4) == 0;
    m.haloize = m.s.unpacker == 0 && !m.tileize && below(4) == 0;
    const bool aligned = m.tileize || m.haloize;
    m.s.x = 16 * (1 + below(20));
    m.s.y = 1 + below(4);
    m.s.z = 1 + below(4);
    m.s.w = 1 + below(3);
    m.s.base = 0x400 + below(0x1000);
    m.s.offset = below(0x400);
    m.s.x_start = aligned ? 0 : below(40);
    m.s.x_end = m.s.x_start + (m.haloize ? 256 : 1 + below(256)) - 1;
    if (aligned) m.s.x = 256;
    m.s.destination = 64 + 128 * below(4) + (m.s.x_end - m.s.x_start < 16 ? below(16) : 0);
    if (m.haloize) m.s.destination = 64 + 256 * below(3);
    m.step = 16 + below(64);
    m.y0 = below(m.s.y);
    m.z0 = below(m.s.z);
    m.w0 = below(m.s.w);
    faults.clear();
    for (auto& bank : state().cfg.bank) bank.fill(0);
    apply(m.s);
    set<cfg::THCON_SEC0_REG2_Haloize_mode>(m.haloize);
    set<cfg::THCON_SEC0_REG2_Tileize_mode>(m.tileize);
    if (m.tileize) set_word(72, words()[72] | m.step << 16);
    AdcChannel& in = adc(unit(m.s.unpacker)).channel[0];
    in.y = static_cast<u16>(m.y0);
    in.z = static_cast<u8>(m.z0);
    in.w = static_cast<u8>(m.w0);
    if (m.s.unpacker == 1) {
      set_word(58, (numeric::address_bytes_of(m.s.out) * 16) << 16);
      adc(AdcUnit::Unpacker1).channel[1].y = static_cast<u16>(below(48));
    } else {
      adc(AdcUnit::Unpacker0).channel[1].y = 0;
    }

    SrcFile& file = m.s.unpacker == 0 ? state().fpu.src_a : state().fpu.src_b;
    for (SrcRow& row : file.bank[0]) row.datum.fill(0x12340000);
    std::array<SrcRow, kSrcRows> expected = file.bank[0];

    const u32 row = (m.w0 * m.s.z + m.z0) * m.s.y + m.y0;
    const u64 first = u64{row} * m.s.x + m.s.x_start;
    const u32 header = data_address(m.s);
    u32 section = 0;
    if (numeric::is_bfp(m.s.in)) {
      const u32 elements = m.s.x * m.s.y * m.s.z * m.s.w;
      section = ((elements + 15) / 16 + 15) / 16 * 16;
    }
    const u32 width = b >= 16 ? 32 : 16;
    const numeric::UnpackRow convert = numeric::unpack_row_to_src(m.s.in, m.s.out, {});
    for (u32 j = 0; j <= m.s.x_end - m.s.x_start; ++j) {
      u64 at = u64{header + section} * 8 + first * b;
      at += m.tileize ? u64{b} * (j % width) + u64{m.step} * 128 * (j / width) : u64{b} * j;
      u32 datum[16] = {bits_at(l1.data(), at, b)};
      u8 exponent[16] = {l1.data()[(16 * u64{header} + first + j) / 16]};
      u32 cell[16];
      convert(datum, exponent, cell);
      if (m.s.unpacker == 1) {
        const u32 position = adc(AdcUnit::Unpacker1).channel[1].y * 16u + j;
        expected[position / 16 % 64].datum[position % 16] = cell[0];
        continue;
      }
      const u32 position = m.s.destination + j;
      u32 to_row = (position / 16 - 4) % 64;
      u32 to_column = position % 16;
      if (m.haloize) {
        const u32 low = to_row % 16;
        to_row = to_row / 16 * 16 + to_column;
        to_column = low;
      }
      expected[to_row].datum[to_column] = cell[0];
    }
    EXPECT_EQ(unpack(m.s.unpacker), Completion::Done);
    ASSERT_FALSE(faulted()) << faults.faults()[0].text;
    for (u32 r = 0; r < kSrcRows; ++r)
      for (u32 c = 0; c < 16; ++c)
        ASSERT_EQ(file.bank[0][r].datum[c], expected[r].datum[c])
            << "program " << program << " row " << r << " column " << c << " " << name_of(m.s.in)
            << " tileize " << m.tileize << " haloize " << m.haloize;
  }
}

}  // namespace
}  // namespace bhemu::tensix
