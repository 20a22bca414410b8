// Bytes that packets carry.
#include "noc/payload.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace bhemu::noc {
namespace {

TEST(Payload, of_a_long_packet_lies_in_its_page_where_its_bytes_go) {
  constexpr u64 kPage = 4096;
  for (const u32 bytes : {512u, 8192u, 16384u})
    for (const u64 to : {u64{0}, u64{0x20000}, u64{0x12340}, u64{0xFFF0}, u64{1} << 40 | 0x890})
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Payload::of(bytes, to).data()) % kPage, to % kPage)
          << bytes << ", " << to;
}

TEST(Payload, has_all_its_bytes_wherever_they_go_and_keeps_them_for_the_last_who_holds_it) {
  for (u32 bytes = 0; bytes <= 2048; bytes += 61)
    for (u64 to = 0; to < 9000; to += 1111) {
      std::vector<Payload> holders;
      {
        Payload payload = Payload::of(bytes, to);
        ASSERT_EQ(payload.size(), bytes);
        for (u32 i = 0; i < bytes; ++i) payload.writable()[i] = static_cast<u8>(i * 7 + to);
        holders.assign(3, payload);
      }
      while (!holders.empty()) {
        for (u32 i = 0; i < bytes; ++i)
          ASSERT_EQ(holders.back().data()[i], static_cast<u8>(i * 7 + to)) << bytes << ", " << to;
        holders.pop_back();
      }
    }
}

}  // namespace
}  // namespace bhemu::noc
