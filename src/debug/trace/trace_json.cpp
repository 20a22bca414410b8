// One JSON object a line.
#include "debug/trace/trace_fields.hpp"
#include "debug/trace/trace_text.hpp"
#include "host/json.hpp"

namespace bhemu::debug {
namespace {

using host::JsonWriter;
using Kind = TraceField::Kind;

void write_tile(JsonWriter& json, Coord tile) {
  json.begin_array();
  json.value(u32{tile.x});
  json.value(u32{tile.y});
  json.end_array();
}

class Json final : public TraceFormatter {
 public:
  std::string header(const std::vector<trace::NodeName>& nodes) override {
    nodes_ = nodes;
    JsonWriter json;
    json.begin_object();
    json.member("event", "begin");
    json.member("version", 1u);
    json.key("tiles");
    json.begin_array();
    for (const trace::NodeName& node : nodes) {
      if (node.tensix) continue;
      json.begin_object();
      json.key("tile");
      write_tile(json, node.translated);
      json.member("name", node.name);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    return json.text() + "\n";
  }

  std::string line(const trace::Event& event) override {
    const TraceFields fields = fields_of(event, nodes_);
    JsonWriter json;
    json.begin_object();
    json.member("cycle", event.cycle);
    json.key("tile");
    write_tile(json, nodes_[event.node].translated);
    json.member("agent", trace_name_of(event.agent));
    json.member("event", fields.event);
    for (const TraceField& field : fields.fields) {
      json.key(field.name);
      if (field.kind == Kind::Text)
        json.value(std::string_view(field.text));
      else if (field.kind == Kind::Flag)
        json.value(true);
      else
        json.value(field.number);
    }
    if (!fields.remark.empty()) json.member("remark", fields.remark);
    json.end_object();
    return json.text() + "\n";
  }

  std::string footer(const trace::Summary& summary) override {
    JsonWriter json;
    json.begin_object();
    json.member("event", "end");
    json.member("events", summary.events);
    json.member("cycle", summary.cycle);
    json.member("limit_reached", summary.limit_reached);
    json.end_object();
    return json.text() + "\n";
  }

 private:
  std::vector<trace::NodeName> nodes_;
};

}  // namespace

std::unique_ptr<TraceFormatter> json_formatter() {
  return std::make_unique<Json>();
}

}  // namespace bhemu::debug
