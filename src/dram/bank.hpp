// One DRAM bank: 4 GiB of GDDR6 behind three NoC ports that show the same memory.
// BlackholeA0/NoC/README.md; spec dram.md section 2. Addresses beyond the bank are a fault: what
// silicon does there is not documented.
// Not modelled: the RISC-V core and L1 of the DRAM tiles (NIU_CFG_0 bit 15).
#pragma once

#include "mem/mapping.hpp"
#include "noc/endpoint.hpp"

namespace bhemu::dram {

inline constexpr u64 kBankBytes = u64{4} << 30;

class Bank final : public noc::Endpoint {
 public:
  explicit Bank(const noc::EndpointConfig& config);

  Mapping& memory() { return memory_; }
  const Mapping& memory() const { return memory_; }
  noc::PlainMemory plain_memory() override { return {memory_.data(), nullptr, kBankBytes}; }
  void reset(Cycle now) override;

 protected:
  bool read(u64 address, void* target, u32 bytes, Cycle now) override;
  bool write(u64 address, const void* source, u32 bytes, const Author& author) override;
  Rule address_rule() const override { return Rule::DramAddress; }
  u64 hash_memory(u64 seed) const override;
  void archive_memory(Archive& archive) override { memory_.archive(archive); }

 private:
  Mapping memory_;
};

}  // namespace bhemu::dram
