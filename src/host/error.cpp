#include "host/error.hpp"

namespace bhemu::host {
namespace {

std::string joined(const std::string& file, const std::string& place, const std::string& message) {
  std::string text = file;
  if (!place.empty()) text += (text.empty() ? "" : ":") + place;
  return text.empty() ? message : text + ": " + message;
}

}  // namespace

InputError::InputError(std::string file, std::string place, std::string message)
    : std::runtime_error(joined(file, place, message)),
      file_(std::move(file)),
      place_(std::move(place)),
      message_(std::move(message)) {}

}  // namespace bhemu::host
