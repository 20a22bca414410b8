// docs/isa/footprints.md: which instruction of the coprocessor touches what.
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <set>

#include "doc_markdown.hpp"
#include "doc_pages.hpp"
#include "mem/l1.hpp"
#include "tensix/coprocessor.hpp"
#include "tensix/footprint/footprint.hpp"
#include "tensix/isa.hpp"
#include "tensix/state.hpp"

namespace bhemu::docs {
namespace {

using tensix::Space;
using tensix::Touch;

struct Field {
  const char* name;
  u32 word;
  u32 mask;
};
template <class F>
constexpr Field field(const char* name) {
  return {name, F::kWord, static_cast<u32>(((u64{1} << F::kWidth) - 1) << F::kLow)};
}
constexpr Field kFields[] = {
#define CFG(name, word, low, width) field<tensix::cfg::name>(#name),
#define THREAD_CFG(name, word, low, width)
#include "tensix/config.def"
};
constexpr Field kThreadFields[] = {
#define CFG(name, word, low, width)
#define THREAD_CFG(name, word, low, width) field<tensix::thread_cfg::name>(#name),
#include "tensix/config.def"
};

/// What words of one instruction touch in many states.
struct Union {
  std::set<Space> read;
  std::set<Space> written;
  std::map<u32, u32> config;         // bits that are read, by word
  std::map<u32, u32> thread_config;  // the same

  void add(const Touch& touch) {
    if (tensix::reads(touch.access)) read.insert(touch.space);
    if (tensix::writes(touch.access)) written.insert(touch.space);
    if (!tensix::reads(touch.access)) return;
    for (u32 cell = touch.begin; cell < touch.end(); ++cell) {
      if (touch.space == Space::Config) config[cell % tensix::kConfigWords] |= touch.mask;
      if (touch.space == Space::ThreadConfig)
        thread_config[cell % tensix::kThreadConfigWords] |= touch.mask;
    }
  }
};

/// States and words are drawn; with every run from the same seed.
class Draw {
 public:
  Draw() { env_.l1 = &l1_; }

  Union of(const tensix::Info& info) {
    constexpr u32 kRounds = 400;
    Union all;
    for (u32 i = 0; i < kRounds; ++i) {
      change_state();
      tensix::Touches touches;
      const unsigned thread = random() % kThreads;
      const u32 word = word_of(info);
      tensix::footprint(*state_, env_, thread, word, touches);
      for (const Touch& touch : touches) all.add(touch);
    }
    return all;
  }

 private:
  u32 random() { return static_cast<u32>(random_()); }

  void change_state() {
    for (auto& bank : state_->cfg.bank)
      for (u32& word : bank) word = random() & random();
    for (auto& bank : state_->cfg.bank) put_tiles_in_l1(bank);
    for (auto& thread : state_->cfg.thread)
      for (u16& word : thread) word = static_cast<u16>(random() & random());
    for (auto& thread : state_->adc.adc)
      for (tensix::Adc& adc : thread)
        for (tensix::AdcChannel& channel : adc.channel) channel.x = random() % 32;
    for (auto& gprs : state_->thcon.gpr)
      for (u32& gpr : gprs) gpr = random() % (random() % 2 != 0 ? 64 : L1::kSize / 16);
    for (tensix::Frontend& frontend : state_->frontend)
      for (u32& word : frontend.mop_config) word = random() % 4;
    state_->sfpu.stack_size = random() % 9;
    state_->packer.open = random() % 2 != 0;
    // LaneConfig's DISABLE_BACKDOOR_LOAD; what follows from it.
    const u32 columns = random() % 2 != 0 ? ~0u : 0;
    state_->sfpu.lanes_with[1] = columns;
    for (auto& sequence : state_->sfpu.macro_sequence) sequence.fill(random());
  }

  /// Otherwise most unpacks and moves would be of addresses that do not exist.
  void put_tiles_in_l1(tensix::ConfigWords& words) {
    using namespace tensix;
    cfg::THCON_SEC0_REG6_Source_address::set(words, random() % 0x8000);
    cfg::THCON_SEC0_REG6_Destination_address::set(words, random() % 0x40);
    cfg::THCON_SEC0_REG6_Buffer_size::set(words, random() % 8);
    for (const u32 section : {0u, kThconSection}) {
      const u32 descriptor = cfg::THCON_SEC0_REG0_TileDescriptor::kWord + section;
      words[descriptor] = (words[descriptor] & 0xFFFF) | 256u << 16;
      words[descriptor + 1] &= 0x00030003;
      words[descriptor + 2] &= 3;
      words[descriptor + 3] = 0;
      for (u32 i = 0; i < 8; ++i)
        words[cfg::THCON_SEC0_REG3_Base_address::kWord + section + i] = random() % 0x8000;
    }
  }

  u32 word_of(const tensix::Info& info) {
    u32 word = u32{info.opcode} << 24;
    for (u32 i = 0; i < info.fields_used; ++i) {
      const tensix::FieldInfo& field = info.fields[i];
      const u32 value = random() % 3 == 0 ? 0 : random();
      word = with_bits(word, field.low, field.width, bits(value, 0, field.width));
    }
    return word;
  }

  std::unique_ptr<tensix::State> state_ = std::make_unique<tensix::State>();
  L1 l1_;
  tensix::Environment env_;
  std::mt19937_64 random_{11};
};

std::string text_of(const std::set<Space>& spaces) {
  std::string text;
  for (const Space space : spaces)
    text += (text.empty() ? "" : ", ") + std::string(tensix::name_of(space));
  return text;
}

/// Fields that exist once for each section, context or thread stand once, as SEC*.
template <std::size_t kRows>
std::string names_of(const Field (&rows)[kRows], const std::map<u32, u32>& read) {
  static const std::regex section("SEC[0-9]+");
  std::set<std::string> named;
  std::string text;
  for (const Field& row : rows) {
    const auto found = read.find(row.word);
    if (found == read.end() || (found->second & row.mask) == 0) continue;
    const std::string name = std::regex_replace(row.name, section, "SEC*");
    if (named.insert(name).second) text += (text.empty() ? "" : ", ") + code_cell(name);
  }
  return text;
}

}  // namespace

std::string footprint_page() {
  std::string page = page_head("Footprints", "the footprints of src/tensix, drawn at random");
  page += R"(What an instruction can read and write, whatever its fields say; one word in
one state touches less. `footprint()` (src/tensix/footprint/footprint.hpp) says what exactly: rows,
bytes, fields, lanes. Named more widely than it is: the tables of `SFPLUT` and `SFPLUTFP32` (all
entries), the lanes of `SFPSWAP` (all that are enabled, though only some may swap), both rows of a
32-bit place in Dst of which a move changes the low half. `SEC*` stands for all sections of a field.

)";
  Draw draw;
  std::map<tensix::Unit, std::string> units;
  std::string fields = "\n## Configuration that is read\n\n" +
                       table_head({"instruction", "fields of a bank", "fields of the thread"});
  for (const tensix::Info& info : tensix::kInfo) {
    if (info.name == nullptr || !info.implemented) continue;
    const Union all = draw.of(info);
    units[info.unit] += row({code_cell(info.name), text_of(all.read), text_of(all.written)});
    const std::string of_bank = names_of(kFields, all.config);
    const std::string of_thread = names_of(kThreadFields, all.thread_config);
    if (!of_bank.empty() || !of_thread.empty())
      fields += row({code_cell(info.name), of_bank, of_thread});
  }
  for (const auto& [unit, rows] : units)
    page += fmt::format("{}## {}\n\n", unit == units.begin()->first ? "" : "\n",
                        tensix::name_of(unit)) +
            table_head({"instruction", "reads", "writes"}) + rows;
  return page + fields;
}

}  // namespace bhemu::docs
