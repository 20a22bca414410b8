// A node that only answers requests: DRAM banks, the PCIe tile, the ARC tile, Ethernet tiles.
// (Software on silicon can initiate requests from some of them; no software that we run does.)
#pragma once

#include <array>

#include "noc/node.hpp"
#include "noc/registers.hpp"
#include "noc/routing.hpp"
#include "noc/serve.hpp"
#include "noc/timing.hpp"

namespace bhemu::noc {

struct EndpointConfig {
  NodeId node = kNoNode;
  Coord noc0;  // physical
  const Routing* routing = nullptr;
  const Timing* timing = nullptr;
  const FaultPolicy* policy = nullptr;
};

class Endpoint : public Node, protected ServedMemory {
 public:
  Endpoint(NodeKind kind, const EndpointConfig& config)
      : Node(kind, config.node, config.policy), config_(config) {}

  Cycle next_cycle() const override { return arrivals_.next(); }
  void run_until(Cycle until, Outbox& outbox) override;
  void deliver(Packet&& packet) override { arrivals_.push(std::move(packet)); }
  bool host_read(u64 address, std::span<u8> bytes, Cycle now) override;
  bool host_write(u64 address, std::span<const u8> bytes, Cycle now) override;
  u64 hash(u64 seed) const override;
  void archive(Archive& archive) override;
  void reset(Cycle now) override;

  /// A word of this tile's NIU on `noc`: identification, configuration, the status counters at
  /// 0x200 (niu.def). False: nothing there, or not modelled. These NIUs have no command buffers
  /// that anybody could use, and their configuration is the ARC firmware's: there is no write.
  bool read_niu(unsigned noc, u32 offset, u32& value) const;
  /// For the status counters: a request that the host makes through this tile, and its answer.
  void count_host_request(unsigned noc, bool is_write, bool posted, u64 address, u64 bytes);
  /// The same of a request of one packet with one flit.
  void count_host_read(unsigned noc) {
    count(noc, niu::NIU_MST_CMD_ACCEPTED, 1);
    count(noc, niu::NIU_MST_RD_REQ_STARTED, 1);
    count(noc, niu::NIU_MST_RD_REQ_SENT, 1);
    count(noc, niu::NIU_MST_RD_RESP_RECEIVED, 1);
    count(noc, niu::NIU_MST_RD_DATA_WORD_RECEIVED, 1);
  }

 protected:
  /// Both return false where nothing is; the caller then raises `address_rule`.
  bool read(u64 address, void* target, u32 bytes, Cycle now) override = 0;
  bool write(u64 address, const void* source, u32 bytes, const Author& author) override = 0;
  virtual Rule address_rule() const = 0;
  /// Guest-visible state beyond what this class holds.
  virtual u64 hash_memory(u64 seed) const = 0;
  virtual void archive_memory(Archive& archive) = 0;

  const EndpointConfig& config() const { return config_; }

 private:
  void answer(Packet& packet, Outbox& outbox);
  void count_arrival(const Packet& packet);
  void count_response(const Packet& packet);
  void count(unsigned noc, u32 offset, u32 amount) {
    counters_[noc][(offset - kCountersFirst) / 4] += amount;
  }
  /// Elsewhere nobody can read the counters.
  bool shows_niu() const { return kind() == NodeKind::Pcie || kind() == NodeKind::Arc; }

  static constexpr u32 kCountersFirst = 0x200;
  static constexpr u32 kCountersEnd = 0x300;

  EndpointConfig config_;
  ArrivalQueue arrivals_;
  u64 sequence_ = 0;
  std::array<std::array<u32, (kCountersEnd - kCountersFirst) / 4>, kNocs> counters_{};
};

}  // namespace bhemu::noc
