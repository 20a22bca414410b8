// A trace as lines of text or as lines of JSON. docs/TRACE.md is the reference of both formats.
#pragma once

#include <memory>

#include "trace/sink.hpp"

namespace bhemu::debug {

/// Turns events into lines. What is common to both formats; a sink adds the file.
class TraceFormatter {
 public:
  virtual ~TraceFormatter() = default;
  virtual std::string header(const std::vector<trace::NodeName>& nodes) = 0;
  virtual std::string line(const trace::Event& event) = 0;
  virtual std::string footer(const trace::Summary& summary) = 0;
};

std::unique_ptr<TraceFormatter> text_formatter();
std::unique_ptr<TraceFormatter> json_formatter();

}  // namespace bhemu::debug
