// sysfs and procfs, as tools that know cards read them.
#include <unistd.h>

#include <map>

#include "bench.hpp"

namespace bhemu::kmd {
namespace {

const std::string kClass = "/sys/class/tenstorrent/tenstorrent!0/";
const std::string kPci = "/sys/bus/pci/devices/0000:01:00.0/";

class Attributes : public Bench {
 protected:
  std::string read(const std::string& path) {
    const auto attribute = driver.attribute(path);
    return attribute ? attribute->text : "(none)";
  }
};

TEST_F(Attributes, the_class_device_says_what_the_telemetry_says) {
  EXPECT_EQ(read(kClass + "tt_card_type"), "p100a\n");
  EXPECT_EQ(read(kClass + "tt_serial"), "0000043000000001\n");
  EXPECT_EQ(read(kClass + "tt_asic_id"), "0000000000000001\n");
  EXPECT_EQ(read(kClass + "tt_aiclk"), "800\n");
  EXPECT_EQ(read(kClass + "tt_fw_bundle_ver"), "18.12.0.0\n");
  EXPECT_EQ(read(kClass + "tt_therm_trip_count"), "0\n");
  EXPECT_EQ(read(kClass + "tt_nonsense"), "(none)");
}

TEST_F(Attributes, the_pci_function_agrees_with_device_info) {
  EXPECT_EQ(read(kPci + "vendor"), "0x1e52\n");
  EXPECT_EQ(read(kPci + "device"), "0xb140\n");
  EXPECT_EQ(read(kPci + "subsystem_vendor"), "0x1e52\n");
  EXPECT_EQ(read(kPci + "subsystem_device"), "0x0043\n");
  EXPECT_EQ(read(kPci + "class"), "0x120000\n");
  EXPECT_EQ(read(kPci + "revision"), "0x00\n");
  EXPECT_EQ(read(kPci + "numa_node"), "-1\n");
  EXPECT_EQ(read(kPci + "iommu_group/type").substr(0, 3), "DMA");
  EXPECT_EQ(read("/sys/bus/pci/slots/1/address"), "0000:01:00\n");
  const std::string config = read(kPci + "config");
  ASSERT_EQ(config.size(), 4096u);
  EXPECT_EQ(config.substr(0, 4), std::string("\x52\x1e\x40\xb1", 4));
  const std::string resource = read(kPci + "resource");
  EXPECT_EQ(std::count(resource.begin(), resource.end(), '\n'), 13);
  EXPECT_EQ(resource.substr(0, 57), "0x0000000100000000 0x000000011fffffff 0x000000000014220c\n");
}

TEST_F(Attributes, links_lead_to_the_same_files) {
  EXPECT_TRUE(driver.attribute("/sys/class/tenstorrent/tenstorrent!0")->link);
  EXPECT_EQ(read(kClass + "device/vendor"), "0x1e52\n");
  EXPECT_EQ(read(kClass + "device/driver"), "../../../bus/pci/drivers/tenstorrent");
  EXPECT_EQ(read(kPci + "tenstorrent/tenstorrent!0/tt_card_type"), "p100a\n");
  EXPECT_EQ(read("/sys/bus/pci/drivers/tenstorrent/0000:01:00.0/device"), "0xb140\n");
  EXPECT_EQ(read("/sys/class/hwmon/hwmon100/name"), "blackhole\n");
  EXPECT_EQ(read(kPci + "../0000:01:00.0/./vendor"), "0x1e52\n");
}

TEST_F(Attributes, sensors_are_in_the_units_of_hwmon) {
  const std::string hwmon = kPci + "hwmon/hwmon100/";
  EXPECT_EQ(read(hwmon + "temp1_input"), "45000\n");
  EXPECT_EQ(read(hwmon + "temp1_max"), "90000\n");
  EXPECT_EQ(read(hwmon + "in0_input"), "800\n");
  EXPECT_EQ(read(hwmon + "in0_max"), "900\n");
  EXPECT_EQ(read(hwmon + "curr1_input"), "75000\n");
  EXPECT_EQ(read(hwmon + "power1_input"), "60000000\n");
  EXPECT_EQ(read(hwmon + "fan1_input"), "2000\n");
  EXPECT_EQ(read(hwmon + "fan1_label"), "fan_rpm\n");
}

TEST_F(Attributes, the_module_has_a_version_and_open_files_are_listed) {
  EXPECT_EQ(read("/sys/module/tenstorrent/version"), "2.10.1\n");
  const std::string self = std::to_string(getpid()) + "\n";
  EXPECT_EQ(read("/proc/driver/tenstorrent/0/pids"), self);
  const auto second = driver.open();
  EXPECT_EQ(read("/proc/driver/tenstorrent/0/pids"), self + self);
}

TEST_F(Attributes, the_list_holds_every_file_once) {
  std::map<std::string, unsigned> seen;
  for (const Attribute& attribute : driver.attributes()) {
    EXPECT_EQ(++seen[attribute.path], 1u) << attribute.path;
    EXPECT_EQ(attribute.path.find('{'), std::string::npos) << attribute.path;
    EXPECT_EQ(attribute.text.find('{'), std::string::npos) << attribute.text;
    EXPECT_EQ(read(attribute.path), attribute.text) << attribute.path;
    if (!attribute.link) {
      EXPECT_FALSE(attribute.text.empty()) << attribute.path;
    }
  }
  EXPECT_GT(seen.size(), 50u);
}

TEST_F(Attributes, another_board_is_another_card_type) {
  host::CardSettings other = settings();
  other.device.board = "p150";
  LiveCard second(other);
  Driver its(second, 1);
  EXPECT_EQ(its.attribute("/sys/class/tenstorrent/tenstorrent!1/tt_card_type")->text, "p150a\n");
  EXPECT_EQ(its.pci_address(), "0000:02:00.0");
}

}  // namespace
}  // namespace bhemu::kmd
