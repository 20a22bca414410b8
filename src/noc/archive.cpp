// Packets in snapshots.
#include <algorithm>
#include <utility>

#include "noc/niu_state.hpp"
#include "noc/node.hpp"
#include "noc/packet.hpp"

namespace bhemu::noc {

void archive(Archive& archive, Packet& packet) {
  archive.value(packet.kind);
  archive.value(packet.noc);
  archive.value(packet.transaction_id);
  archive.value(packet.posted);
  archive.value(packet.inline_data);
  archive.value(packet.linked);
  archive.value(packet.virtual_channel);
  archive.value(packet.header_store);
  archive.value(packet.parts);
  archive.value(packet.source);
  archive.value(packet.target);
  archive.value(packet.reply_to);
  archive.value(packet.target_coord);
  archive.value(packet.address);
  archive.value(packet.return_address);
  archive.value(packet.length);
  archive.value(packet.byte_enable);
  archive.value(packet.atomic_operation);
  archive.value(packet.atomic_data);
  archive.value(packet.header_address);
  archive.value(packet.tracking);
  archive.value(packet.issuer_pc);
  archive.value(packet.issuer);
  archive.value(packet.issued);
  archive.value(packet.arrival);
  archive.value(packet.sequence);
  archive.value(packet.answer_late);
  archive.value(packet.spread);
  archive.value(packet.answer_spread);
  archive.value(packet.landed);
  bool carries = packet.payload != nullptr;
  archive.value(carries);
  if (!carries) return;
  std::vector<u8> bytes;
  if (!archive.is_loading())
    bytes.assign(packet.payload.data(), packet.payload.data() + packet.payload.size());
  archive.vector(bytes);
  if (!archive.is_loading()) return;
  packet.payload = Payload::of(static_cast<u32>(bytes.size()));
  if (!bytes.empty()) std::memcpy(packet.payload.writable(), bytes.data(), bytes.size());
}

void Departure::archive(Archive& archive) {
  noc::archive(archive, packet);
  u64 count = targets.size();
  archive.value(count);
  if (archive.is_loading()) targets.assign(count, {});
  for (auto& [node, coord] : targets) {
    archive.value(node);
    archive.value(coord);
  }
  archive.value(source);
  archive.value(source_bytes);
  archive.value(is_write);
  archive.value(at);
  archive.value(begin);
  archive.value(span);
  archive.value(read);
}

/// In the order of their arrival the first of them decides.
void ArrivalQueue::push(Acknowledgements&& all) {
  const auto first = std::min_element(all.senders.begin(), all.senders.end(),
                                      [](const auto& a, const auto& b) { return a.node < b.node; });
  order_.push_back({all.packet.arrival, first->sequence, first->node, kSeveral});
  std::push_heap(order_.begin(), order_.end(), LaterPacket{});
  several_.push_back(std::move(all));
}

Acknowledgements ArrivalQueue::pop_all() {
  const Entry entry = order_.front();
  std::pop_heap(order_.begin(), order_.end(), LaterPacket{});
  order_.pop_back();
  const auto has = [&entry](const Acknowledgements& one) {
    return one.packet.arrival == entry.arrival &&
           std::any_of(one.senders.begin(), one.senders.end(), [&entry](const auto& sender) {
             return sender.node == entry.source && sender.sequence == entry.sequence;
           });
  };
  const auto at = std::find_if(several_.begin(), several_.end(), has);
  Acknowledgements all = std::move(*at);
  several_.erase(at);
  return all;
}

void ArrivalQueue::archive(Archive& archive) {
  // Acknowledgements that are kept together are written one by one.
  std::erase_if(order_, [](const Entry& entry) { return entry.place == kSeveral; });
  std::make_heap(order_.begin(), order_.end(), LaterPacket{});
  for (const Acknowledgements& all : std::exchange(several_, {}))
    for (const Acknowledgements::Sender& sender : all.senders) push(all.packet_of(sender));
  u64 count = order_.size();
  archive.value(count);
  if (!archive.is_loading()) {
    for (const Entry& entry : order_) noc::archive(archive, packets_[entry.place]);
    return;
  }
  *this = {};
  for (u64 i = 0; i < count; ++i) {
    Packet packet;
    noc::archive(archive, packet);
    push(std::move(packet));
  }
}

}  // namespace bhemu::noc
