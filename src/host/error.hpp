// The one exception of the host side: something the user gave us is wrong.
#pragma once

#include <stdexcept>
#include <string>

namespace bhemu::host {

/// Thrown for every bad input: ELF, .npy, program file, board, option. `place` is where in the file
/// ("12:5" for line and column, "segment 1", "byte 0x34"); it may be empty, and so may `file`.
class InputError : public std::runtime_error {
 public:
  InputError(std::string file, std::string place, std::string message);

  const std::string& file() const { return file_; }
  const std::string& place() const { return place_; }
  const std::string& message() const { return message_; }

 private:
  std::string file_;
  std::string place_;
  std::string message_;
};

}  // namespace bhemu::host
