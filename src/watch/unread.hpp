// Which DRAM the kernels of a run have read: of a wrong result, what is missing in it.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "host/boot/prepared.hpp"
#include "trace/observer.hpp"

namespace bhemu::watch {

/// Reads of one DRAM bank, in blocks.
class BankReads final : public trace::Observer {
 public:
  static constexpr u64 kBlock = 64;  // bytes
  void arrived(const trace::Arrival& one) override;
  void forget() override { blocks_.clear(); }
  bool any(u64 address, u64 bytes) const;

 private:
  std::vector<bool> blocks_;
};

class ReadsOfDevice {
 public:
  explicit ReadsOfDevice(Device& device);
  ~ReadsOfDevice();
  ReadsOfDevice(const ReadsOfDevice&) = delete;
  ReadsOfDevice& operator=(const ReadsOfDevice&) = delete;

  /// " Pages 0 to 7 of tensor table (it has 32) were read by nobody."; of tensors that come with
  /// data and whose address a kernel is given. Empty: all have been read.
  std::string missing(const host::PreparedProgram& program) const;

 private:
  std::vector<u64> unread_pages(const host::PreparedProgram& program,
                                const host::PreparedTensor& tensor) const;

  Device& device_;
  unsigned id_ = 0;
  std::vector<const BankReads*> banks_;  // by node; they belong to the device
};

}  // namespace bhemu::watch
