// A coprocessor's state with nothing around it: instructions are executed directly by their units.
#pragma once

#include <memory>

#include "tensix/context.hpp"
#include "tensix/dst/dst_access.hpp"

namespace bhemu::tensix {

class UnitBench {
 public:
  explicit UnitBench(unsigned thread = 1) : thread_(thread) {
    env_.faults = &faults_;
    state_->fpu.src_a.owner.fill(SrcOwner::Matrix);
    state_->fpu.src_b.owner.fill(SrcOwner::Matrix);
  }

  template <class Op>
  Completion run_word(u32 word) {
    Context context{*state_, env_, thread_, 0, word};
    return execute(context, Op{word});
  }
  template <class Op>
  Completion run(std::initializer_list<FieldValue> fields = {}) {
    return run_word<Op>(encode<Op>(fields));
  }

  /// Whatever instruction the word is.
  Completion run(u32 word) {
    Context context{*state_, env_, thread_, 0, word};
    return kDecoded[opcode_of(word)].execute(context);
  }

  State& state() { return *state_; }
  FpuState& fpu() { return state_->fpu; }
  SfpuState& sfpu() { return state_->sfpu; }
  Rwc& rwc() { return state_->fpu.rwc[thread_]; }
  DstAccess dst() { return DstAccess(*state_); }
  FaultPort& faults() { return faults_; }
  bool faulted(Rule rule) const {
    for (const Fault& fault : faults_.faults())
      if (fault.rule == rule) return true;
    return false;
  }

  template <class Field>
  void set(u32 value) {
    Field::set(state_->cfg.bank[0], value);
    Field::set(state_->cfg.bank[1], value);
  }
  template <class Field>
  void set_thread(u32 value) {
    Field::set(state_->cfg.thread[thread_], value);
  }
  /// The thread's ADDR_MOD_AB, ADDR_MOD_DST and ADDR_MOD_BIAS words of one section.
  void set_addr_mod(u32 section, u32 ab, u32 dst, u32 bias = 0) {
    ThreadConfigWords& words = state_->cfg.thread[thread_];
    words[thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr::kWord + section] = static_cast<u16>(ab);
    words[thread_cfg::ADDR_MOD_DST_SEC0_DestIncr::kWord + section] = static_cast<u16>(dst);
    words[thread_cfg::ADDR_MOD_BIAS_SEC0_BiasIncr::kWord + section] = static_cast<u16>(bias);
  }
  void set_source_formats(u32 a, u32 b) {
    state_->fpu.src_a.format.fill(static_cast<u8>(a));
    state_->fpu.src_b.format.fill(static_cast<u8>(b));
  }

 private:
  std::unique_ptr<State> state_ = std::make_unique<State>();
  FaultPort faults_;
  Environment env_;
  unsigned thread_;
};

}  // namespace bhemu::tensix
