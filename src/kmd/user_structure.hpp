// A request's structure in the caller's memory, and how the driver hands an answer back.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "kmd/user_memory.hpp"

namespace bhemu::kmd {

/// The caller may have put it anywhere: at any address, whole, in part or not mapped. So it is an
/// address from which and to which is copied, and never a reference to a structure.
template <class Structure>
class UserStructure {
 public:
  explicit UserStructure(u64 address) : address_(address) {}

  /// All of a structure that has no parts. False: it is not the caller's memory, here and below.
  bool get(Structure& whole) const { return copy_from_user(&whole, address_, sizeof whole); }
  template <class In>
  bool get_in(In& in) const {
    return copy_from_user(&in, address_ + offsetof(Structure, in), sizeof in);
  }
  template <class Out>
  bool put_out(const Out& out, u64 bytes = sizeof(Out)) const {
    return copy_to_user(out_address(), &out, bytes);
  }
  bool clear_out(u64 bytes) const { return clear_user(out_address(), bytes); }
  /// The caller says how long his structure is: all of it is cleared, and as much as both know is
  /// filled in. A newer client gets zeros from an older driver, an older client no more than it
  /// asked for.
  template <class Out>
  int answer(const Out& out, u32 wanted) const {
    if (!clear_out(wanted)) return -EFAULT;
    return put_out(out, std::min<u64>(wanted, sizeof out)) ? 0 : -EFAULT;
  }
  /// What follows the structure.
  u64 end() const { return address_ + sizeof(Structure); }

 private:
  u64 out_address() const { return address_ + offsetof(Structure, out); }

  u64 address_;
};

}  // namespace bhemu::kmd
