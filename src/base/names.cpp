#include "base/types.hpp"
#include "base/wakeup.hpp"

namespace bhemu {

const char* name_of(Agent agent) {
  static constexpr const char* kNames[kAgents] = {
      "BRISC",    "NCRISC", "TRISC0", "TRISC1", "TRISC2", "thread 0", "thread 1",
      "thread 2", "NIU 0",  "NIU 1",  "mover",  "host",   "ERISC0",   "ERISC1"};
  return kNames[static_cast<unsigned>(agent)];
}

const char* name_of(CoreId core) {
  return name_of(agent_of(core));
}

const char* name_of(Resource resource) {
  static constexpr const char* kNames[kResources] = {"L1",
                                                     "LDM",
                                                     "NIU 0",
                                                     "NIU 1",
                                                     "stream registers",
                                                     "FIFO of thread 0",
                                                     "FIFO of thread 1",
                                                     "FIFO of thread 2",
                                                     "thread 0",
                                                     "thread 1",
                                                     "thread 2",
                                                     "semaphore",
                                                     "mailbox",
                                                     "configuration",
                                                     "GPR",
                                                     "Dst",
                                                     "TDMA",
                                                     "debug register",
                                                     "PIC",
                                                     "register of the Ethernet port"};
  return kNames[static_cast<unsigned>(resource)];
}

}  // namespace bhemu
