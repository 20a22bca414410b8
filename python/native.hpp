// What the files of the native Python module share.
#pragma once

#include <pybind11/pybind11.h>
#include <memory>

#include <span>
#include <stdexcept>
#include <string>

#include "base/types.hpp"
#include "host/error.hpp"
#include "host/report/standstill.hpp"

namespace bhemu::python {

/// How something ended, when not as asked: becomes one of the exceptions of bhemu/errors.py.
struct RunError : std::runtime_error {
  RunError(std::string what_kind, const std::string& text,
           std::shared_ptr<const host::Standstill> where = nullptr)
      : std::runtime_error(text), kind(std::move(what_kind)), standstill(std::move(where)) {}
  std::string kind;                                    // "fault", "hang", "limit"
  std::shared_ptr<const host::Standstill> standstill;  // of a hang
};

/// The bytes of any contiguous buffer.
inline std::span<const u8> span_of(const pybind11::buffer_info& info) {
  using pybind11::ssize_t;
  for (ssize_t axis = info.ndim, stride = info.itemsize; axis-- > 0; stride *= info.shape[axis])
    if (info.shape[axis] > 1 && info.strides[axis] != stride)
      throw host::InputError("", "", "the buffer is not contiguous");
  return {static_cast<const u8*>(info.ptr), static_cast<size_t>(info.size * info.itemsize)};
}

inline std::span<u8> writable_span_of(const pybind11::buffer_info& info) {
  return {static_cast<u8*>(info.ptr), span_of(info).size()};
}

/// The card that runs by itself and its driver (card.cpp).
void bind_card(pybind11::module_& module);

}  // namespace bhemu::python
