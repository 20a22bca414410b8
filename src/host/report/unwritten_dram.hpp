// Reads of DRAM where nobody has ever written, for hosts that launch kernels by themselves: the
// first sign of arguments in the wrong order or for the wrong core, which end without a fault and
// with a wrong result. Only DRAM is looked at, where it costs a bit for each 64 bytes of a request.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/report/report.hpp"

namespace bhemu::host {

/// Of all DRAM banks of a device, from now on. Of a bank that has something in it already, or took
/// over memory (a snapshot), no writer is known, and nothing is told of it.
class UnwrittenDram {
 public:
  explicit UnwrittenDram(Device& device);
  ~UnwrittenDram();
  UnwrittenDram(const UnwrittenDram&) = delete;
  UnwrittenDram& operator=(const UnwrittenDram&) = delete;

  /// What cores have read so since it was asked last; empty: nothing. Between runs.
  std::string take(const CodeMap& code);
  bool has_any() const;

 private:
  class Bank;

  Device& device_;
  unsigned id_ = 0;
  std::vector<Bank*> banks_;  // they belong to the device
};

}  // namespace bhemu::host
