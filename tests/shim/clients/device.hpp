// The card as this client sees it: an open device, and windows into it.
#pragma once

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace client {

inline constexpr const char* kDevice = "/dev/tenstorrent/0";
inline constexpr uint64_t kSmall = 2u << 20;
inline constexpr uint64_t kLarge = 4ull << 30;
inline constexpr uint64_t kResetPc = 0x112228;        // TRISC 0's, plain storage
inline constexpr uint64_t kResetRegister = 0x1121B0;  // of 0xFFB121B0, in a window at 0xFFA00000

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what + " (errno " + std::to_string(errno) + ")");
}

inline unsigned long request(unsigned number) {
  return _IO(0xFA, number);
}

// Structures of tt-kmd's public ioctl.h.
struct AllocateTlb {
  uint64_t size, reserved;
  uint32_t id, reserved0;
  uint64_t offset_uc, offset_wc, reserved1;
};
struct ConfigureTlb {
  uint32_t id, reserved;
  uint64_t address;
  uint16_t x_end, y_end, x_start, y_start;
  uint8_t noc, multicast, ordering, linked, static_vc, reserved0[3];
  uint32_t reserved1[2];
  uint64_t out;
};
struct PinPages {
  uint32_t output_size, flags;
  uint64_t address, size, physical, noc_address;
};
struct DeviceInfo {
  uint32_t wanted, size;
  uint16_t vendor, device, subsystem_vendor, subsystem, bus_dev_fn, dma_log2, domain, reserved;
};

class Card {
 public:
  explicit Card(int flags = O_RDWR | O_CLOEXEC | O_APPEND) : fd(::open(kDevice, flags)) {
    expect(fd >= 0, "open");
  }
  ~Card() { ::close(fd); }
  const int fd;
};

class Window {
 public:
  Window(const Card& card, uint64_t size, int protection = PROT_READ | PROT_WRITE) : card_(card) {
    AllocateTlb allocate{};
    allocate.size = size;
    expect(::ioctl(card.fd, request(11), &allocate) == 0, "ALLOCATE_TLB");
    id_ = allocate.id;
    size_ = size;
    void* address = ::mmap(nullptr, size, protection, MAP_SHARED, card.fd,
                           static_cast<off_t>(allocate.offset_uc));
    expect(address != MAP_FAILED, "mmap of a window");
    bytes = static_cast<uint8_t*>(address);
  }
  ~Window() {
    ::munmap(bytes, size_);
    ::ioctl(card_.fd, request(12), &id_);
  }
  Window& point(unsigned x, unsigned y, uint64_t address) {
    ConfigureTlb configure{};
    configure.id = id_;
    configure.address = address;
    configure.x_end = static_cast<uint16_t>(x);
    configure.y_end = static_cast<uint16_t>(y);
    configure.ordering = 1;
    expect(::ioctl(card_.fd, request(13), &configure) == 0, "CONFIGURE_TLB");
    return *this;
  }
  volatile uint32_t& word(uint64_t offset) {
    return *reinterpret_cast<volatile uint32_t*>(bytes + offset);
  }
  void look(uint64_t offset) { [[maybe_unused]] const uint32_t value = word(offset); }
  uint8_t* bytes = nullptr;

 private:
  const Card& card_;
  uint32_t id_ = 0;
  uint64_t size_ = 0;
};

}  // namespace client
