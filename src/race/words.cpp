// Words by which agents signal each other: what is written to them, and what a look at one proves.
#include <algorithm>
#include <cstring>

#include "race/detector.hpp"

namespace bhemu::race {

u32 Detector::value_of_word(u64 word) const {
  u32 value = 0;
  if (settings_.memory != nullptr && word * 4 + 4 <= settings_.memory_bytes)
    std::memcpy(&value, settings_.memory + word * 4, 4);
  return value;
}

const Detector::RecentWrite* Detector::recent_write(u64 word) const {
  if (recent_.empty() || recent_[word % kRecentWrites].word != word) return nullptr;
  return &recent_[word % kRecentWrites];
}

const Detector::RecentWrite* Detector::write_before(const RecentWrite& one) const {
  if (one.earlier == 0) return nullptr;
  const RecentWrite& before = older_[one.earlier % kOlderWrites];
  return before.number == one.earlier ? &before : nullptr;
}

/// A counter in L1 may be written many times before its reader polls it for the first time.
void Detector::note_recent(RecentWrite one) {
  if (recent_.empty()) recent_.resize(kRecentWrites);
  RecentWrite& last = recent_[one.word % kRecentWrites];
  if (last.word == one.word) {
    if (older_.empty()) older_.resize(kOlderWrites);
    last.number = one.earlier = ++older_count_;
    older_[older_count_ % kOlderWrites] = std::move(last);
  }
  last = std::move(one);
}

/// A word as its last writes, as far as they are known, have made it. `first`: what it held in
/// front of the oldest, if that is not known by it.
SyncWord Detector::history_of(const RecentWrite& last, const u32* first) const {
  std::vector<const RecentWrite*> all;
  for (const RecentWrite* one = &last; one != nullptr; one = write_before(*one)) all.push_back(one);
  const RecentWrite& oldest = *all.back();
  if (oldest.has_old) first = &oldest.old;
  SyncWord word(first != nullptr ? *first : value_of_word(last.word));
  for (auto one = all.rbegin(); one != all.rend(); ++one)
    word.write((*one)->bytes, (*one)->value, (*one)->clock, (*one)->by);
  return word;
}

void Detector::mark_sync(u64 address, const u32* old) {
  const u64 word = address / 4;
  if (words_.contains(word)) return;
  const RecentWrite* const last = recent_write(word);
  words_.emplace(word, last != nullptr ? history_of(*last, old)
                                       : SyncWord(old != nullptr ? *old : value_of_word(word)));
  if (address < kL1Size) {
    if (sync_lines_.size() <= address / 64) sync_lines_.resize(address / 64 + 1);
    sync_lines_[address / 64] = 1;
  } else {
    far_sync_lines_.insert(address / 64);
  }
}

std::vector<u64> Detector::sync_words() const {
  std::vector<u64> addresses;
  for (const auto& [word, known] : words_) addresses.push_back(word * 4);
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

std::vector<std::pair<u64, std::shared_ptr<const SyncWord::Changes>>> Detector::changes() const {
  std::vector<std::pair<u64, std::shared_ptr<const SyncWord::Changes>>> all;
  for (const auto& [word, said] : words_)
    if (auto changes = said.in_luck(); changes != nullptr)
      all.emplace_back(word * 4, std::move(changes));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return all;
}

Clock Detector::known_by_word(unsigned core, const SyncWord& word, u32 version, u8 bytes,
                              const SyncWord::Passes& passes) const {
  const Epoch look{cores_[core].time, program_of(core), settings_.tile};
  const auto proved = word.proved(cores_[core].known, look, version, passes);
  return proved ? *proved : word.known_at(version, bytes);
}

void Detector::note_proof(unsigned core, u64 address, u32 version, u8 bytes) {
  if (const auto found = words_.find(address / 4); found != words_.end())
    found->second.note_proof(cores_[core].known,
                             {cores_[core].time, program_of(core), settings_.tile}, version, bytes);
}

const SyncWord* Detector::sync_word(u64 address) const {
  if (!is_sync_line(address / 64)) return nullptr;
  const auto found = words_.find(address / 4);
  return found == words_.end() ? nullptr : &found->second;
}

/// What a word is behind a write. Of a core's store it is known before it is in memory; of all
/// others memory says it.
u32 Detector::word_after(u64 word, u8 bytes, u64 begin, const u32* value) const {
  if (value == nullptr || begin / 4 != word) return value_of_word(word);
  const auto known = words_.find(word);
  const u32 before =
      known != words_.end() ? known->second.value_at(known->second.version()) : value_of_word(word);
  const u32 mask = mask_of_bytes(bytes);
  return (before & ~mask) | (*value << begin % 4 * 8 & mask);
}

/// The clock that a write gives to agents that poll the word. Only small writes can be flags.
void Detector::note_write(const Location& where, const Clock& clock, const Written& written) {
  constexpr u32 kMostOfFlag = 16;
  if (where.size > kMostOfFlag && !near_sync(where)) return;
  for (u64 word = where.begin / 4; word < (where.end() + 3) / 4; ++word) {
    const u8 bytes = bytes_of_word(word, where.begin, where.end());
    if (const auto found = words_.find(word); found != words_.end()) {
      const u32 after = word_after(word, bytes, where.begin, written.value);
      note_word(found->second, bytes, after, clock, written);
    } else if (where.size <= kMostOfFlag) {
      const u32* old = written.old != nullptr ? written.old->at(word) : nullptr;
      note_recent({static_cast<u32>(word), bytes, old != nullptr,
                   word_after(word, bytes, where.begin, written.value), old != nullptr ? *old : 0,
                   clock, written.by, 0, 0});
    }
  }
}

void Detector::note_word(SyncWord& word, u8 bytes, u32 after, const Clock& clock,
                         const Written& written) {
  if (written.atomic)
    return word.change(after, clock, written.by, written.change.how, written.change.operand);
  // Written under a lock: of the word as it was found there.
  if (guard_ != nullptr && !guard_->held(clock).empty()) return word.change(after, clock);
  word.write(bytes, after, clock, written.by);
}

bool Detector::is_sync_line(u64 line) const {
  if (line < sync_lines_.size()) return sync_lines_[line] != 0;
  return !far_sync_lines_.empty() && far_sync_lines_.contains(line);
}

bool Detector::near_sync(const Location& where) const {
  if (where.begin / 64 >= sync_lines_.size() && far_sync_lines_.empty()) return false;
  for (u64 line = where.begin / 64; line < (where.end() + 63) / 64; ++line)
    if (is_sync_line(line)) return true;
  return false;
}

bool Detector::is_sync(const Location& where) const {
  if (where.place != settings_.memory_place || !near_sync(where)) return false;
  for (u64 word = where.begin / 4; word < (where.end() + 3) / 4; ++word)
    if (words_.contains(word)) return true;
  return false;
}

}  // namespace bhemu::race
