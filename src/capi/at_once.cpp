// What clients do most: reading a few bytes of memory and clocking while nothing happens on the
// chip, writing to memory and aiming windows at any time. The same effects as the calls of
// session.cpp have, without the ways through card and function, and without device and node where
// nobody is to hear of it. Whatever is not plain goes there.
#include <cstring>

#include "base/check.hpp"
#include "capi/session.hpp"
#include "mem/l1.hpp"
#include "pcie/endpoint.hpp"
#include "sched/engine.hpp"

namespace bhemu::capi {
namespace {

constexpr u32 kFewest = 32;  // bytes that are one flit, whatever their alignment
// Longer writes may need pages that do not exist yet, which the memory itself makes in one go.
constexpr u32 kMost = 32 * 1024;

/// Copies of a word, which is what most accesses are, without a call.
void copy(void* target, const void* source, u32 bytes) {
  if (bytes == 4)
    std::memcpy(target, source, 4);
  else
    std::memcpy(target, source, bytes);
}

/// Nobody is to hear of a write to any line from the first byte to the last.
bool is_free(const u8* flags, u64 first, u64 last) {
  return L1::any_of(flags, first >> L1::kLineShift, last >> L1::kLineShift) == 0;
}

bool is_go_message(const u8* bytes, u32 count) {
  return count == 4 && (bytes[3] == GoMessages::kGo || bytes[3] == GoMessages::kInit);
}

}  // namespace

/// At the end of a call: whether the next one can be done at once.
void Session::note_quiet(const Visit& visit) {
  quiet_ = {};
  if (latched_ || has_faulted_ || tells_hang_ || card_.runs()) return;
  sched::Engine* const engine = visit.device().engine_without_onlookers();
  if (engine == nullptr || visit.faulted() || !visit.answers()) return;
  Device& device = visit.device();
  card::Function& function = visit.function();
  quiet_ = {&function, engine, &device.pcie(), &visit.words(), &device, function.bar_base(0)};
}

/// Null: the bytes are not in one stretch of plain memory behind a window that has been used.
inline const card::Function::View* Session::view_of(u64 address, u32 bytes, u64& offset) {
  offset = address - quiet_.bar0;
  const u64 window = offset / card::Windows::kSmallBytes;
  if (window >= card::Windows::kSmall) return nullptr;
  offset %= card::Windows::kSmallBytes;
  const auto index = static_cast<unsigned>(window);
  if (!quiet_.function->view(index).known) quiet_.function->look_behind(index);
  const card::Function::View& view = quiet_.function->view(index);
  return offset < view.memory.bytes && bytes <= view.memory.bytes - offset ? &view : nullptr;
}

bool Session::read_at_once(u64 address, void* target, u32 bytes) {
  if (bytes - 1 >= kFewest || target == nullptr || !mutex_.enter()) return false;
  bool done = false;
  u64 offset;
  if (quiet_.engine != nullptr && (!has_written_ || quiet_.engine->idle())) {
    const card::Function::View* const view = view_of(address, bytes, offset);
    const u8* const source = view != nullptr ? view->memory.data + offset : nullptr;
    if (source != nullptr && !is_go_message(source, bytes) && !looks_.takes()) {
      if (has_written_) quiet_.engine->skip_to(quiet_.engine->now() + kRoundTrip);
      has_written_ = false;
      copy(target, source, bytes);
      quiet_.pcie->count_host_read(view->noc);
      go_messages_.was_read_something_else();
      ++calls_;
      done = true;
      if (silence_) silence_->called_quickly();
    }
  }
  mutex_.leave();
  return done;
}

/// The time since the client's last write, if nothing came in between. The chip may be at work, as
/// tiles are that the client lets loose one after the other.
inline void Session::pass_until_next_write() {
  if (!has_written_) return;
  if (quiet_.engine->idle())
    quiet_.engine->skip_to(quiet_.engine->now() + kNextWrite);
  else
    let_writes_work(*quiet_.device, false);
}

/// Registers of a window, which clients set for every tile that they turn to.
inline bool Session::aim_at_once(u64 address, const void* source, u32 bytes) {
  if (!card::Function::can_aim(address - quiet_.bar0, bytes)) return false;
  pass_until_next_write();
  quiet_.function->aim(address - quiet_.bar0, source, bytes);
  has_written_ = true;
  ++calls_;
  if (silence_) silence_->called_quickly();
  return true;
}

/// To memory of which nobody is to hear, while nothing happens.
inline void Session::write_plain(const card::Function::View& view, u64 offset, const void* source,
                                 u32 bytes) {
  pass_until_next_write();
  has_written_ = true;
  note_write();
  copy(view.memory.data + offset, source, bytes);
  if (bytes == sizeof(u32) && view.memory.flags != nullptr)
    quiet_.words->wrote(view.memory.data + offset, source, quiet_.engine->now());
  // Windows begin at multiples of a flit.
  quiet_.pcie->count_host_request(view.noc, true, view.posted, offset,
                                  bytes <= kFewest ? 1 : bytes);
}

/// To memory of which somebody is to hear, or while the chip is at work: all that write() does.
/// Says what rule was broken by it, for an AccessError.
std::string Session::write_told(unsigned window, u64 offset, std::span<const u8> bytes) {
  const card::Function::View& view = quiet_.function->view(window);
  Device& device = *quiet_.device;
  const NodeId node = view.begin.node;
  const u64 address = view.begin.address + offset;
  pass_until_next_write();
  has_written_ = true;
  note_write();
  const FaultPort& faults = device.node(node).faults();
  const bool stopped = faults.stopped();
  CHECK(device.write(node, address, bytes, view.posted));
  ++calls_;
  if (silence_) silence_->called_quickly();
  if (!stopped && faults.stopped()) return quiet_.function->broken_rule(window, node, address);
  quiet_.pcie->count_host_request(view.noc, true, view.posted, address, bytes.size());
  go_messages_.was_written(device, node, address, bytes);
  kmd::LiveCard::note_write(*quiet_.words, device, node, address, bytes);
  return {};
}

/// The rest of write_at_once: leaves the mutex. Not inline, so that plain writes need no more than
/// they do.
bool Session::write_otherwise(bool to_memory, u64 address, const void* source, u32 bytes) {
  std::string mistake;
  bool done = true;
  {
    const BiasedMutex::Inside inside(mutex_);
    const u64 at = address - quiet_.bar0;
    // A window and its registers never lie in one place.
    if (to_memory)
      mistake =
          write_told(static_cast<unsigned>(at / card::Windows::kSmallBytes),
                     at % card::Windows::kSmallBytes, {static_cast<const u8*>(source), bytes});
    else
      done = aim_at_once(address, source, bytes);
    if (has_faulted_) quiet_ = {};  // the chip has, meanwhile
  }
  if (!mistake.empty()) refuse(mistake);
  return done;
}

bool Session::write_at_once(u64 address, const void* source, u32 bytes) {
  if (bytes == 0 || source == nullptr || !mutex_.enter()) return false;
  if (quiet_.engine == nullptr) {
    mutex_.leave();
    return false;
  }
  u64 offset;
  const card::Function::View* const view = view_of(address, bytes, offset);
  const u8* const flags = view != nullptr ? view->memory.flags : nullptr;
  const bool plain = view != nullptr && bytes <= kMost && quiet_.engine->idle() &&
                     go_messages_.may_ignore({static_cast<const u8*>(source), bytes}) &&
                     (flags == nullptr || is_free(flags, offset, offset + bytes - 1));
  if (!plain) return write_otherwise(view != nullptr, address, source, bytes);
  write_plain(*view, offset, source, bytes);
  ++calls_;
  if (silence_) silence_->called_quickly();
  mutex_.leave();
  return true;
}

bool Session::clock_at_once(u32 cycles) {
  if (!mutex_.enter()) return false;
  const bool done = quiet_.engine != nullptr && quiet_.engine->idle();
  if (done) {
    quiet_.engine->skip_to(quiet_.engine->now() + cycles);
    if (cycles != 0) {
      has_written_ = false;
      ++calls_;
      if (silence_) silence_->called_quickly();
    }
  }
  mutex_.leave();
  return done;
}

}  // namespace bhemu::capi
