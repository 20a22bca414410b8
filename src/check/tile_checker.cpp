#include "check/tile_checker.hpp"

#include <fmt/format.h>

#include "noc/command.hpp"
#include "riscv/core.hpp"
#include "tensix/operation.hpp"
#include "tile/regions.hpp"

namespace bhemu::check {
namespace {

constexpr u32 kStackPointer = 2;
constexpr u32 kOwnLdm = 0xFFB00000;
constexpr u32 kCodeLine = 63;  // offset in a line of code

/// A core that executes an instruction in each cycle, at a later one.
Author at(Author author, u32 pc) {
  author.cycle += (pc - author.pc) / 4;
  author.pc = pc;
  return author;
}

}  // namespace

TileChecker::TileChecker(tile::Tile& tile, CheckSet set, std::shared_ptr<const Layout> layout)
    : tile_(tile), node_(tile.id()), set_(set), layout_(layout), l1_(tile.l1().size()) {
  begin(std::move(layout));
}

void TileChecker::begin(std::shared_ptr<const Layout> layout) {
  layout_ = std::move(layout);
  dst_.fill(0);
  for (auto& file : src_) file.fill(0);
  lreg_.fill(0);
  gpr_.fill(0);
  cores_ = {};
  moves_ = false;
  cleared_ = {};
  packed_ = {};
  unpacked_ = {};
  stored_ = {};
  strangers_ = {};
  users_ = {};
  for (unsigned i = 0; i < kCores; ++i) {
    const riscv::CoreState& core = tile_.core(static_cast<CoreId>(i));
    const u32 size = riscv::ldm_size_of(core.id);
    ldm_[i] = Shadow(size);
    const u32 limit = std::min(layout_->stack_limit[i], size);
    const u32 sp = core.x[kStackPointer] - kOwnLdm;
    ldm_[i].set(0, layout_->by_client ? size : limit);  // whose variables are where, is not known
    if (sp < size) ldm_[i].set(sp, size - sp);
    cores_[i].sp = core.x[kStackPointer];
    cores_[i].cfg0 = core.csr.cfg0;
    cores_[i].fetched = cores_[i].changed = Shadow(tile_.l1().size() >> 6);
  }
  if (launched()) l1_.set(0, layout_->kernel_base);
  for (std::size_t i = 8; i < lreg_.size(); ++i) lreg_[i] = ~0u;  // constants and what is set up
  mutexes_ = tile_.coprocessor().state().sync.mutex;
  banks_ = banks_of(tile_.coprocessor().state());
}

void TileChecker::empty_buffers() {
  for (const Buffer& buffer : layout_->buffers)
    l1_.clear(buffer.range.begin, buffer.range.end - buffer.range.begin);
}

void TileChecker::forget() {
  // What a snapshot brings is somebody's.
  l1_.set(0, tile_.l1().size());
  for (unsigned i = 0; i < kCores; ++i) ldm_[i].set(0, 0x2000);
  dst_.fill(0xFFFF);
  cleared_ = {};
  for (auto& file : src_) file.fill(0xFFFF);
  lreg_.fill(~0u);
  gpr_.fill(1);
}

void TileChecker::raise(Rule rule, const Author& author, std::string text) {
  FaultPort& faults = tile_.faults();
  if (issue_ != nullptr)
    if (const std::string from = pushed_from(*issue_); !from.empty())
      text += fmt::format(" (pushed at {})", from);
  if (!faults.stopped()) faults.raise(rule, author, std::move(text));
}

/// The core that has pushed an instruction, there; the thread itself where that is not known.
Author TileChecker::pusher_of(const trace::Issue& one) const {
  const Author& author = one.operation.author;
  const Pushed& entry = pushed_[one.thread][one.push.by_brisc];
  const Pushed::From& from = entry.last[one.push.number % Pushed::kKept];
  if (from.number != one.push.number || !is_core(from.core)) return author;
  return {from.core, from.pc, author.cycle, author.tile};
}

std::string TileChecker::place_of(const Author& pusher) {
  return is_core(pusher.agent) ? fmt::format("{} pc {:#x}", name_of(pusher.agent), pusher.pc) : "";
}

std::string TileChecker::place(u64 address) const {
  for (const NamedRange& named : layout_->named)
    if (named.range.has(static_cast<u32>(address))) return named.name;
  if (layout_->settings.has(static_cast<u32>(address)))
    return "the arguments and semaphores of the kernels";
  return "what belongs to no buffer and no tensor of the program";
}

void TileChecker::written(u64 address, u64 bytes, const Author& author) {
  l1_.set(address, bytes);
  if (has(CheckGroup::Caches)) note_foreign_write(address, bytes, author);
}

/// What check_touch, note_touch and those that follow them look at.
u32 TileChecker::wanted_spaces() const {
  using tensix::Space;
  u32 wanted = 0;
  for (const Space space :
       {Space::L1, Space::Dst, Space::SrcA, Space::SrcB, Space::LReg, Space::Gpr})
    wanted |= u32{1} << static_cast<unsigned>(space);
  return wanted;
}

void TileChecker::executes(const trace::Instruction& one) {
  if (one.author.pc / (kCodeLine + 1) != cores_[one.core].line && has(CheckGroup::Caches))
    check_fetch(one.core, one.author);
}

void TileChecker::runs(const trace::Stretch& one) {
  if (!has(CheckGroup::Caches)) return;
  Author author = one.author;
  for (; author.pc <= one.last; author = at(author, (author.pc | kCodeLine) + 1))
    check_fetch(one.core, author);
}

void TileChecker::ran(const trace::Stretch& one) {
  if (!in_kernel(one.last)) return;
  if (!in_kernel(one.state->pc)) end_kernel(one.core);
  if (has(CheckGroup::Guards)) check_jump(at(one.author, one.last), one.state->pc);
}

void TileChecker::retired(const trace::Instruction& one) {
  if (in_kernel(one.author.pc) && !in_kernel(one.state->pc)) end_kernel(one.core);
  if (has(CheckGroup::Guards)) check_jump(one.author, one.state->pc);
  if ((one.writes >> kStackPointer & 1) != 0) check_stack(one);
  if (!one.accesses.empty())
    for (const trace::CoreAccess& access : one.accesses) core_access(one, access);
  else if (has(CheckGroup::Caches))
    note_system(one);
}

void TileChecker::core_access(const trace::Instruction& one, const trace::CoreAccess& access) {
  switch (access.region) {
    case tile::Region::L1:
      if (access.load) {
        if (has(CheckGroup::Caches)) check_l0(one, access);
        check_load(one, access);
      }
      if (!access.store) return;
      if (has(CheckGroup::Guards) && in_kernel(one.author.pc))
        check_store(access.address, access.size, one.author, one.author.agent, false);
      if (has(CheckGroup::Buffers) && in_kernel(one.author.pc))
        extend(stored_[one.core], access.address, access.size, 0, one.author, "it writes");
      return written(access.address, access.size, one.author);
    case tile::Region::OwnLdm:
      if (access.load) check_load(one, access);
      if (access.store) ldm_[one.core].set(access.address - kOwnLdm, access.size);
      return;
    case tile::Region::LdmB:
    case tile::Region::LdmN:
    case tile::Region::LdmT0:
    case tile::Region::LdmT1:
    case tile::Region::LdmT2:
      if (access.store)
        ldm_[static_cast<unsigned>(access.region) - static_cast<unsigned>(tile::Region::LdmB)].set(
            access.address & 0x1FFF, access.size);
      return;
    case tile::Region::Gpr:
      if (access.store) {
        // BRISC sees those of all threads one behind the other, a TRISC its own.
        const u32 word = (access.address & 0xFFF) / 4;
        const u32 thread = one.core == index_of(CoreId::Brisc)
                               ? word / tensix::kGprs
                               : one.core - index_of(CoreId::Trisc0);
        if (thread < kThreads) gpr_[thread * tensix::kGprs + word % tensix::kGprs] = 1;
      }
      return;
    case tile::Region::Dst:
      if (access.store) dst_.fill(0xFFFF), cleared_ = {};
      return;
    case tile::Region::Overlay:
      if (access.store) note_push(access.address, one.author, "");
      return;
    case tile::Region::Tdma:
      moves_ |= access.store;
      return;
    case tile::Region::Config:
      if (has(CheckGroup::Caches) && access.store) note_system(one);
      return;
    default:
      return;
  }
}

void TileChecker::read(u64 address, u64 bytes, const Author& author, const char* how) {
  if (has(CheckGroup::Reads) && tile_.checks() != nullptr)
    if (const tile::Transfer* read =
            tile_.checks()->landing(static_cast<u32>(address), static_cast<u32>(bytes)))
      if (!tile_.faults().stopped())
        tile_.checks()->raise_early_read(*read, static_cast<u32>(address), static_cast<u32>(bytes),
                                         issue_ == nullptr ? author : pusher_of(*issue_));
  if (!has(CheckGroup::Uninitialised) || moves_ || bytes == 0 || l1_.any(address, bytes)) return;
  if (blame_producer(address, bytes, author)) return;
  const Buffer* buffer = buffer_at(address);
  const std::string page =
      buffer == nullptr || buffer->page_size == 0
          ? ""
          : fmt::format("page {} of ",
                        (static_cast<u32>(address) - buffer->range.begin) / buffer->page_size);
  raise(Rule::UninitialisedL1, author,
        fmt::format("{} L1[{:#x}, +{}], where nobody has written in this launch: that is {}{}{}",
                    how, address, bytes, page, place(address),
                    page.empty() || is_filled(*buffer, address)
                        ? ""
                        : ", and that page has not been pushed"));
}

void TileChecker::pushed(const trace::Push& one) {
  pushed_[one.thread][one.by_brisc].last[one.number % Pushed::kKept] = {
      one.number, one.author.agent, one.author.pc};
}

void TileChecker::issued(const trace::Issue& one) {
  issue_ = &one;
  check_issue(one);
  issue_ = nullptr;
}

void TileChecker::check_issue(const trace::Issue& one) {
  // What an instruction says for itself needs no launch.
  if (has(CheckGroup::Instructions) && !one.scheduled) check_instruction(one);
  if (has(CheckGroup::Instructions)) {
    mutexes_ = one.state->sync.mutex;
    banks_ = banks_of(*one.state);
  }
  const u32 word = one.operation.author.pc;
  const u32 opcode = tensix::opcode_of(word);
  if (opcode == tensix::op::STOREREG::kOpcode)
    note_push(0xFFB00000 + tensix::op::STOREREG{word}.reg_addr() * 4, one.operation.author,
              pushed_from(one));
  if (opcode == tensix::op::SETC16::kOpcode) {
    const u32 index = tensix::op::SETC16{word}.setc16_reg();
    if (index < tensix::kThreadConfigWords)
      thread_config_[one.thread * tensix::kThreadConfigWords + index] = true;
  }
  if (one.touches == nullptr || one.discarded) return;
  if (opcode == tensix::op::PACR::kOpcode && has(CheckGroup::Uninitialised) && launched())
    check_address_mode(one);
  // What does not fit a buffer comes first: what it meets behind the page is its consequence.
  if (has(CheckGroup::Buffers) && launched()) check_tile_data(one);
  for (const tensix::Touch& touch : *one.touches)
    if (tensix::reads(touch.access) && launched()) check_touch(one, touch);
  if (has(CheckGroup::Uninitialised) && launched()) check_computed(one);
  for (const tensix::Touch& touch : *one.touches) {
    if (!tensix::writes(touch.access)) continue;
    if (touch.space == tensix::Space::L1 && has(CheckGroup::Guards) && launched())
      check_store(touch.begin, touch.size, one.operation.author, one.operation.author.agent, false);
    note_touch(touch);
  }
}

void TileChecker::requested(const trace::Request& one) {
  if (one.kind == trace::RequestKind::Read) return check_landing_place(one);
  if (one.kind != trace::RequestKind::Write || one.inline_data || noc::is_register(one.local))
    return;
  if (one.length == 0 || !is_core(one.author.agent) || !in_kernel(one.author.pc)) return;
  read(one.local, one.length, one.author, "it sends");
}

void TileChecker::arrived(const trace::Arrival& one) {
  using Phase = trace::Arrival::Phase;
  if (one.phase == Phase::Answered || one.length == 0 || noc::is_register(one.address)) return;
  if (one.phase == Phase::Read) return;
  const u64 bytes = one.phase == Phase::Atomic ? 4 : one.length;
  const bool from_kernel = is_core(one.issuer) && one.author.pc >= layout_->kernel_base;
  if (has(CheckGroup::Guards) && from_kernel)
    check_store(one.address, bytes, one.author, one.issuer, one.phase == Phase::Result);
  if (has(CheckGroup::Buffers) && from_kernel && one.phase == Phase::Write)
    check_extent(one.address, bytes, one.author,
                 fmt::format("a request (issued at {} pc {:#x}) writes", name_of(one.issuer),
                             one.author.pc));
  if (one.phase == Phase::Write && one.byte_enable != ~u64{0}) {
    for (u32 i = 0; i < 64 && i < bytes; ++i)
      if ((one.byte_enable >> i & 1) != 0) written(one.address + i, 1, one.author);
    return;
  }
  written(one.address, bytes, one.author);
}

void TileChecker::host_wrote(u64 address, std::span<const u8> bytes, Cycle now) {
  if (address < tile_.l1().size()) written(address, bytes.size(), {Agent::Host, 0, now, node_});
}

// --- DRAM

void BankChecker::written(u64 address, u64 bytes) {
  const u64 last = (address + bytes - 1) / kBlock;
  if (last >= blocks_.size()) blocks_.resize(last + 1, false);
  for (u64 block = address / kBlock; block <= last; ++block) blocks_[block] = true;
}

void BankChecker::host_wrote(u64 address, std::span<const u8> bytes, Cycle) {
  if (!bytes.empty()) written(address, bytes.size());
}

void BankChecker::arrived(const trace::Arrival& one) {
  using Phase = trace::Arrival::Phase;
  if (one.length == 0) return;
  if (one.phase == Phase::Write) return written(one.address, one.length);
  if (one.phase != Phase::Read || !is_core(one.issuer) || faults_.stopped()) return;
  for (u64 block = one.address / kBlock; block <= (one.address + one.length - 1) / kBlock; ++block)
    if (block < blocks_.size() && blocks_[block]) return;
  faults_.raise(
      Rule::UninitialisedDram, one.author,
      fmt::format("{} bytes at {:#x} of {} are read for {} (at {} pc {:#x}), and nobody has "
                  "written any of them in this launch",
                  one.length, one.address, name_, name_of(one.issuer), name_of(one.issuer),
                  one.author.pc));
}

}  // namespace bhemu::check
