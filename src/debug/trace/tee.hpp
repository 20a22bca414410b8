// One trace for several: each sink gets the events that its own selection wants.
#pragma once

#include <memory>
#include <vector>

#include "trace/selection.hpp"
#include "trace/sink.hpp"

namespace bhemu::debug {

class TeeSink final : public trace::Sink {
 public:
  /// `summary` (may be null) says how this part of the trace ended.
  void add(std::unique_ptr<trace::Sink> sink, const trace::Selection& selection,
           std::shared_ptr<trace::Summary> summary);
  /// What the trace itself has to have for all of them.
  trace::Selection selection() const;

  void begin(const std::vector<trace::NodeName>& nodes) override;
  void write(const trace::Event& event) override;
  /// True while any of them can take more.
  bool flush() override;
  void end(const trace::Summary& summary) override;
  std::string error() const override { return ""; }

 private:
  struct Branch {
    std::unique_ptr<trace::Sink> sink;
    trace::Selection selection;
    std::shared_ptr<trace::Summary> summary;
    bool over = false;
  };
  static void write(Branch& branch, const trace::Event& event);

  std::vector<Branch> branches_;
};

}  // namespace bhemu::debug
