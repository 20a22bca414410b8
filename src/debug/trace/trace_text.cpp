#include "debug/trace/trace_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "debug/trace/trace_fields.hpp"

namespace bhemu::debug {
namespace {

using Kind = TraceField::Kind;

class Text final : public TraceFormatter {
 public:
  std::string header(const std::vector<trace::NodeName>& nodes) override {
    nodes_ = nodes;
    std::string text = "# bhemu trace 1\n";
    for (const trace::NodeName& node : nodes)
      if (!node.tensix)
        text += fmt::format("# tile {} is {}\n", trace_name_of(node.translated), node.name);
    return text + fmt::format("#{:>11} {:<6} {:<8} {:<10} {}\n", "cycle", "tile", "agent", "event",
                              "fields ; remark");
  }

  std::string line(const trace::Event& event) override {
    const TraceFields fields = fields_of(event, nodes_);
    std::string text = fmt::format("{:12} {:<6} {:<8} {:<10}", event.cycle,
                                   trace_name_of(nodes_[event.node].translated),
                                   trace_name_of(event.agent), fields.event);
    const auto out = std::back_inserter(text);
    for (const TraceField& field : fields.fields) {
      fmt::format_to(out, " {}", field.name);
      if (field.kind == Kind::Hex) fmt::format_to(out, "=0x{:0{}x}", field.number, field.digits);
      if (field.kind == Kind::Number) fmt::format_to(out, "={}", field.number);
      if (field.kind == Kind::Text) fmt::format_to(out, "={}", field.text);
    }
    if (!fields.remark.empty()) fmt::format_to(out, " ; {}", one_line(fields.remark));
    text += '\n';
    return text;
  }

  std::string footer(const trace::Summary& summary) override {
    return fmt::format("# end: {} events, cycle {}{}\n", summary.events, summary.cycle,
                       summary.limit_reached ? "; the limit was reached, the run went on" : "");
  }

 private:
  static std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

  std::vector<trace::NodeName> nodes_;
};

}  // namespace

std::unique_ptr<TraceFormatter> text_formatter() {
  return std::make_unique<Text>();
}

}  // namespace bhemu::debug
