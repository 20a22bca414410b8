// Files of sysfs and procfs (attribute.def).
#include <fmt/format.h>

#include "kmd/driver_impl.hpp"
#include "kmd/identity.hpp"

namespace bhemu::kmd {
namespace {}  // namespace

std::vector<Attribute> Driver::attributes() const {
  const std::lock_guard<std::mutex> lock(impl_->mutex);
  return {};
}

std::optional<Attribute> Driver::attribute(const std::string& path) const {
  for (Attribute& attribute : attributes())
    if (attribute.path == path) return std::move(attribute);
  return std::nullopt;
}

}  // namespace bhemu::kmd
