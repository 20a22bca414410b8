#include "base/types.hpp"
#include "base/wait.hpp"
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

const char* name_of(Awaited kind) {
  static constexpr const char* kNames[kAwaited] = {
      "l1-word",      "stream-register",  "cb-pages",
      "noc-answers",  "niu-register",     "semaphore-read",
      "register",     "remote-word",      "nothing",
      "time",         "fifo-room",        "thread-done",
      "mop-done",     "mailbox-word",     "mailbox-room",
      "pcbuf-word",   "pcbuf-room",       "pcbuf-drained",
      "ttsync",       "packed-tile",      "tdma-room",
      "debugger",     "condition",        "lifted",
      "stream-phase", "stream-messages",  "semaphore",
      "mutex",        "compared-word",    "soft-reset",
      "scalar-unit",  "last-instruction", "unit",
      "source-valid", "source-free",      "fault"};
  return kNames[static_cast<unsigned>(kind)];
}

const char* name_of(Until until) {
  static constexpr const char* kNames[] = {"", "changes", "!=", "<", ">="};
  return kNames[static_cast<unsigned>(until)];
}

}  // namespace bhemu
