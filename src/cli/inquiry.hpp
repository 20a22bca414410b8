// What a user wants to know of a run beside its result: --why and --watch.
#pragma once

#include <memory>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "host/boot/machine.hpp"
#include "watch/watchpoint.hpp"

namespace bhemu::cli {

class Inquiry {
 public:
  /// Looks on from now on, if anything is asked. Throws InputError for what makes no sense.
  Inquiry(host::Machine& machine, const RunCommand& command);
  ~Inquiry();
  Inquiry(const Inquiry&) = delete;
  Inquiry& operator=(const Inquiry&) = delete;

  /// Accesses that were watched, then answers, to standard output.
  void print();
  /// The same as members `watched` and `why`.
  void add_to(Json& json);

 private:
  host::Machine& machine_;
  std::vector<watch::Question> questions_;
  std::unique_ptr<watch::WritersOfDevice> writers_;
  std::unique_ptr<watch::Watchpoints> watchpoints_;
};

}  // namespace bhemu::cli
