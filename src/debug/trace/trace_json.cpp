// One JSON object a line.
#include "base/json.hpp"
#include "debug/trace/trace_fields.hpp"
#include "debug/trace/trace_text.hpp"

namespace bhemu::debug {
namespace {

using Kind = TraceField::Kind;

class JsonLines final : public TraceFormatter {
 public:
  std::string header(const std::vector<trace::NodeName>& nodes) override {
    nodes_ = nodes;
    Json tiles = Json::array();
    for (const trace::NodeName& node : nodes)
      if (!node.tensix) tiles.push_back({{"tile", json_of(node.translated)}, {"name", node.name}});
    return dump({{"event", "begin"}, {"version", 1}, {"tiles", tiles}}) + "\n";
  }

  std::string line(const trace::Event& event) override {
    const TraceFields fields = fields_of(event, nodes_);
    Json json{{"cycle", event.cycle},
              {"tile", json_of(nodes_[event.node].translated)},
              {"agent", trace_name_of(event.agent)},
              {"event", fields.event}};
    for (const TraceField& field : fields.fields) {
      Json& value = json[field.name];
      if (field.kind == Kind::Text)
        value = field.text;
      else if (field.kind == Kind::Flag)
        value = true;
      else
        value = field.number;
    }
    if (!fields.remark.empty()) json["remark"] = fields.remark;
    return dump(json) + "\n";
  }

  std::string footer(const trace::Summary& summary) override {
    return dump({{"event", "end"},
                 {"events", summary.events},
                 {"cycle", summary.cycle},
                 {"limit_reached", summary.limit_reached}}) +
           "\n";
  }

 private:
  std::vector<trace::NodeName> nodes_;
};

}  // namespace

std::unique_ptr<TraceFormatter> json_formatter() {
  return std::make_unique<JsonLines>();
}

}  // namespace bhemu::debug
