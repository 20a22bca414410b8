// What a kernel says about itself in a section that is never loaded (kernels/sdk/debug.h): PRINT,
// ASSERT, and which arguments it reads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "host/boot/firmware.hpp"
#include "host/program/elf.hpp"

namespace bhemu::host {

struct PreparedPart;

struct KernelNote {
  enum class Kind : u8 { Print, Assert, Argument, CommonArgument };
  struct Operand {
    bool is_register = false;
    u32 value = 0;  // or the register's number
  };
  Kind kind = Kind::Print;
  u32 where = 0;  // linked address: it holds before the instruction there
  std::string file;
  u32 line = 0;
  std::string text;
  std::vector<Operand> operands;
  u32 number = 0;  // of an argument
};

/// Throws InputError when the section is damaged.
std::vector<KernelNote> notes_of(const Elf& elf);

/// A PRINT that a core has come to.
struct Printed {
  Coord tile;
  CoreId core = CoreId::Brisc;
  Cycle cycle = 0;
  std::string text;
};
using Printer = std::function<void(const Printed&)>;

/// Watches the cores of a part whose kernels have a PRINT or an ASSERT; costs nothing where none
/// has. An ASSERT that does not hold is a fault (kernel-assert).
class NoteWatch {
 public:
  NoteWatch(Device& device, const PreparedPart& part, const Firmware& firmware, Printer printer);
  ~NoteWatch();
  NoteWatch(const NoteWatch&) = delete;
  NoteWatch& operator=(const NoteWatch&) = delete;

  /// Between runs: hands over what was printed, in the order of cycles.
  void flush();

 private:
  struct Shared;
  class Observer;

  Device& device_;
  Printer printer_;
  std::shared_ptr<Shared> shared_;
  unsigned observation_ = 0;
};

}  // namespace bhemu::host
