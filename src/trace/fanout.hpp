// Several observers of one node, as one.
#pragma once

#include <algorithm>
#include <vector>

#include "trace/observer.hpp"

namespace bhemu::trace {

class Fanout final : public Observer {
 public:
  explicit Fanout(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  void executes(const Instruction& one) override { each(&Observer::executes, one); }
  void retired(const Instruction& one) override { each(&Observer::retired, one); }
  void slept(unsigned core, u64 instructions) override {
    each(&Observer::slept, core, instructions);
  }
  void released(unsigned core, u32 pc, const Author& by) override {
    each(&Observer::released, core, pc, by);
  }
  void held(unsigned core, const Author& by) override { each(&Observer::held, core, by); }
  void interrupted(unsigned core, u32 handler, const Author& at) override {
    each(&Observer::interrupted, core, handler, at);
  }
  void pushed(const Push& one) override { each(&Observer::pushed, one); }
  void expanded(const Expansion& one) override { each(&Observer::expanded, one); }
  void issued(const Issue& one) override { each(&Observer::issued, one); }
  void lifted(const Lift& one) override { each(&Observer::lifted, one); }
  void moved(const BankMove& one) override { each(&Observer::moved, one); }
  void changed(const ObjectChange& one) override { each(&Observer::changed, one); }
  void requested(const Request& one) override { each(&Observer::requested, one); }
  void arrives(const Arrival& one) override { each(&Observer::arrives, one); }
  void arrived(const Arrival& one) override { each(&Observer::arrived, one); }
  void landed(const Landing& one) override { each(&Observer::landed, one); }
  Instructions wanted_instructions() const override {
    Instructions wanted = Instructions::Effects;
    for (const Observer* observer : observers_)
      wanted = std::max(wanted, observer->wanted_instructions());
    return wanted;
  }
  void runs(const Stretch& one) override { each(&Observer::runs, one); }
  void ran(const Stretch& one) override { each(&Observer::ran, one); }
  u32 wanted_spaces() const override {
    u32 wanted = 0;
    for (const Observer* observer : observers_) wanted |= observer->wanted_spaces();
    return wanted;
  }
  bool wants_flows() const override {
    bool wants = false;
    for (const Observer* observer : observers_) wants |= observer->wants_flows();
    return wants;
  }
  bool wants_changes() const override {
    bool wants = false;
    for (const Observer* observer : observers_) wants |= observer->wants_changes();
    return wants;
  }
  bool wants_l1_writes() const override {
    bool wants = false;
    for (const Observer* observer : observers_) wants |= observer->wants_l1_writes();
    return wants;
  }
  void writes_l1(u32 address, u32 bytes, const Author& author) override {
    for (Observer* observer : observers_)
      if (observer->wants_l1_writes()) observer->writes_l1(address, bytes, author);
  }
  void host_writes(u64 address, u64 bytes, Cycle now) override {
    each(&Observer::host_writes, address, bytes, now);
  }
  void host_wrote(u64 address, std::span<const u8> bytes, Cycle now) override {
    each(&Observer::host_wrote, address, bytes, now);
  }
  void host_posted(u64 address, std::span<const u8> bytes, Cycle now) override {
    each(&Observer::host_posted, address, bytes, now);
  }
  void host_read(u64 address, std::span<const u8> bytes, Cycle now) override {
    each(&Observer::host_read, address, bytes, now);
  }
  void forget() override { each(&Observer::forget); }

 private:
  template <class Method, class... Arguments>
  void each(Method method, const Arguments&... arguments) {
    for (Observer* observer : observers_) (observer->*method)(arguments...);
  }

  std::vector<Observer*> observers_;
};

}  // namespace bhemu::trace
