// Notices a client that looks at words of its own in a tile or in DRAM again and again, although
// nothing on the chip can change them any more: it waits for a kernel to write a flag, and the
// kernel hangs, has ended, or writes elsewhere.
//
// A client may look for other reasons (a debugger's window, a limit of its own), so it is told of
// it once and not refused. Whether a program is done is asked by other words: poll_watch.hpp.
#pragma once

#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "host/report/report.hpp"

namespace bhemu::host {
class HostWords;
}

namespace bhemu::kmd {

class WordWatch {
 public:
  using Clock = std::chrono::steady_clock;
  struct Word {
    NodeId node = kNoNode;
    u64 address = 0;
    u64 bytes = 0;
    u64 value = 0;
  };

  /// Seconds of looking until a verdict; 0: there is none.
  explicit WordWatch(unsigned seconds) : patience_(std::chrono::seconds(seconds)) {}

  /// `still` is asked only when it matters, and seldom.
  template <class Still>
  void saw(NodeId node, u64 address, std::span<const u8> bytes, Still still) {
    read_data_ |= bytes.size() > sizeof(u64);
    if (patience_.count() == 0 || told_ || bytes.empty() || bytes.size() > sizeof(u64)) return;
    Word word{node, address, bytes.size(), 0};
    std::memcpy(&word.value, bytes.data(), bytes.size());
    if (!is_known(word)) return;
    const Clock::time_point now = Clock::now();
    if (now - checked_ < patience_ / kChecks) return;
    checked_ = now;
    if (still())
      ++checks_;
    else
      forget();
  }
  /// The client has written: what was seen so far proves nothing.
  void restart() {
    if (words_.empty() && !told_) return;
    forget();
    told_ = false;
  }
  /// The verdict, once until the next restart.
  bool hangs() {
    if (checks_ <= kChecks) return false;
    checks_ = 0;
    told_ = true;
    return true;
  }
  /// Whether it is any use to see what the client reads: it may be waiting for a word.
  bool wants_to_see() const { return patience_.count() != 0 && !told_; }
  /// It has read more words than anybody waits for, since this was asked last.
  bool has_read_data() { return std::exchange(read_data_, false); }
  /// What the client looks at; the one that it has looked at last comes last.
  const std::vector<Word>& words() const { return words_; }
  std::chrono::seconds patience() const {
    return std::chrono::duration_cast<std::chrono::seconds>(patience_);
  }

 private:
  static constexpr unsigned kChecks = 8;    // spread over the seconds
  static constexpr size_t kMostWords = 64;  // who looks at more reads data

  bool is_known(const Word& word);
  void forget() {
    words_.clear();
    checks_ = 0;
  }

  const std::chrono::milliseconds patience_;
  std::vector<Word> words_;
  Clock::time_point checked_{};
  unsigned checks_ = 0;
  bool told_ = false;
  bool read_data_ = false;
};

/// What is to be said, once, to a client that looks for ever where nobody will write.
std::string told_of_looks(const WordWatch& words, Device& device, const host::CodeMap& code,
                          const host::HostWords& writes);

/// Chooses which of a client's quick looks are looked into: some a second, without asking the time
/// at each. A client that begins to look seldom is noticed after at most 2 * kMost looks.
class LookSampler {
 public:
  bool takes() { return --left_ == 0 && begin_again(); }
  /// The client has done something else.
  void restart() { left_ = stride_ = kLeast; }

 private:
  static constexpr u32 kLeast = 16;
  static constexpr u32 kMost = 1024;

  bool begin_again();

  u32 stride_ = kLeast;
  u32 left_ = kLeast;
  WordWatch::Clock::time_point latest_{};
};

}  // namespace bhemu::kmd
