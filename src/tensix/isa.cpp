#include "tensix/isa.hpp"

#include "base/check.hpp"

namespace bhemu::tensix {

const char* name_of(Unit unit) {
  switch (unit) {
    case Unit::None:
      return "none";
    case Unit::Frontend:
      return "frontend";
    case Unit::Sync:
      return "sync";
    case Unit::Cfg:
      return "cfg";
    case Unit::Thcon:
      return "thcon";
    case Unit::Misc:
      return "misc";
    case Unit::Xmov:
      return "xmov";
    case Unit::Unpack:
      return "unpack";
    case Unit::Pack:
      return "pack";
    case Unit::Fpu:
      return "fpu";
    case Unit::Sfpu:
      return "sfpu";
  }
  return "?";
}

const Info* find_instruction(std::string_view name) {
  for (const Info& info : kInfo) {
    if (info.name != nullptr && name == info.name) return &info;
  }
  return nullptr;
}

void bad_encoding(const Info&, std::string_view) {
  check_failed("every field exists and its value fits", __FILE__, __LINE__);
}

}  // namespace bhemu::tensix
