// The format pairs of docs/SUPPORT.md, asked of the conversions themselves.
#include "doc_markdown.hpp"
#include "doc_pages.hpp"
#include "numeric/format_pack.hpp"
#include "numeric/format_unpack.hpp"

namespace bhemu::docs {
namespace {

using numeric::Format;

constexpr Format kFormats[] = {Format::Fp32,  Format::Tf32, Format::Fp16,  Format::Bf16,
                               Format::Fp8,   Format::Bfp8, Format::Bfp8a, Format::Bfp4,
                               Format::Bfp4a, Format::Bfp2, Format::Bfp2a, Format::Int32,
                               Format::Int16, Format::Int8};

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string unpacker_table() {
  std::string text = table_head({"in L1", "as a format of SrcA and SrcB", "as a format of Dst"});
  for (const Format in : kFormats) {
    std::vector<std::string> to_src;
    std::vector<std::string> to_dst;
    for (const Format out : kFormats) {
      if (numeric::unpack_row_to_src(in, out, {}) != nullptr) to_src.push_back(name_of(out));
      if (numeric::unpack_form_in_dst(in, out) != numeric::DstForm::Undefined)
        to_dst.push_back(name_of(out));
    }
    text += row({name_of(in), join(to_src), join(to_dst)});
  }
  return text;
}

/// Some setting of the reading flags leads from Dst through the intermediate to the format.
bool packs(bool wide, Format intermediate, Format out) {
  for (unsigned flags = 0; flags < 8; ++flags) {
    numeric::EarlyMode mode;
    mode.intermediate = intermediate;
    mode.out = out;
    mode.read_32b = wide;
    mode.read_unsigned = (flags & 1) != 0;
    mode.read_raw = (flags & 2) != 0;
    mode.round_10b_mant = (flags & 4) != 0;
    const numeric::EarlyConversion early = numeric::early_conversion(mode);
    if (early.code == numeric::PackCode::Undefined) continue;
    if (numeric::late_conversion(early.code, out, false) != nullptr) return true;
  }
  return false;
}

std::string packer_table() {
  std::string text = table_head({"intermediate", "from a 16-bit Dst to", "from a 32-bit Dst to"});
  for (const Format intermediate : kFormats) {
    std::vector<std::string> reached[2];
    for (const Format out : kFormats)
      for (const bool wide : {false, true})
        if (packs(wide, intermediate, out)) reached[wide ? 1 : 0].push_back(name_of(out));
    if (reached[0].empty() && reached[1].empty()) continue;
    text += row({name_of(intermediate), join(reached[0]), join(reached[1])});
  }
  return text;
}

}  // namespace

std::string format_sections() {
  std::string text = "\n## Format pairs\n\n";
  text += "Fp8 stands for E5M2 and, with the bit for it, E4M3; Int8 and Int16 for signed and ";
  text += "unsigned.\nOther pairs raise [unpack-format-pair](RULES.md#unpack-format-pair) or ";
  text += "[pack-format-path](RULES.md#pack-format-path).\n\n### Unpackers\n\n";
  text += unpacker_table();
  text += "\n### Packer\n\nFor some setting of the bits that say how Dst is read.\n\n";
  text += packer_table();
  return text;
}

}  // namespace bhemu::docs
