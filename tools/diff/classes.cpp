#include "diff/classes.hpp"

#include <array>

namespace bhemu::diff {
namespace {

constexpr std::array kClasses{
    ProgramClass{"gpr", make_gpr},           ProgramClass{"adc", make_adc},
    ProgramClass{"sync", make_sync},         ProgramClass{"threads", make_threads},
    ProgramClass{"frontend", make_frontend}, ProgramClass{"brisc", make_brisc},
    ProgramClass{"sfpu", make_sfpu},         ProgramClass{"riscv", make_riscv},
    ProgramClass{"noc", make_noc},           ProgramClass{"pack", make_pack},
    ProgramClass{"math", make_math},         ProgramClass{"fpu", make_fpu},
    ProgramClass{"unpack", make_unpack},     ProgramClass{"pipeline", make_pipeline},
};

}  // namespace

std::span<const ProgramClass> classes() {
  return kClasses;
}

const ProgramClass* find_class(std::string_view name) {
  for (const ProgramClass& each : kClasses)
    if (name == each.name) return &each;
  return nullptr;
}

}  // namespace bhemu::diff
