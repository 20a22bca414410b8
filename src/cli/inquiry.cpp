#include "cli/inquiry.hpp"

#include <fmt/format.h>

#include "host/error.hpp"

namespace bhemu::cli {

Inquiry::Inquiry(host::Machine& machine, const RunCommand& command) : machine_(machine) {
  Device& device = machine.device();
  for (const std::string& text : command.questions)
    questions_.push_back(watch::parse_question("--why", text, device.board()));
  std::vector<watch::Watch> watches;
  for (const std::string& text : command.watches)
    watches.push_back(watch::parse_watch("--watch", text, device.board()));
  if (command.stop_at_watch && watches.empty())
    throw host::InputError("--watch-stop", "", "there is no --watch to stop at");
  if (!questions_.empty()) writers_ = std::make_unique<watch::WritersOfDevice>(device);
  if (watches.empty()) return;
  watchpoints_ = std::make_unique<watch::Watchpoints>(device, std::move(watches));
  if (command.stop_at_watch)
    machine.set_stop([points = watchpoints_.get()] { return points->has_hits(); });
}

Inquiry::~Inquiry() {
  machine_.set_stop(nullptr);
}

void Inquiry::print() {
  const Device& device = machine_.device();
  if (watchpoints_) {
    for (const watch::Hit& hit : watchpoints_->take())
      fmt::print("{}", text_of(device, *watchpoints_, hit, machine_.code()));
    if (const u64 more = watchpoints_->left_out(); more != 0)
      fmt::print("watch: {} more accesses; {} of each place are shown\n", more,
                 watch::Watchpoints::kMostHits);
  }
  for (const watch::Question& question : questions_)
    fmt::print("{}", text_of(device, question, why(*writers_, question), machine_.code()));
}

void Inquiry::add_to(Json& json) {
  const Device& device = machine_.device();
  const auto without_end = [](std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  };
  if (watchpoints_) {
    json["watched"] = json_list(watchpoints_->take(), [&](const watch::Hit& hit) {
      return without_end(text_of(device, *watchpoints_, hit, machine_.code()));
    });
    json["watched_more"] = watchpoints_->left_out();
  }
  if (questions_.empty()) return;
  json["why"] = json_list(questions_, [&](const watch::Question& question) {
    return without_end(text_of(device, question, why(*writers_, question), machine_.code()));
  });
}

}  // namespace bhemu::cli
