#include "host/program/npy.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "base/check.hpp"
#include "host/error.hpp"
#include "host/file.hpp"

namespace bhemu::host {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr u64 kMaxElements = u64{1} << 36;
constexpr size_t kMaxRank = 32;

struct TypeInfo {
  NpyType type;
  const char* code;  // without byte order
  unsigned size;
  const char* name;
};
constexpr TypeInfo kTypes[] = {
    {NpyType::F16, "f2", 2, "float16"}, {NpyType::F32, "f4", 4, "float32"},
    {NpyType::F64, "f8", 8, "float64"}, {NpyType::Bf16, "V2", 2, "bfloat16"},
    {NpyType::I8, "i1", 1, "int8"},     {NpyType::I16, "i2", 2, "int16"},
    {NpyType::I32, "i4", 4, "int32"},   {NpyType::I64, "i8", 8, "int64"},
    {NpyType::U8, "u1", 1, "uint8"},    {NpyType::U16, "u2", 2, "uint16"},
    {NpyType::U32, "u4", 4, "uint32"},  {NpyType::U64, "u8", 8, "uint64"},
    {NpyType::Bool, "b1", 1, "bool"},
};

const TypeInfo& info_of(NpyType type) {
  for (const TypeInfo& info : kTypes)
    if (info.type == type) return info;
  CHECK(false);
  return kTypes[0];
}

/// The header is a Python dictionary literal with exactly three keys. This reads that and no more.
class HeaderParser {
 public:
  HeaderParser(const std::string& name, std::string_view text, size_t base)
      : name_(name), text_(text), base_(base) {}

  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<u64>> shape;

  void parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !descr)
        descr = string();
      else if (key == "fortran_order" && !fortran_order)
        fortran_order = boolean();
      else if (key == "shape" && !shape)
        shape = tuple();
      else
        fail(fmt::format("unexpected key '{}' in the header", key));
      if (accept('}')) break;
      expect(',');
    }
    skip_space();
    if (position_ != text_.size()) fail("text behind the header's dictionary");
    if (!descr || !fortran_order || !shape)
      fail("the header lacks 'descr', 'fortran_order' or 'shape'");
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(name_, fmt::format("byte {}", base_ + position_), message);
  }

 private:
  void skip_space() {
    while (position_ < text_.size() &&
           (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t'))
      ++position_;
  }
  bool accept(char wanted) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("expected '{}' in the header", wanted));
  }
  std::string string() {
    skip_space();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote == '[' || quote == '(') fail("structured types are not supported");
    if (quote != '\'' && quote != '"') fail("expected a string in the header");
    const size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) fail("a string of the header does not end");
    std::string result(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return result;
  }
  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}})
      if (text_.substr(position_).starts_with(word)) {
        position_ += std::strlen(word);
        return value;
      }
    fail("expected True or False in the header");
  }
  u64 number() {
    skip_space();
    const size_t start = position_;
    u64 value = 0;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      value = value * 10 + static_cast<u64>(text_[position_++] - '0');
      if (value > kMaxElements) fail("a dimension is too large");
    }
    if (position_ == start) fail("expected a dimension");
    return value;
  }
  std::vector<u64> tuple() {
    std::vector<u64> result;
    expect('(');
    while (!accept(')')) {
      if (result.size() == kMaxRank) fail("too many dimensions");
      result.push_back(number());
      if (accept(')')) {
        if (result.size() == 1) fail("a tuple of one needs a comma");
        break;
      }
      expect(',');
    }
    return result;
  }

  const std::string& name_;
  std::string_view text_;
  size_t base_;
  size_t position_ = 0;
};

NpyType type_named(const HeaderParser& header) {
  const std::string& code = *header.descr;
  const std::string_view kind = std::string_view(code).substr(std::min<size_t>(1, code.size()));
  for (const TypeInfo& info : kTypes) {
    if (kind != info.code) continue;
    const char order = code[0];
    if (order == '<' || order == '=' || order == '|') return info.type;
    if (order == '>' && info.size == 1) return info.type;
    if (order == '>') header.fail(fmt::format("big-endian data ('{}')", code));
  }
  if (code == "bfloat16") return NpyType::Bf16;
  header.fail(fmt::format("element type '{}' is not supported", code));
}

u64 checked_elements(const HeaderParser& header, const std::vector<u64>& shape) {
  u64 elements = 1;
  for (const u64 dimension : shape) {
    if (dimension != 0 && elements > kMaxElements / dimension)
      header.fail("the array is too large");
    elements *= dimension;
  }
  return elements;
}

/// Column-major to row-major.
std::vector<u8> reordered(const std::vector<u64>& shape, unsigned size, const u8* source,
                          u64 elements) {
  std::vector<u8> result(elements * size);
  std::vector<u64> index(shape.size(), 0);
  for (u64 i = 0; i < elements; ++i) {
    u64 offset = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) offset = offset * shape[axis] + index[axis];
    std::memcpy(result.data() + offset * size, source + i * size, size);
    for (size_t axis = 0; axis < shape.size() && ++index[axis] == shape[axis]; ++axis)
      index[axis] = 0;
  }
  return result;
}

}  // namespace

unsigned size_of(NpyType type) {
  return info_of(type).size;
}
const char* name_of(NpyType type) {
  return info_of(type).name;
}

u64 NpyArray::elements() const {
  u64 result = 1;
  for (const u64 dimension : shape) result *= dimension;
  return result;
}

NpyArray parse_npy(const std::string& name, std::span<const u8> bytes) {
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    throw InputError(name, "", "not a .npy file");
  const unsigned major = bytes[6];
  const size_t length_bytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 3 || bytes[7] != 0)
    throw InputError(name, "",
                     fmt::format("version {}.{} of the format is unknown", major, bytes[7]));
  const size_t start = 8 + length_bytes;
  if (bytes.size() < start) throw InputError(name, "", "truncated in the header");
  u64 length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= u64{bytes[8 + i]} << (8 * i);
  if (length > bytes.size() - start) throw InputError(name, "", "truncated in the header");

  HeaderParser header(
      name, {reinterpret_cast<const char*>(bytes.data()) + start, static_cast<size_t>(length)},
      start);
  header.parse();
  NpyArray array;
  array.type = type_named(header);
  array.shape = *header.shape;
  const u64 elements = checked_elements(header, array.shape);
  const u64 wanted = elements * size_of(array.type);
  const std::span<const u8> data = bytes.subspan(start + length);
  if (data.size() != wanted)
    throw InputError(
        name, "",
        fmt::format("{} bytes of data where shape and type need {}", data.size(), wanted));
  if (*header.fortran_order && array.shape.size() > 1)
    array.data = reordered(array.shape, size_of(array.type), data.data(), elements);
  else
    array.data.assign(data.begin(), data.end());
  return array;
}

NpyArray read_npy(const std::string& path) {
  return parse_npy(path, read_file(path));
}

std::vector<u8> format_npy(const NpyArray& array) {
  CHECK(array.data.size() == array.elements() * size_of(array.type));
  const TypeInfo& info = info_of(array.type);
  std::string shape;
  for (size_t i = 0; i < array.shape.size(); ++i)
    shape += fmt::format("{}{}", i == 0 ? "" : ", ", array.shape[i]);
  if (array.shape.size() == 1) shape += ",";
  const char order = info.size == 1 || array.type == NpyType::Bf16 ? '|' : '<';
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   order, info.code, shape);
  constexpr size_t kPrefix = 10;
  constexpr size_t kAlignment = 64;
  header.append(kAlignment - (kPrefix + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  std::string prefix(kMagic);
  prefix += {1, 0, static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
  prefix += header;
  std::vector<u8> bytes(prefix.begin(), prefix.end());
  bytes.insert(bytes.end(), array.data.begin(), array.data.end());
  return bytes;
}

void write_npy(const std::string& path, const NpyArray& array) {
  write_file(path, format_npy(array));
}

}  // namespace bhemu::host
