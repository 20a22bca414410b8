// What the tallies of a tile say, in words.
#include <fmt/format.h>

#include "tensix/isa.hpp"
#include "watch/tallies.hpp"

namespace bhemu::watch {
namespace {

using tensix::Space;

/// "rows 0 to 7", "row 3", "rows 0 to 7 and 16 to 23".
template <class Numbers>
std::string rows_text(const Numbers& rows) {
  std::vector<std::pair<u32, u32>> ranges;
  for (const u32 row : rows) {
    if (!ranges.empty() && ranges.back().second + 1 == row)
      ranges.back().second = row;
    else
      ranges.emplace_back(row, row);
  }
  if (ranges.size() == 1 && ranges[0].first == ranges[0].second)
    return fmt::format("row {}", ranges[0].first);
  std::string text = "rows";
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(ranges.size(), kShown); ++i)
    text += fmt::format("{} {} to {}",
                        i == 0                   ? ""
                        : i + 1 == ranges.size() ? " and"
                                                 : ",",
                        ranges[i].first, ranges[i].second);
  return ranges.size() > kShown ? text + " and so on" : text;
}

std::string rows_of(u64 mask) {
  std::vector<u32> rows;
  for (u32 row = 0; row < 64; ++row)
    if ((mask >> row & 1) != 0) rows.push_back(row);
  return rows_text(rows);
}

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// "THCON_SEC0_REG2_Out_data_format of bank 0".
std::string name_of_setting(const tensix::Touch& touch) {
  const std::string text = tensix::describe(touch);
  for (const char* before : {"read configuration ", "read thread configuration ", "read "})
    if (text.starts_with(before)) return text.substr(std::string_view(before).size());
  return text;
}

std::string times(u32 count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

}  // namespace

std::string Tallies::at(const Actor& actor, const host::CodeMap& code) const {
  const bool thread = actor.kind == Actor::Kind::Thread;
  const Agent core = thread ? actor.pusher : actor.author.agent;
  const u32 pc = thread ? actor.pushed_from : actor.author.pc;
  if (!is_core(core) || pc == Actor::kNoPc) return "";
  const std::string place =
      code.locate(core, pc, device_.coord_of(node()), actor.author.cycle).users();
  return place.empty() ? "" : " at " + place;
}

std::string Tallies::who(const Actor& actor, const host::CodeMap& code) const {
  if (actor.kind == Actor::Kind::Host) return "the host";
  std::string text = name_of(actor.author.agent);
  if (actor.kind == Actor::Kind::Thread)
    text += fmt::format("'s {}", tensix::info_of_word(actor.author.pc).name);
  return text + at(actor, code);
}

void Tallies::tell_leftovers(const host::CodeMap& code, std::vector<Remark>& found) const {
  for (const Left& left : left_)
    found.push_back(
        {fmt::format(" When this launch began, Tensix semaphore {} was {}: the launch before has "
                     "left it so{}.",
                     left.semaphore, left.value,
                     left.by ? fmt::format(" (posted last by {})", who(*left.by, code)) : ""),
         "post and take each semaphore equally often in a launch, or initialise it (SEMINIT) at "
         "the beginning of the next, before anybody waits for it"});
  for (const std::string& bank : left_banks_)
    found.push_back({fmt::format(" When this launch began, a bank of {} was still with the matrix "
                                 "unit: in the launch before it was handed over and not released.",
                                 bank),
                     "hand each bank over as often as it is released: one unpack too many shifts "
                     "all that come after it"});
}

void Tallies::tell_settings(const host::CodeMap& code, std::vector<Remark>& found) const {
  constexpr std::size_t kShown = 3;  // words
  // Those that one instruction uses and one place has set are told together.
  const auto names = [&](const Stale& one) {
    const std::string user = who(one.reader, code);
    return std::pair(user, who(one.setter, code));
  };
  for (std::size_t first = 0; first < stale_.size() && found.size() < kShown; ++first) {
    const auto pair = names(stale_[first]);
    std::string words;
    std::size_t count = 0;
    bool told = false;
    for (std::size_t i = 0; i < stale_.size(); ++i) {
      if (names(stale_[i]) != pair) continue;
      told |= i < first;
      if (++count <= kShown)
        words += fmt::format("{}{} (of {:#x})", count == 1 ? "" : ", ",
                             name_of_setting(stale_[i].touch), stale_[i].value);
    }
    if (told) continue;
    if (count > kShown) words += fmt::format(" and {} more", count - kShown);
    found.push_back({fmt::format(" {} uses what a launch before has set, by {}, and nobody since "
                                 "then: {}.",
                                 capital(pair.first), pair.second, words),
                     "set in every launch what it relies on (formats, strides, modes), or set it "
                     "back at the end of the launch that changes it"});
  }
  std::string modes;
  const Actor* user = nullptr;
  for (const auto& [word, actor] : unset_modes_) {
    const std::string name = name_of_setting({Space::ThreadConfig, tensix::Access::Read, word});
    if (name.find("ADDR_MOD") == std::string::npos) continue;
    modes += (modes.empty() ? "" : ", ") + name;
    user = &actor;
  }
  if (user == nullptr) return;
  found.push_back({fmt::format(" {} goes on by an address mode that was never set ({}).",
                               capital(who(*user, code)), modes),
                   "set the address mode that the instruction names (each thread has its own), or "
                   "name one that is set"});
}

void Tallies::tell_recordings(const host::CodeMap& code, std::vector<Remark>& found) const {
  if (!mixed_) return;
  const auto entries = [](const Recording& one) {
    return fmt::format("entries {} to {}", one.start, one.start + one.length - 1);
  };
  const Recording& first = recordings_[mixed_->first];
  const Recording& second = recordings_[mixed_->second];
  found.push_back(
      {fmt::format(" {} plays parts of two recordings: {} were recorded{}, and over a part of them "
                   "{}{}.",
                   capital(who(mixed_->player, code)), entries(first), at(first.by, code),
                   entries(second), at(second.by, code)),
       "give each recording entries of its own, or record anew what is played after another has "
       "recorded there"});
}

void Tallies::tell_faces(const host::CodeMap& code, std::vector<Remark>& found) const {
  constexpr const char* kAgree =
      "let unpacker, matrix unit and packer agree on the rows of a face and the faces of a tile "
      "(face_r_dim, num_faces)";
  for (u32 src = 0; src < 2; ++src) {
    const Source& source = source_[src];
    if (source.compared == 0) continue;
    const char* name = src == 0 ? "SrcA" : "SrcB";
    if (source.beyond != 0)
      found.push_back({fmt::format(" {} takes {} of {}, too, where {} fills only {} of a bank.",
                                   capital(who(source.take, code)), rows_of(source.beyond), name,
                                   who(source.fill, code), rows_of(source.filled)),
                       kAgree});
    else if (source.less != 0 && src == 0)
      found.push_back(
          {fmt::format(" Of {} of {}, which {} fills, {} never takes {}.", rows_of(source.filled),
                       name, who(source.fill, code), who(source.take, code), rows_of(source.less)),
           kAgree});
  }
}

void Tallies::tell_dst(const host::CodeMap& code, std::vector<Remark>& found) const {
  // What is pooled fills a part of a tile only.
  if (pools_) return;
  if (!cleared_rows_.empty())
    found.push_back(
        {fmt::format(" Of {} of Dst, which {} packs as a tile, nobody has computed {} since they "
                     "were cleared.",
                     rows_text(packed_rows_), who(packer_, code), rows_text(cleared_rows_)),
         "compute all of a tile before it is packed (num_faces, face_r_dim), or pack less of it"});
  if (!worked_rows_.empty())
    found.push_back({fmt::format(" Of {} of Dst, which {} packs as a tile, {} has stored {} only.",
                                 rows_text(whole_rows_), who(packer_, code), who(storer_, code),
                                 rows_text(worked_rows_)),
                     "let the loop of the vector unit go over all of the tile (64 rows of 16, by "
                     "its addresses; "
                     "iterations times faces), if all of it is meant"});
  if (!lost_.empty())
    found.push_back(
        {fmt::format(" What {} has computed in {} of Dst was cleared by {} before anybody has "
                     "packed it.",
                     who(computer_, code), rows_text(lost_), who(clearer_, code)),
         "pack all that is computed (num_faces, face_r_dim, number of tiles) before Dst is "
         "released"});
  if (accumulator_)
    found.push_back(
        {fmt::format(" {} adds to rows of Dst that were packed before and that nobody has cleared "
                     "since.",
                     capital(who(*accumulator_, code))),
         "clear Dst when it is handed back (ZEROACC; tile_regs_release), before anything is added "
         "to it again"});
}

/// Both sources were handed over equally often, and one was given back less often.
void Tallies::tell_releases(const host::CodeMap& code, std::vector<Remark>& found) const {
  const Source& a = source_[0];
  const Source& b = source_[1];
  if (a.handed == 0 || b.handed == 0 || a.released == b.released) return;
  const u32 more = std::max(a.handed, b.handed), less = std::min(a.handed, b.handed);
  // What waits to be handed over next is not counted yet.
  if (more - less > 2 || more - less >= std::max(a.released, b.released)) return;
  const u32 behind = a.released < b.released ? 0 : 1;
  const char* const names[] = {"SrcA", "SrcB"};
  found.push_back(
      {fmt::format("The matrix unit has given back {} {} and {} {}{}.", names[1 - behind],
                   times(source_[1 - behind].released), names[behind],
                   source_[behind].released == 0 ? "never" : times(source_[behind].released),
                   at(source_[behind].take, code)),
       fmt::format("give {} back as often as {}, with the instruction that uses it last "
                   "(clear_dvalid, SETRWC with clear_ab_vld 3, CLEARDVALID)",
                   names[behind], names[1 - behind]),
       true});
}

void Tallies::tell_width(const host::CodeMap& code, std::vector<Remark>& found) const {
  if (!width_) return;
  const bool wide = width_->computed_wide;
  found.push_back(
      {fmt::format(" {} has computed {} bits of every datum of Dst, and {} packs {} "
                   "(ALU_ACC_CTRL_Fp32_enabled and PCK_DEST_RD_CTRL_Read_32b_data differ).",
                   capital(who(width_->computer, code)), wide ? 32 : 16, who(width_->packer, code),
                   wide ? 16 : 32),
       "compile all kernels of a program for the same width of Dst (fp32_dest_acc_en; DST_FORMAT), "
       "or set the packer up for what is computed"});
}

/// How often a source was handed over and released, for the page and for the tile.
void Tallies::tell_counts(const host::CodeMap&, std::vector<Remark>& found) const {
  const u32 tiles = posts_[1];
  for (u32 src = 0; src < 2; ++src) {
    const Source& source = source_[src];
    if (source.handed == 0 || source.released == 0 || pages_ == 0 || tiles == 0) continue;
    // The same for each page as for each tile: then it is their number that differs.
    if (u64{source.handed_by_then} * tiles == u64{source.released_by_then} * pages_) continue;
    const auto each = [](u32 count, u32 of) {
      return count % of == 0 ? fmt::format(", {} for each", count / of) : "";
    };
    const char* name = src == 0 ? "SrcA" : "SrcB";
    found.push_back(
        {fmt::format(" So far thread 0 has handed {} over {} and given back {} page{}{}; the "
                     "matrix unit has released it {}, and thread 1 has handed on {} tile{}{}.",
                     name, times(source.handed), pages_, pages_ == 1 ? "" : "s",
                     each(source.handed_by_then, pages_), times(source.released), tiles,
                     tiles == 1 ? "" : "s", each(source.released_by_then, tiles)),
         "let both take a tile for equally many parts (num_faces; UNPACRs with data valid in a "
         "MOP, and what the math kernel releases)"});
    return;
  }
}

/// A semaphore that the sentence is about.
void Tallies::tell_resets(const host::CodeMap& code, const std::string& cause,
                          std::vector<Remark>& found) const {
  for (u32 i = 0; i < tensix::kSemaphores; ++i) {
    if (!resets_[i] || cause.find(fmt::format("Tensix semaphore {}", i)) == std::string::npos)
      continue;
    const Reset& reset = *resets_[i];
    found.push_back(
        {fmt::format(
             " It was {}{} when {} initialised it anew: what was posted before is lost.",
             reset.before,
             reset.poster ? fmt::format(" (posted last by {})", who(*reset.poster, code)) : "",
             who(reset.by, code)),
         "initialise the semaphore (SEMINIT) once, before anybody posts it"});
  }
}

std::vector<Remark> Tallies::of_hang(const host::CodeMap& code, const std::string& cause) const {
  std::vector<Remark> found;
  tell_leftovers(code, found);
  tell_recordings(code, found);
  tell_resets(code, cause, found);
  if (cause.find("SrcA") != std::string::npos || cause.find("SrcB") != std::string::npos) {
    tell_releases(code, found);
    if (found.empty()) tell_counts(code, found);
  }
  return found;
}

std::vector<Remark> Tallies::of_result(const host::CodeMap& code) const {
  std::vector<Remark> found;
  tell_leftovers(code, found);
  tell_recordings(code, found);
  tell_settings(code, found);
  // The rest would come of it.
  if (!found.empty()) return found;
  tell_width(code, found);
  if (!found.empty()) return found;
  tell_faces(code, found);
  tell_dst(code, found);
  return found;
}

std::vector<Remark> Tallies::of_rule(const host::CodeMap& code) const {
  std::vector<Remark> found;
  tell_leftovers(code, found);
  tell_recordings(code, found);
  if (found.empty()) tell_settings(code, found);
  return found;
}

}  // namespace bhemu::watch
