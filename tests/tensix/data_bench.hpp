// Unpackers and packer with L1, configuration and counters around them, and nothing else:
// instructions are executed directly.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "numeric/format_layout.hpp"
#include "tensix/cfg/cfg.hpp"
#include "tensix/context.hpp"
#include "tensix/data_paths.hpp"
#include "tensix/dst/dst_access.hpp"

namespace bhemu::tensix {

class DataBench : private TileRegisters {
 public:
  DataBench() {
    env_.l1 = &l1;
    env_.faults = &faults;
    env_.registers = this;
    env_.paths = &paths_;
  }

  template <class Op>
  Completion run(std::initializer_list<FieldValue> fields = {}, unsigned thread = 0) {
    const u32 word = encode<Op>(fields);
    Context context{*state_, env_, thread, 0, word};
    return execute(context, Op{word});
  }

  State& state() { return *state_; }
  DstAccess dst() { return DstAccess(*state_); }
  Context context(unsigned thread = 0) { return Context{*state_, env_, thread, 0, 0}; }

  /// A field in both state banks; `offset` in words (kThconSection for unpacker 1).
  template <class Field>
  void set(u32 value, u32 offset = 0) {
    for (unsigned bank = 0; bank < 2; ++bank) {
      ConfigWords words = state_->cfg.bank[bank];
      Field::set(words, value, offset);
      put_word(bank, Field::kWord + offset, words[Field::kWord + offset]);
    }
  }
  void set_word(u32 word, u32 value) {
    put_word(0, word, value);
    put_word(1, word, value);
  }
  void set_debug_feature_disable(u32 value) {
    state_->cfg.debug_feature_disable = value;
    paths_.settings_changed();
  }
  template <class Field>
  void set_thread(u32 value, unsigned thread = 0) {
    Field::set(state_->cfg.thread[thread], value);
  }
  Adc& adc(AdcUnit unit, unsigned thread = 0) { return state_->adc.of(thread, unit); }

  bool faulted() const { return !faults.faults().empty(); }
  bool faulted(Rule rule) const {
    for (const Fault& fault : faults.faults())
      if (fault.rule == rule) return true;
    return false;
  }

  void put16(u32 address, u16 value) { std::memcpy(l1.data() + address, &value, 2); }
  void put32(u32 address, u32 value) { std::memcpy(l1.data() + address, &value, 4); }
  u16 get16(u32 address) const {
    u16 value;
    std::memcpy(&value, l1.data() + address, 2);
    return value;
  }
  u32 get32(u32 address) const { return l1.read32(address); }
  u8 get8(u32 address) const { return l1.data()[address]; }

  L1 l1;
  FaultPolicy policy;
  FaultPort faults{0, &policy};
  std::map<u32, u32> registers;

 private:
  bool load_register(u32 address, u32& value, const Author&) override {
    value = registers[address];
    return true;
  }
  bool store_register(u32 address, u32 value, const Author&) override {
    registers[address] = value;
    return true;
  }
  void config_written(u32, u32, Cycle) override {}
  /// As a store of a core, but that STATE_RESET_EN is only a word.
  void put_word(unsigned bank, u32 word, u32 value) {
    write_config_word(*state_, env_, bank, word, value, 0, false);
  }

  std::unique_ptr<State> state_ = std::make_unique<State>();
  DataPaths paths_;
  Environment env_;
};

}  // namespace bhemu::tensix
