#include "diff/thread_list.hpp"

#include "support/assembler.hpp"

namespace bhemu::diff {

/// Stores one entry after the other; an entry without address was taken out.
std::vector<u32> ThreadList::stub() const {
  using test::Assembler;
  using enum test::Reg;
  Assembler a(code());
  a.li(s0, list());
  a.li(s1, list() + static_cast<u32>(entries_.size()) * 8);
  a.label("next");
  a.lw(t0, 0, s0);
  a.lw(t1, 4, s0);
  a.addi(s0, s0, 8);
  a.beq(t0, zero, "skip");
  a.andi(t2, t0, 1);
  a.bne(t2, zero, "load");
  a.sw(t1, 0, t0);
  a.j("skip");
  a.label("load");
  a.lw(t1, -1, t0);
  a.addi(t1, t1, 0);
  a.label("skip");
  a.bne(s0, s1, "next");
  // The flag depends on the answer, which comes when the thread is idle.
  a.li(t0, kTensixSync);
  a.lw(t1, 0, t0);
  a.andi(t1, t1, 0);
  a.addi(t1, t1, 1);
  a.li(t0, flag());
  a.sw(t1, 0, t0);
  a.halt();
  return a.finish();
}

void ThreadList::place(Writer& w, size_t first) const {
  const bool kept = w.keep;
  w.keep = true;
  u32 at = code();
  for (const u32 word : stub()) {
    w.store(at, word);
    at += 4;
  }
  at = list();
  for (size_t i = 0; i < entries_.size(); ++i) {
    w.keep = true;
    w.store(at + 4, entries_[i].value);
    w.keep = i < first;
    w.store(at, entries_[i].address);
    at += 8;
  }
  w.keep = kept;
}

}  // namespace bhemu::diff
