// Every request of tt-kmd: what it does, and each thing that it refuses. The expected answers are
// those of tt-kmd's sources (chardev.c, memory.c, tlb.c, blackhole.c).
#include <unistd.h>

#include <array>
#include <set>

#include "bench.hpp"

namespace bhemu::kmd {
namespace {

constexpr u64 kMega = u64{1} << 20;
constexpr u64 kGiga = u64{1} << 30;
constexpr Coord kTile{1, 2};
constexpr Coord kDram{17, 14};
constexpr u64 kNocHost = u64{4} << 58;

class Requests : public Bench {};

TEST_F(Requests, numbers_are_those_of_ioctl_h) {
  EXPECT_EQ(abi::GET_DEVICE_INFO, 0xFA00u);
  EXPECT_EQ(abi::PIN_PAGES, 0xFA07u);
  EXPECT_EQ(abi::SET_POWER_STATE, 0xFA0Fu);
  u32 nothing = 0;
  for (const u64 unknown : {0xFA10ull, 0xFA11ull, 0xFB00ull, 0ull, 0xC018FA00ull})
    EXPECT_EQ(call(unknown, nothing), -EINVAL) << unknown;
  EXPECT_EQ(call(abi::GET_HARVESTING, nothing), -EINVAL);
  EXPECT_EQ(call(abi::FREE_DMA_BUF, nothing), -EINVAL);
}

TEST_F(Requests, structures_that_are_not_the_callers_memory_are_refused) {
  const Pages hole(4096, PROT_NONE);
  for (u64 request = abi::GET_DEVICE_INFO; request <= abi::SET_POWER_STATE; ++request) {
    if (request == abi::GET_HARVESTING || request == abi::FREE_DMA_BUF) continue;
    EXPECT_EQ(file->ioctl(request, nullptr), -EFAULT) << request;
    EXPECT_EQ(file->ioctl(request, hole.data()), -EFAULT) << request;
  }
}

TEST_F(Requests, device_info_names_a_blackhole_on_the_bus) {
  abi::GetDeviceInfo info{};
  info.in.output_size_bytes = sizeof info.out;
  ASSERT_EQ(call(abi::GET_DEVICE_INFO, info), 0);
  EXPECT_EQ(info.out.output_size_bytes, 20u);
  EXPECT_EQ(info.out.vendor_id, 0x1E52);
  EXPECT_EQ(info.out.device_id, 0xB140);
  EXPECT_EQ(info.out.subsystem_vendor_id, 0x1E52);
  EXPECT_EQ(info.out.subsystem_id, 0x43);
  EXPECT_EQ(info.out.bus_dev_fn, 0x0100);
  EXPECT_EQ(info.out.max_dma_buf_size_log2, 28);
  EXPECT_EQ(info.out.pci_domain, 0);
  EXPECT_EQ(driver.pci_address(), "0000:01:00.0");
  EXPECT_EQ(driver.device_path(), "/dev/tenstorrent/0");
}

TEST_F(Requests, an_answer_is_as_long_as_the_client_says_and_cleared_beyond_what_we_know) {
  struct {
    abi::GetDeviceInfo info;
    std::array<u8, 12> more;
  } longer{};
  longer.more.fill(0xAA);
  longer.info.in.output_size_bytes = sizeof longer.info.out + 8;
  ASSERT_EQ(call(abi::GET_DEVICE_INFO, longer), 0);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(longer.more[i], 0) << i;
  for (unsigned i = 8; i < 12; ++i) EXPECT_EQ(longer.more[i], 0xAA) << i;

  abi::GetDeviceInfo shorter{};
  shorter.in.output_size_bytes = 6;
  shorter.out.device_id = 0x5555;
  ASSERT_EQ(call(abi::GET_DEVICE_INFO, shorter), 0);
  EXPECT_EQ(shorter.out.vendor_id, 0x1E52);
  EXPECT_EQ(shorter.out.device_id, 0x5555);

  // Longer than the memory that is there.
  const Pages two(2 * 4096);
  ASSERT_EQ(mprotect(two.data() + 4096, 4096, PROT_NONE), 0);
  auto* last =
      reinterpret_cast<abi::GetDeviceInfo*>(two.data() + 4096 - sizeof(abi::GetDeviceInfo));
  last->in.output_size_bytes = sizeof last->out;
  EXPECT_EQ(file->ioctl(abi::GET_DEVICE_INFO, last), 0);
  last->in.output_size_bytes = sizeof last->out + 1;
  EXPECT_EQ(file->ioctl(abi::GET_DEVICE_INFO, last), -EFAULT);
}

TEST_F(Requests, driver_info_says_interface_two_of_a_driver_newer_than_2_9) {
  abi::GetDriverInfo info{};
  info.in.output_size_bytes = sizeof info.out;
  ASSERT_EQ(call(abi::GET_DRIVER_INFO, info), 0);
  EXPECT_EQ(info.out.output_size_bytes, 12u);
  EXPECT_EQ(info.out.driver_version, 2u);
  EXPECT_EQ(info.out.driver_version_major, 2);
  EXPECT_EQ(info.out.driver_version_minor, 10);
}

TEST_F(Requests, mappings_list_both_kinds_of_three_bars) {
  struct {
    abi::QueryMappings head;
    abi::Mapping list[8];
  } query{};
  std::memset(query.list, 0xFF, sizeof query.list);
  query.head.in.output_mapping_count = 7;
  ASSERT_EQ(call(abi::QUERY_MAPPINGS, query), 0);
  const u64 sizes[] = {512 * kMega, 512 * kMega, kMega, kMega, 32 * kGiga, 32 * kGiga};
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(query.list[i].mapping_id, i + 1);
    EXPECT_EQ(query.list[i].mapping_base, u64{i} << 36);
    EXPECT_EQ(query.list[i].mapping_size, sizes[i]);
  }
  EXPECT_EQ(query.list[6].mapping_id, 0u);   // cleared
  EXPECT_EQ(query.list[7].mapping_id, ~0u);  // not asked for
  query.head.in.output_mapping_count = ~0u;
  EXPECT_EQ(call(abi::QUERY_MAPPINGS, query), -EFAULT);
}

// --- Windows.

TEST_F(Requests, there_are_201_small_windows_and_8_large_ones_for_clients) {
  std::set<u32> seen;
  for (unsigned i = 0; i < 201; ++i) seen.insert(allocate());
  EXPECT_EQ(seen.size(), 201u);
  EXPECT_EQ(seen.count(201), 0u);
  abi::AllocateTlb tlb{};
  tlb.in.size = 2 * kMega;
  EXPECT_EQ(call(abi::ALLOCATE_TLB, tlb), -ENOMEM);
  for (unsigned i = 0; i < 8; ++i) seen.insert(allocate(4 * kGiga));
  EXPECT_EQ(seen.size(), 209u);
  EXPECT_EQ(*seen.rbegin(), 209u);
  tlb.in.size = 4 * kGiga;
  EXPECT_EQ(call(abi::ALLOCATE_TLB, tlb), -ENOMEM);
  for (const u64 size : {u64{0}, kMega, 16 * kMega, 2 * kMega + 1, 4 * kGiga - 1, ~u64{0}}) {
    tlb.in.size = size;
    EXPECT_EQ(call(abi::ALLOCATE_TLB, tlb), -EINVAL) << size;
  }
}

TEST_F(Requests, a_windows_mapping_is_its_place_in_the_bar) {
  abi::AllocateTlb tlb{};
  tlb.in.size = 2 * kMega;
  ASSERT_EQ(call(abi::ALLOCATE_TLB, tlb), 0);
  ASSERT_EQ(call(abi::ALLOCATE_TLB, tlb), 0);
  EXPECT_EQ(tlb.out.id, 1u);
  EXPECT_EQ(tlb.out.mmap_offset_uc, (u64{6} << 36) + 2 * kMega);
  EXPECT_EQ(tlb.out.mmap_offset_wc, (u64{7} << 36) + 2 * kMega);
  Region region;
  ASSERT_EQ(file->map(tlb.out.mmap_offset_wc, 2 * kMega, region), 0);
  EXPECT_EQ(region.bar, 0u);
  EXPECT_EQ(region.offset, 2 * kMega);
  EXPECT_TRUE(region.combining);
  tlb.in.size = 4 * kGiga;
  ASSERT_EQ(call(abi::ALLOCATE_TLB, tlb), 0);
  ASSERT_EQ(call(abi::ALLOCATE_TLB, tlb), 0);
  EXPECT_EQ(tlb.out.id, 203u);
  EXPECT_EQ(tlb.out.mmap_offset_uc, (u64{6} << 36) + 512 * kMega + 4 * kGiga);
  ASSERT_EQ(file->map(tlb.out.mmap_offset_uc, 4 * kGiga, region), 0);
  EXPECT_EQ(region.bar, 4u);
  EXPECT_EQ(region.offset, 4 * kGiga);
  EXPECT_EQ(region.bytes, 4 * kGiga);
  EXPECT_FALSE(region.combining);
}

TEST_F(Requests, a_window_cannot_be_freed_while_it_is_mapped_or_by_others) {
  const u32 id = allocate();
  const u64 offset = (u64{6} << 36) + place(id);
  Region region;
  ASSERT_EQ(file->map(offset, 4096, region), 0);
  ASSERT_EQ(file->map(offset, 2 * kMega, region), 0);
  abi::FreeTlb wish{{id}};
  EXPECT_EQ(call(abi::FREE_TLB, wish), -EBUSY);
  file->unmap(offset, 4096);
  EXPECT_EQ(call(abi::FREE_TLB, wish), -EBUSY);
  file->unmap(offset, 2 * kMega);
  const auto other = driver.open();
  EXPECT_EQ(call(abi::FREE_TLB, wish, other.get()), -EPERM);
  EXPECT_EQ(call(abi::FREE_TLB, wish), 0);
  EXPECT_EQ(call(abi::FREE_TLB, wish), -EPERM);
  for (const auto& [bad, error] :
       {std::pair{201u, -EPERM}, {210u, -EPERM}, {255u, -EPERM}, {256u, -EINVAL}, {~0u, -EINVAL}}) {
    wish.in.id = bad;
    EXPECT_EQ(call(abi::FREE_TLB, wish), error) << bad;
  }
  EXPECT_EQ(allocate(), id);
}

TEST_F(Requests, windows_are_aimed_by_their_owner_at_multiples_of_their_size) {
  const u32 small = allocate();
  const u32 large = allocate(4 * kGiga);
  EXPECT_EQ(aim(small, kTile, 6 * kMega), 0);
  EXPECT_EQ(aim(small, kTile, kMega), -EINVAL);
  EXPECT_EQ(aim(small, kTile, 2 * kMega + 4), -EINVAL);
  EXPECT_EQ(aim(large, kDram, 8 * kGiga), 0);
  EXPECT_EQ(aim(large, kDram, 2 * kGiga), -EINVAL);
  EXPECT_EQ(aim(201, kTile, 0), -EPERM);
  EXPECT_EQ(aim(255, kTile, 0), -EPERM);
  EXPECT_EQ(aim(256, kTile, 0), -EINVAL);
  const auto other = driver.open();
  EXPECT_EQ(aim(small, kTile, 0, other.get()), -EPERM);
}

TEST_F(Requests, fields_are_cut_to_the_width_of_the_window_registers) {
  const u32 id = allocate();
  abi::ConfigureTlb tlb{};
  tlb.in.id = id;
  tlb.in.config = {u64{1} << 63, 64 + 17, 64 + 14, 0xFFC0, 0xFFC0, 4, 2, 5, 2, 2, {}, {}};
  // A pattern of strides, set by other means, is taken back.
  constexpr u64 kStrided = 0x1FC00000 + 210 * 12;
  ASSERT_TRUE(put32(kStrided + 4 * id, 0x15));
  ASSERT_EQ(call(abi::CONFIGURE_TLB, tlb), 0);
  const u64 at = 0x1FC00000 + 12 * u64{id};
  EXPECT_EQ(get32(at), 0u);                                    // address >> 21
  EXPECT_EQ(get32(at + 4), 1u << 10 | 17u << 11 | 14u << 17);  // bit 42; ends
  EXPECT_EQ(get32(at + 8), 1u << 6);                           // ordering 1, nothing else
  EXPECT_EQ(get32(kStrided + 4 * id), 0u);
}

TEST_F(Requests, a_configured_window_reads_and_writes_what_it_points_at) {
  const u32 a = allocate();
  const u32 b = allocate(4 * kGiga);
  ASSERT_EQ(aim(a, kDram, 8 * kMega), 0);
  ASSERT_EQ(aim(b, kDram, 0), 0);
  const std::array<u8, 5> text{1, 2, 3, 4, 5};
  ASSERT_TRUE(driver.write(0, place(a) + 3, text));
  std::array<u8, 5> back{};
  ASSERT_TRUE(driver.read(4, (u64{b} - 202) * 4 * kGiga + 8 * kMega + 3, back));
  EXPECT_EQ(back, text);
}

// --- mmap.

TEST_F(Requests, offsets_of_mmap_are_checked_as_the_driver_does) {
  Region region;
  const u64 step = u64{1} << 36;
  EXPECT_EQ(file->map(0, 512 * kMega, region), 0);
  EXPECT_EQ(region.bar, 0u);
  EXPECT_EQ(file->map(4096, 512 * kMega, region), -EINVAL);
  EXPECT_EQ(file->map(step + 4096, 8192, region), 0);
  EXPECT_EQ(region.offset, 4096u);
  EXPECT_TRUE(region.combining);
  EXPECT_EQ(file->map(2 * step, kMega, region), 0);
  EXPECT_EQ(region.bar, 2u);
  EXPECT_EQ(file->map(2 * step, 2 * kMega, region), -EINVAL);
  EXPECT_EQ(file->map(5 * step + kGiga, kGiga, region), 0);
  EXPECT_EQ(region.bar, 4u);
  EXPECT_EQ(region.offset, kGiga);
  EXPECT_EQ(file->map(0, 0, region), -EINVAL);
  EXPECT_EQ(file->map(100, 4096, region), -EINVAL);
  EXPECT_EQ(file->map(8 * step, 4096, region), -EINVAL);
  EXPECT_EQ(file->map(~u64{0xFFF}, 4096, region), -EINVAL);

  const u32 id = allocate();
  EXPECT_EQ(file->map(6 * step + place(id), 4 * kMega, region), -EINVAL);    // over its end
  EXPECT_EQ(file->map(6 * step + place(id) + 4096, 4096, region), -EINVAL);  // not its beginning
  EXPECT_EQ(file->map(6 * step + place(id + 1), 4096, region), -EPERM);
  EXPECT_EQ(file->map(6 * step + 202 * 2 * kMega, 4096, region), -EINVAL);
  EXPECT_EQ(file->map(6 * step + 512 * kMega, 4096, region), -EPERM);
  EXPECT_EQ(file->map(6 * step + 512 * kMega + 32 * kGiga, 4096, region), -EINVAL);
}

// --- Memory of the host.

TEST_F(Requests, pinned_pages_get_a_bus_address_and_on_demand_a_noc_address) {
  abi::PinPages plain = pin_wish(pages(kMega), 0);
  ASSERT_EQ(call(abi::PIN_PAGES, plain), 0);
  EXPECT_NE(plain.out.physical_address, 0u);
  EXPECT_EQ(plain.out.noc_address, 0u);
  abi::PinPages low = pin_wish(pages(kGiga), abi::kPinNocDma);
  ASSERT_EQ(call(abi::PIN_PAGES, low), 0);
  EXPECT_EQ(low.out.noc_address, kNocHost);
  abi::PinPages next = pin_wish(pages(kMega), abi::kPinNocDma | abi::kPinContiguous);
  ASSERT_EQ(call(abi::PIN_PAGES, next), 0);
  EXPECT_EQ(next.out.noc_address, kNocHost + kGiga);
  abi::PinPages top = pin_wish(pages(kMega), abi::kPinNocTopDown);
  ASSERT_EQ(call(abi::PIN_PAGES, top), 0);
  EXPECT_EQ(top.out.noc_address, kNocHost + (u64{1} << 58) - kMega);
  EXPECT_NE(top.out.physical_address, next.out.physical_address);
}

TEST_F(Requests, an_old_client_gets_only_the_physical_address) {
  abi::PinPages pin = pin_wish(pages(4096), abi::kPinNocDma);
  pin.in.output_size_bytes = 8;
  pin.out.noc_address = 77;
  ASSERT_EQ(call(abi::PIN_PAGES, pin), 0);
  EXPECT_NE(pin.out.physical_address, 0u);
  EXPECT_EQ(pin.out.noc_address, 77u);
}

TEST_F(Requests, what_cannot_be_pinned_is_refused) {
  const Pages& memory = pages(4 * 4096);
  const auto refused = [&](u32 flags, u64 address, u64 size) {
    abi::PinPages pin{};
    pin.in = {sizeof pin.out, flags, address, size};
    return call(abi::PIN_PAGES, pin);
  };
  const u64 at = memory.address();
  EXPECT_EQ(refused(16, at, 4096), -EINVAL);
  EXPECT_EQ(refused(0, at + 1, 4096), -EINVAL);
  EXPECT_EQ(refused(0, at, 4097), -EINVAL);
  EXPECT_EQ(refused(0, at, 0), -EINVAL);
  EXPECT_EQ(refused(0, at, 4096), 0);
  EXPECT_EQ(refused(2, at, 4096), -EEXIST);
  EXPECT_EQ(refused(0, at, 8192), 0);  // another size is another pinning
  EXPECT_EQ(refused(0, 4096, 4096), -EFAULT);
  EXPECT_EQ(refused(0, ~u64{0xFFF}, 4096), -EFAULT);
  EXPECT_EQ(refused(0, at, u64{1} << 46), -EFAULT);
  const Pages& constant = pages(4096, PROT_READ);
  EXPECT_EQ(refused(0, constant.address(), 4096), -EFAULT);
  EXPECT_EQ(refused(abi::kPinReadOnly, constant.address(), 4096), 0);
}

TEST_F(Requests, sixteen_regions_reach_the_noc_and_no_more) {
  std::vector<abi::PinPages> pins;
  for (unsigned i = 0; i < 16; ++i) {
    pins.push_back(pin_wish(pages(4096), abi::kPinNocDma));
    ASSERT_EQ(call(abi::PIN_PAGES, pins.back()), 0);
  }
  abi::PinPages more = pin_wish(pages(4096), abi::kPinNocDma);
  EXPECT_EQ(call(abi::PIN_PAGES, more), -ENOSPC);
  more.in.flags = 0;
  EXPECT_EQ(call(abi::PIN_PAGES, more), 0);
  // A gap is used again, by the first that fits.
  abi::UnpinPages back{{pins[3].in.virtual_address, 4096, 0}};
  ASSERT_EQ(call(abi::UNPIN_PAGES, back), 0);
  abi::PinPages large = pin_wish(pages(8192), abi::kPinNocDma);
  ASSERT_EQ(call(abi::PIN_PAGES, large), 0);
  EXPECT_EQ(large.out.noc_address, kNocHost + 16 * 4096);
  back = {{large.in.virtual_address, 8192, 0}};
  ASSERT_EQ(call(abi::UNPIN_PAGES, back), 0);
  abi::PinPages small = pin_wish(pages(4096), abi::kPinNocDma);
  ASSERT_EQ(call(abi::PIN_PAGES, small), 0);
  EXPECT_EQ(small.out.noc_address, pins[3].out.noc_address);
}

TEST_F(Requests, unpinning_wants_the_very_range_that_was_pinned) {
  const Pages& memory = pages(16 * 4096);
  abi::PinPages pin = pin_wish(memory, 0);
  ASSERT_EQ(call(abi::PIN_PAGES, pin), 0);
  const auto unpin = [&](u64 address, u64 size, u64 reserved = 0) {
    abi::UnpinPages wish{{address, size, reserved}};
    return call(abi::UNPIN_PAGES, wish);
  };
  const u64 at = memory.address();
  EXPECT_EQ(unpin(at, 4096), -EINVAL);
  EXPECT_EQ(unpin(at + 4096, 15 * 4096), -EINVAL);
  EXPECT_EQ(unpin(at, 0), -EINVAL);
  EXPECT_EQ(unpin(at, 100), -EINVAL);
  EXPECT_EQ(unpin(at, memory.size(), 1), -EINVAL);
  EXPECT_EQ(unpin(at, memory.size()), 0);
  EXPECT_EQ(unpin(at, memory.size()), -EINVAL);
  EXPECT_EQ(call(abi::PIN_PAGES, pin), 0);
}

TEST_F(Requests, pinned_pages_outlive_their_mapping) {
  for (const int kind : {MAP_PRIVATE, MAP_SHARED}) {
    constexpr u64 kBytes = 16 * 4096;
    auto* memory = static_cast<u8*>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    for (u64 i = 0; i < kBytes; ++i) memory[i] = static_cast<u8>(i / 4096 + i);
    abi::PinPages pin{};
    pin.in = {sizeof pin.out, abi::kPinNocDma, reinterpret_cast<u64>(memory), kBytes};
    ASSERT_EQ(call(abi::PIN_PAGES, pin), 0);
    const u32 id = allocate(4 * kGiga);
    ASSERT_EQ(aim(id, {19, 24}, pin.out.noc_address & ~(4 * kGiga - 1)), 0);
    const u64 through = (u64{id} - 202) * 4 * kGiga + (pin.out.noc_address & (4 * kGiga - 1));
    std::vector<u8> seen(kBytes);
    const auto expect_all = [&] {
      ASSERT_TRUE(driver.read(4, through, seen));
      for (u64 i = 0; i < kBytes; ++i) ASSERT_EQ(seen[i], static_cast<u8>(i / 4096 + i)) << i;
    };
    expect_all();
    // Pages from the middle, then all the rest.
    driver.before_unmap(pin.in.virtual_address + 5 * 4096, 3 * 4096);
    munmap(memory + 5 * 4096, 3 * 4096);
    expect_all();
    driver.before_unmap(pin.in.virtual_address, kBytes);
    munmap(memory, 5 * 4096);
    munmap(memory + 8 * 4096, 8 * 4096);
    expect_all();
    // Writes across the seam land, and the range can be unpinned by its old name.
    ASSERT_TRUE(driver.write(4, through, seen));
    abi::UnpinPages back{{pin.in.virtual_address, kBytes, 0}};
    EXPECT_EQ(call(abi::UNPIN_PAGES, back), 0);
    EXPECT_FALSE(driver.read(4, through, seen));
  }
}

TEST_F(Requests, dma_buffers_are_memory_that_mmap_shows_and_the_card_reaches) {
  abi::AllocateDmaBuf wish{};
  wish.in.requested_size = 64 * 4096;
  wish.in.buf_index = 7;
  wish.in.flags = abi::kDmaBufNoc;
  ASSERT_EQ(call(abi::ALLOCATE_DMA_BUF, wish), 0);
  EXPECT_EQ(wish.out.size, 64u * 4096);
  EXPECT_EQ(wish.out.mapping_offset, (u64{4096 - 256} << 32) + (u64{7} << 32));
  EXPECT_EQ(wish.out.noc_address, kNocHost + (u64{1} << 58) - 64 * 4096);
  Region region;
  ASSERT_EQ(file->map(wish.out.mapping_offset, 64 * 4096, region), 0);
  ASSERT_GE(region.fd, 0);
  auto* seen = static_cast<u8*>(
      mmap(nullptr, region.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region.fd, 0));
  ASSERT_NE(seen, MAP_FAILED);
  // From the host through the PCIe tile, as a core would reach it.
  const u32 id = allocate(4 * kGiga);
  ASSERT_EQ(aim(id, {19, 24}, wish.out.noc_address & ~(4 * kGiga - 1)), 0);
  const u64 through = (u64{id} - 202) * 4 * kGiga + (wish.out.noc_address & (4 * kGiga - 1));
  const std::array<u8, 3> text{7, 8, 9};
  ASSERT_TRUE(driver.write(4, through + 100, text));
  EXPECT_EQ(std::memcmp(seen + 100, text.data(), 3), 0);
  munmap(seen, region.bytes);
  EXPECT_EQ(file->map(wish.out.mapping_offset + 4096, 64 * 4096, region), -EINVAL);
  EXPECT_EQ(file->map(wish.out.mapping_offset + (u64{1} << 32), 4096, region), -EINVAL);
}

TEST_F(Requests, dma_buffers_of_wrong_size_or_index_are_refused) {
  abi::AllocateDmaBuf wish{};
  for (const u32 size : {0u, 1u, 4097u, (1u << 28) + 4096}) {
    wish.in.requested_size = size;
    EXPECT_EQ(call(abi::ALLOCATE_DMA_BUF, wish), -EINVAL) << size;
  }
  wish.in.requested_size = 1u << 28;
  EXPECT_EQ(call(abi::ALLOCATE_DMA_BUF, wish), 0);
  EXPECT_EQ(wish.out.noc_address, 0u);
  EXPECT_EQ(call(abi::ALLOCATE_DMA_BUF, wish), -EINVAL);
  wish.in.buf_index = 255;
  EXPECT_EQ(call(abi::ALLOCATE_DMA_BUF, wish), 0);
}

TEST_F(Requests, a_peer_is_never_there) {
  abi::MapPeerBar wish{};
  wish.in = {static_cast<u32>(fileno(stderr)), 0, 0, 4096, 0, 0};
  EXPECT_EQ(call(abi::MAP_PEER_BAR, wish), -EINVAL);
  wish.in.peer_fd = 1'000'000;
  EXPECT_EQ(call(abi::MAP_PEER_BAR, wish), -EBADF);
  wish.in.flags = 1;
  EXPECT_EQ(call(abi::MAP_PEER_BAR, wish), -EINVAL);
  wish.in = {1'000'000, 40, 0, 4096, 0, 0};
  EXPECT_EQ(call(abi::MAP_PEER_BAR, wish), -EINVAL);
  wish.in = {1'000'000, 0, 0, 0, 0, 0};
  EXPECT_EQ(call(abi::MAP_PEER_BAR, wish), -EINVAL);
}

}  // namespace
}  // namespace bhemu::kmd
