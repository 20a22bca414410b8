#include "noc/checks.hpp"

#include <fmt/format.h>

#include "noc/command.hpp"

namespace bhemu::noc {
namespace {

bool has_registers(NodeKind kind) {
  return kind == NodeKind::Tensix || kind == NodeKind::Ethernet;
}

bool is_local_memory(u64 address) {
  constexpr u64 kBegin = 0xFFB00000;
  constexpr u64 kEnd = 0xFFB02000;
  return address >= kBegin && address < kEnd;
}

Objection check_inline(const Transfer& transfer) {
  if (!has_registers(transfer.remote))
    return {Rule::NocInlineTarget, fmt::format("inline write to a {} tile at 0x{:x}",
                                               name_of(transfer.remote), transfer.remote_address)};
  if (!is_register(transfer.remote_address))
    return {Rule::NocInlineToL1, fmt::format("inline write to 0x{:x}", transfer.remote_address)};
  if ((transfer.remote_address & 3) != 0)
    return {Rule::NocAlignment,
            fmt::format("inline write to register 0x{:x}", transfer.remote_address)};
  return {};
}

}  // namespace

Objection check_transfer(const Transfer& transfer) {
  if (transfer.inline_data) return check_inline(transfer);
  if (transfer.length == 0) return {};
  const bool remote_register =
      has_registers(transfer.remote) && is_register(transfer.remote_address);
  const bool local_register = is_register(transfer.local_address);
  const char* what = transfer.read ? "read" : "write";
  // Local memory is its core's own; neither this tile's NIU nor another tile's reaches it.
  if (is_local_memory(transfer.local_address) ||
      (remote_register && is_local_memory(transfer.remote_address)))
    return {
        Rule::NocAddress,
        fmt::format("{} of {} bytes with {} 0x{:x}, which is local memory of a core (a variable "
                    "on its stack or a global one): the NoC reaches L1 and registers only",
                    what, transfer.length,
                    is_local_memory(transfer.local_address) ? "this tile's" : "the target's",
                    is_local_memory(transfer.local_address) ? transfer.local_address
                                                            : transfer.remote_address)};
  if ((remote_register || local_register) && transfer.length != 4)
    return {Rule::NocRegisterLength,
            fmt::format("{} of {} bytes: {} 0x{:x}, this tile 0x{:x}", what, transfer.length,
                        name_of(transfer.remote), transfer.remote_address, transfer.local_address)};
  // WormholeB0/NoC/Alignment.md; that Blackhole takes only whole words from and to registers is
  // said in its MemoryMap.md.
  u64 congruence = 16;
  if (transfer.read ? remote_register : local_register) congruence = 4;
  if (transfer.read && (transfer.remote == NodeKind::Dram || transfer.remote == NodeKind::Pcie))
    congruence = 64;
  if (((transfer.remote_address ^ transfer.local_address) & (congruence - 1)) != 0)
    return {Rule::NocAlignment,
            fmt::format("{}: {} 0x{:x} and 0x{:x} of this tile must agree modulo {}", what,
                        name_of(transfer.remote), transfer.remote_address, transfer.local_address,
                        congruence)};
  if ((remote_register && (transfer.remote_address & 3) != 0) ||
      (local_register && (transfer.local_address & 3) != 0))
    return {Rule::NocAlignment,
            fmt::format("{} of a register: {} 0x{:x}, this tile 0x{:x}", what,
                        name_of(transfer.remote), transfer.remote_address, transfer.local_address)};
  return {};
}

Objection check_atomic(NodeKind target, u64 address, u64 return_address) {
  if (!has_registers(target))
    return {Rule::NocAtomicTarget,
            fmt::format("atomic on a {} tile at 0x{:x}", name_of(target), address)};
  if (is_register(address) || (address & 3) != 0)
    return {Rule::NocAtomicTarget, fmt::format("atomic at 0x{:x}", address)};
  if (is_register(return_address) || (return_address & 3) != 0)
    return {Rule::NocAtomicTarget, fmt::format("result of an atomic to 0x{:x}", return_address)};
  return {};
}

}  // namespace bhemu::noc
