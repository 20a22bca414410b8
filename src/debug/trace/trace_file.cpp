#include "debug/trace/trace_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "debug/trace/trace_text.hpp"
#include "host/error.hpp"

namespace bhemu::debug {
namespace {

class FileSink final : public trace::Sink {
 public:
  FileSink(std::FILE* file, std::unique_ptr<TraceFormatter> formatter)
      : file_(file), formatter_(std::move(formatter)) {}
  ~FileSink() override {
    if (file_ != nullptr && file_ != stderr) std::fclose(file_);
  }

  void begin(const std::vector<trace::NodeName>& nodes) override { put(formatter_->header(nodes)); }
  void write(const trace::Event& event) override { put(formatter_->line(event)); }
  bool flush() override {
    if (error_.empty() && std::fflush(file_) != 0) failed();
    return error_.empty();
  }
  void end(const trace::Summary& summary) override {
    put(formatter_->footer(summary));
    flush();
    if (file_ == stderr) return;
    if (std::fclose(file_) != 0 && error_.empty()) failed();
    file_ = nullptr;
  }
  std::string error() const override { return error_; }

 private:
  void put(const std::string& text) {
    if (!error_.empty()) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) failed();
  }
  void failed() { error_ = std::strerror(errno); }

  std::FILE* file_;
  std::unique_ptr<TraceFormatter> formatter_;
  std::string error_;
};

}  // namespace

std::unique_ptr<trace::Sink> open_trace(const host::TraceOptions& options, FunctionNamer namer) {
  if (options.format == host::TraceFormat::Perfetto)
    return perfetto_sink(options.file, std::move(namer));
  std::FILE* file = stderr;
  if (options.file != "-") {
    file = std::fopen(options.file.c_str(), "w");
    if (file == nullptr)
      throw host::InputError(options.file, "",
                             std::string("the trace cannot be written: ") + std::strerror(errno));
  }
  return std::make_unique<FileSink>(
      file, options.format == host::TraceFormat::Json ? json_formatter() : text_formatter());
}

void start_trace(Device& device, const host::TraceSettings& settings, host::SettingStyle style) {
  if (const auto options = host::trace_options(settings, device.board(), style))
    device.start_trace(open_trace(*options), options->selection);
}

}  // namespace bhemu::debug
