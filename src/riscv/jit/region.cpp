#include "riscv/jit/region.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "riscv/decode.hpp"

namespace bhemu::riscv::jit {
namespace {

class Finder {
 public:
  Finder(const u8* l1, u32 l1_bytes, const LoopHeads* heads)
      : l1_(l1), l1_bytes_(l1_bytes), heads_(heads) {}

  std::vector<Block> find(u32 pc, Extent extent);

 private:
  bool in_reach(u32 pc) const {
    return is_instruction_address(pc) && pc < l1_bytes_ - 4 &&
           (heads_ == nullptr || !heads_->has(pc, l1_));
  }
  Decoded at(u32 pc) const {
    u32 word;
    std::memcpy(&word, l1_ + pc, 4);
    return decode(word, pc);
  }
  void lead(u32 pc) {
    if (in_reach(pc) && leaders_.insert(pc).second) open_.push_back(pc);
  }
  /// Whether the instruction before it was found and goes on to it.
  bool is_inside(u32 pc) const {
    return pc >= 4 && scanned_.contains(pc - 4) && !ends_block(at(pc - 4));
  }
  void scan(u32 pc);
  void follow(u32 pc, Decoded entry);
  Block block_at(u32 pc) const;

  const u8* l1_;
  u32 l1_bytes_;
  const LoopHeads* heads_;
  u32 seen_ = 0;
  std::set<u32> leaders_;
  std::set<u32> scanned_;
  std::vector<u32> open_;
};

void Finder::follow(u32 pc, Decoded entry) {
  const Op op = static_cast<Op>(entry.op);
  if (op == Op::jal || row_of(op).format == Format::Branch)
    lead(pc + static_cast<u32>(entry.imm) * 4);
  // Behind a call is where its callee returns to.
  const bool returns = (op == Op::jal || op == Op::jalr) && entry.rd != 32;
  if (returns || row_of(op).format == Format::Branch) lead(pc + 4);
}

void Finder::scan(u32 pc) {
  for (; in_reach(pc) && seen_ < kLongestRegion; pc += 4) {
    if (!scanned_.insert(pc).second) return;
    ++seen_;
    const Decoded entry = at(pc);
    if (!ends_block(entry)) continue;
    if (entry.op >= kFirstRow) follow(pc, entry);
    return;
  }
}

Block Finder::block_at(u32 pc) const {
  Block block{pc, {}};
  for (;; pc += 4) {
    if (!scanned_.contains(pc) || block.code.size() == kLongestBlock) return block;
    if (pc != block.pc && leaders_.contains(pc)) return block;
    block.code.push_back(at(pc));
    if (ends_block(block.code.back())) return block;
  }
}

std::vector<Block> Finder::find(u32 pc, Extent extent) {
  if (in_reach(pc)) open_.push_back(pc);
  while (!open_.empty()) {
    const u32 next = open_.back();
    open_.pop_back();
    scan(next);
    if (extent == Extent::Block) break;
  }
  if (extent == Extent::Block) leaders_ = {pc};
  // Where the core was found is most often where its turn was over: no reason to begin a block.
  if (!is_inside(pc)) leaders_.insert(pc);
  std::vector<Block> blocks;
  for (const u32 leader : std::vector<u32>(leaders_.begin(), leaders_.end())) {
    for (u32 head = leader; scanned_.contains(head);) {
      Block block = block_at(head);
      head = block.end();
      const bool cut = block.code.size() == kLongestBlock && !ends_block(block.code.back());
      blocks.push_back(std::move(block));
      if (!cut || extent == Extent::Block || leaders_.contains(head)) break;
    }
  }
  return blocks;
}

}  // namespace

bool ends_block(Decoded entry) {
  if (entry.op < kFirstRow) return true;
  switch (row_of(static_cast<Op>(entry.op)).format) {
    case Format::Jal:
    case Format::Jalr:
    case Format::Branch:
    case Format::System:
      return true;
    default:
      return false;
  }
}

std::vector<Block> find_blocks(const u8* l1, u32 l1_bytes, u32 pc, Extent extent,
                               const LoopHeads* heads) {
  return Finder(l1, l1_bytes, heads).find(pc, extent);
}

}  // namespace bhemu::riscv::jit
