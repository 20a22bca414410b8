// Requests that only ask.
#include <cerrno>
#include <limits>

#include "kmd/driver_impl.hpp"
#include "kmd/identity.hpp"

namespace bhemu::kmd {

using card::Function;

int Driver::Impl::get_device_info(Call&, UserStructure<abi::GetDeviceInfo> argument) {
  abi::GetDeviceInfo::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  const u32 id = config_word(card::kConfig_ID);
  const u32 subsystem = config_word(card::kConfig_SUBSYSTEM);
  abi::GetDeviceInfo::Out out{};
  out.output_size_bytes = sizeof out;
  out.vendor_id = static_cast<u16>(id);
  out.device_id = static_cast<u16>(id >> 16);
  out.subsystem_vendor_id = static_cast<u16>(subsystem);
  out.subsystem_id = static_cast<u16>(subsystem >> 16);
  out.bus_dev_fn = bus_device_function(ordinal);
  out.max_dma_buf_size_log2 = abi::kMaxDmaBufSizeLog2;
  return argument.answer(out, in.output_size_bytes);
}

int Driver::Impl::get_driver_info(Call&, UserStructure<abi::GetDriverInfo> argument) {
  abi::GetDriverInfo::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  abi::GetDriverInfo::Out out{};
  out.output_size_bytes = sizeof out;
  out.driver_version = abi::kInterfaceVersion;
  out.driver_version_major = kVersion.major;
  out.driver_version_minor = kVersion.minor;
  out.driver_version_patch = kVersion.patch;
  return argument.answer(out, in.output_size_bytes);
}

int Driver::Impl::get_harvesting(Call&, UserStructure<abi::NoArgument>) {
  return -EINVAL;
}

int Driver::Impl::query_mappings(Call&, UserStructure<abi::QueryMappings> argument) {
  abi::QueryMappings::In in{};
  if (!argument.get_in(in)) return -EFAULT;
  constexpr std::array<abi::Mapping, 6> kMappings{{
      {abi::kResource0Uncached, 0, 0 * abi::kOffsetStep, Function::kBar0Bytes},
      {abi::kResource0Combining, 0, 1 * abi::kOffsetStep, Function::kBar0Bytes},
      {abi::kResource1Uncached, 0, 2 * abi::kOffsetStep, Function::kBar2Bytes},
      {abi::kResource1Combining, 0, 3 * abi::kOffsetStep, Function::kBar2Bytes},
      {abi::kResource2Uncached, 0, 4 * abi::kOffsetStep, Function::kBar4Bytes},
      {abi::kResource2Combining, 0, 5 * abi::kOffsetStep, Function::kBar4Bytes},
  }};
  const u32 wanted = in.output_mapping_count;
  const u32 given = std::min<u32>(wanted, kMappings.size());
  const u32 cleared = wanted - given;
  if (std::numeric_limits<u32>::max() / sizeof(abi::Mapping) < cleared) return -EFAULT;
  const u64 known = given * sizeof(abi::Mapping);
  if (!copy_to_user(argument.end(), kMappings.data(), known)) return -EFAULT;
  return clear_user(argument.end() + known, cleared * sizeof(abi::Mapping)) ? 0 : -EFAULT;
}

}  // namespace bhemu::kmd
