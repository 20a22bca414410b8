// Programs of several cores and threads that pass values to each other, by every way there is
// within a tile: semaphores (of the threads, and of the cores), mutexes, banks of SrcA and SrcB,
// mailboxes, flags in L1.
//
// The programs are written as one sequence of sends and receipts, each put down for the core that
// does it. A channel has one sender and one receiver, and either waits for the other; so whatever
// the timing, every value that is received is the same (a process network), and the sequence proves
// that nobody waits for ever.
#include <array>

#include "diff/classes.hpp"
#include "diff/writer.hpp"

namespace bhemu::diff {
namespace {

using namespace tensix;

constexpr u32 kGprs = 0xFFE00000;
constexpr u32 kSemaphores = 0xFFE80020;
constexpr u32 kMailboxes = 0xFFEC0000;
constexpr u32 kFlags = kData + 0x1000;    // L1 channels: flag, answer, value
constexpr u32 kStarted = kData + 0x1F00;  // set by the first core when all is set up
constexpr u32 kEnded = kData + 0x1F10;    // one word for each core
constexpr u32 kUsedGprs = 16;
constexpr u32 kScratchGpr = 15;
constexpr u32 kTotalGpr = 14;
constexpr u32 kWordsPerLane = 40;  // a thread's words between two waits for it

/// Configuration words without effect: the values that semaphores guard.
constexpr std::array<u32, 16> kWords{12, 13, 14, 15, 28, 56, 57, 64,
                                     65, 59, 70, 72, 76, 77, 84, 112};
constexpr u32 kMutexWord = 112;
/// The semaphores of the threads have three words each, then the banks of SrcA and of SrcB.
constexpr u32 kThreadChannels = 3;
constexpr u32 kSlots = 3;

enum class Way : u8 { Semaphore, CoreSemaphore, Mailbox, Flag, Source };

struct Channel {
  Way way = Way::Flag;
  u8 from = 0;
  u8 to = 0;
  u32 index = 0;  // semaphore, or block of flags
  u32 depth = 1;  // how many values may be under way
  u32 sent = 0;
  u32 received = 0;
  u32 group = 0;  // of the channel, where its messages cannot be taken out one by one
};

/// Mailboxes are numbered by the cores: BRISC, then the TRISCs.
constexpr u32 mailbox_of(u8 core) {
  return core == kBrisc ? 0 : core + 1;
}

class Network {
 public:
  explicit Network(Writer& writer) : w_(writer), mutex_(w_.one_in(20) ? w_.pick({2, 3, 4}) : 0) {}

  void set_up();
  void add_channel();
  void step();
  void finish();

 private:
  void push_guard();
  void settle();
  /// A wait that blocks the next instruction, of the configuration unit, and whichever others.
  u32 blocks() { return w_.one_in(2) ? 0x1FF : w_.below(0x200) | 1u << 7; }
  void send(Channel& channel);
  void receive(Channel& channel);
  void send_by_semaphore(Channel& channel);
  void receive_by_semaphore(Channel& channel);
  void send_by_source(Channel& channel);
  void receive_by_source(Channel& channel);
  void add_to_total();
  void local_step();
  void use_core(u8 core) { w_.core = core; }

  Writer& w_;
  u32 mutex_;  // of the total; peers know mutex 0, the others are as good here
  std::vector<Channel> channels_;
  std::vector<u32> message_groups_;
  std::array<u32, 3> pushed_{};
  u32 semaphores_ = 0;
  u32 thread_channels_ = 0;
  u32 flags_ = 0;
  u32 sources_ = 0;
};

/// A core must not fill the queue of its thread: peers end when a window is written too often.
void Network::push_guard() {
  if (++pushed_[w_.core] % kWordsPerLane != 0) return;
  const bool keep = w_.keep;
  w_.keep = true;
  w_.sync();
  w_.keep = keep;
}

/// Lets what the thread has sent to ThCon and the configuration take effect.
void Network::settle() {
  w_.op<op::STALLWAIT>({{"stall_res", 0x1FF}, {"wait_res", 1}});
  w_.op<op::NOP>();
  w_.op<op::NOP>();
}

void Network::set_up() {
  w_.keep = true;
  for (u8 core = 0; core < 3; ++core) {
    use_core(core);
    for (u32 i = 0; i < kUsedGprs; ++i) w_.store(kGprs + i * 4, i == kTotalGpr ? 0 : w_.word());
  }
  use_core(kTrisc0);
  for (u32 i = 0; i < 8; ++i) {
    u32 most = 1;
    for (const Channel& channel : channels_)
      if (channel.way == Way::Semaphore && channel.index == i) most = channel.depth;
    w_.op<op::SEMINIT>({{"sem_sel", 1u << i}, {"init_value", 0}, {"max_value", most}});
  }
  for (const u32 word : kWords) w_.config(word, word == kMutexWord ? 0 : w_.word());
  w_.sync();
  w_.store(kStarted, 1);
  for (u8 core = 1; core < kCores; ++core) {
    use_core(core);
    w_.wait(kStarted, 1);
  }
  w_.keep = false;
}

void Network::add_channel() {
  Channel channel;
  channel.way = static_cast<Way>(w_.below(5));
  if (channel.way == Way::Source && sources_ == 2) channel.way = Way::Flag;
  if (channel.way == Way::Semaphore && thread_channels_ == kThreadChannels)
    channel.way = Way::Mailbox;
  if (channel.way == Way::CoreSemaphore && semaphores_ == 8) channel.way = Way::Flag;
  const u32 cores = channel.way == Way::Flag ? 5 : channel.way == Way::Mailbox ? 4 : 3;
  channel.from = static_cast<u8>(w_.below(cores));
  channel.to = static_cast<u8>((channel.from + 1 + w_.below(cores - 1)) % cores);
  if (channel.way == Way::Semaphore) {
    // Its semaphore and its words are those of its number, below those of the cores.
    channel.index = thread_channels_++;
    channel.depth = 1 + w_.below(kSlots);
    if (semaphores_ < kThreadChannels) semaphores_ = kThreadChannels;
  } else if (channel.way == Way::CoreSemaphore) {
    if (semaphores_ < kThreadChannels) semaphores_ = kThreadChannels;
    channel.index = semaphores_++;
  } else if (channel.way == Way::Source) {
    channel.index = sources_++;
    channel.depth = 1 + w_.below(2);
  } else if (channel.way == Way::Flag) {
    channel.index = flags_++;
  } else {
    // One channel for each mailbox.
    for (const Channel& other : channels_)
      if (other.way == Way::Mailbox && other.from == channel.from && other.to == channel.to) return;
  }
  if (channel.way == Way::Flag || channel.way == Way::Source || channel.depth > 1)
    channel.group = w_.new_group();
  channels_.push_back(channel);
}

void Network::send_by_semaphore(Channel& channel) {
  const u32 one = 1u << channel.index;
  const u32 word = kWords[channel.index * kSlots + channel.sent % channel.depth];
  push_guard();
  w_.op<op::SEMWAIT>({{"sem_sel", one}, {"wait_sem_cond", 2}, {"stall_res", blocks()}});
  w_.op<op::WRCFG>({{"gpr_address", w_.below(12)}, {"cfg_reg", word}});
  settle();
  w_.op<op::SEMPOST>({{"sem_sel", one}});
}

void Network::receive_by_semaphore(Channel& channel) {
  const u32 one = 1u << channel.index;
  const u32 word = kWords[channel.index * kSlots + channel.received % channel.depth];
  push_guard();
  w_.op<op::SEMWAIT>({{"sem_sel", one}, {"wait_sem_cond", 1}, {"stall_res", blocks()}});
  w_.op<op::RDCFG>({{"gpr_address", w_.below(12)}, {"cfg_reg", word}});
  settle();
  w_.op<op::SEMGET>({{"sem_sel", one}});
}

/// A bank is given to the matrix unit: when it has none yet (depth 1), or when one is free.
void Network::send_by_source(Channel& channel) {
  push_guard();
  const u32 word = kWords[(kThreadChannels + channel.index) * kSlots + channel.sent % kSlots];
  w_.op<op::WRCFG>({{"gpr_address", w_.below(12)}, {"cfg_reg", word}});
  settle();
  w_.op<op::UNPACR_NOP>({{"unpack_pop", 1},
                         {"stall_clr_cntrl", channel.depth - 1},
                         {"set_dvalid", 1},
                         {"unpacker_select", channel.index}});
}

void Network::receive_by_source(Channel& channel) {
  push_guard();
  const u32 word = kWords[(kThreadChannels + channel.index) * kSlots + channel.received % kSlots];
  w_.op<op::STALLWAIT>({{"stall_res", blocks()}, {"wait_res", 0x80u << channel.index}});
  w_.op<op::RDCFG>({{"gpr_address", w_.below(12)}, {"cfg_reg", word}});
  settle();
  w_.op<op::CLEARDVALID>({{"cleardvalid", 1u << channel.index}});
}

void Network::send(Channel& channel) {
  use_core(channel.from);
  const u32 block = kFlags + channel.index * 0x20;
  switch (channel.way) {
    case Way::Semaphore:
      send_by_semaphore(channel);
      break;
    case Way::Source:
      send_by_source(channel);
      break;
    case Way::CoreSemaphore:
      w_.wait(kSemaphores + channel.index * 4, 0);
      w_.store(kSemaphores + channel.index * 4, 0);
      break;
    case Way::Mailbox:
      w_.store(kMailboxes + mailbox_of(channel.to) * 0x1000, w_.any_word());
      break;
    case Way::Flag:
      w_.wait(block + 4, channel.sent);
      w_.store(block + 8, w_.any_word());
      w_.store(block, channel.sent + 1);
      break;
  }
  ++channel.sent;
}

void Network::receive(Channel& channel) {
  use_core(channel.to);
  const u32 block = kFlags + channel.index * 0x20;
  switch (channel.way) {
    case Way::Semaphore:
      receive_by_semaphore(channel);
      break;
    case Way::Source:
      receive_by_source(channel);
      break;
    case Way::CoreSemaphore:
      w_.wait(kSemaphores + channel.index * 4, 1);
      w_.store(kSemaphores + channel.index * 4, 1);
      break;
    case Way::Mailbox:
      w_.load(kMailboxes + mailbox_of(channel.from) * 0x1000);
      break;
    case Way::Flag:
      w_.wait(block, channel.received + 1);
      w_.load(block + 8);
      w_.store(block + 4, channel.received + 1);
      break;
  }
  ++channel.received;
}

/// Adds a register of the thread to a word that all threads add to, under the mutex.
void Network::add_to_total() {
  use_core(static_cast<u8>(w_.below(3)));
  w_.group = w_.new_group();
  push_guard();
  w_.op<op::ATGETM>({{"mutex_index", mutex_}});
  w_.op<op::RDCFG>({{"gpr_address", kScratchGpr}, {"cfg_reg", kMutexWord}});
  settle();
  w_.op<op::ADDDMAREG>({{"op_a_reg_index", kScratchGpr},
                        {"op_b_reg_index", 12 + w_.below(2)},
                        {"result_reg_index", kScratchGpr}});
  settle();
  w_.op<op::WRCFG>({{"gpr_address", kScratchGpr}, {"cfg_reg", kMutexWord}});
  settle();
  w_.op<op::ATRELM>({{"mutex_index", mutex_}});
  // What the register holds depends on who came first.
  w_.op<op::SETDMAREG>({{"reg_index_16b", kScratchGpr * 2}});
  w_.op<op::SETDMAREG>({{"reg_index_16b", kScratchGpr * 2 + 1}});
  settle();
  w_.group = 0;
}

void Network::local_step() {
  use_core(static_cast<u8>(w_.below(3)));
  push_guard();
  w_.op<op::ADDDMAREG>({{"op_a_reg_index", w_.below(12)},
                        {"op_b_reg_index", w_.below(12)},
                        {"result_reg_index", w_.below(12)}});
  w_.keep = true;
  settle();
  w_.keep = false;
}

void Network::step() {
  if (channels_.empty() || w_.one_in(5)) return local_step();
  if (w_.one_in(8)) return add_to_total();
  Channel& channel = channels_[w_.below(static_cast<u32>(channels_.size()))];
  const bool full = channel.sent - channel.received == channel.depth;
  const bool empty = channel.sent == channel.received;
  // Receipts of messages that go one by one have the group of what they receive.
  w_.group = channel.group;
  if (w_.group == 0) {
    message_groups_.resize(channels_.size());
    u32& group = message_groups_[static_cast<size_t>(&channel - channels_.data())];
    if (empty) group = w_.new_group();
    w_.group = group;
  }
  if (full || (!empty && w_.one_in(2)))
    receive(channel);
  else
    send(channel);
  w_.group = 0;
}

void Network::finish() {
  for (size_t i = 0; i < channels_.size(); ++i) {
    Channel& channel = channels_[i];
    w_.group =
        channel.group != 0 || i >= message_groups_.size() ? channel.group : message_groups_[i];
    while (channel.received < channel.sent) receive(channel);
  }
  w_.group = 0;
  w_.keep = true;
  for (u8 core = 1; core < kCores; ++core) {
    use_core(core);
    if (core < 3) {
      w_.sync();
      for (u32 i = 0; i < kUsedGprs; ++i) w_.load(kGprs + i * 4);
    }
    w_.store(kEnded + core * 4, 1);
  }
  use_core(kTrisc0);
  w_.sync();
  for (u8 core = 1; core < kCores; ++core) w_.wait(kEnded + core * 4, 1);
  for (u32 i = 0; i < kUsedGprs; ++i) w_.load(kGprs + i * 4);
  for (const u32 word : kWords) w_.load(0xFFEF0000 + word * 4);
  for (u32 i = 0; i < 8; ++i) w_.load(kSemaphores + i * 4);
}

}  // namespace

Program make_threads(u64 seed) {
  Writer w(seed);
  Network network(w);
  for (u32 channels = 1 + w.below(8); channels > 0; --channels) network.add_channel();
  network.set_up();
  for (u32 steps = 1 + w.below(40); steps > 0; --steps) network.step();
  network.finish();
  return w.program;
}

/// One thread's semaphores and mutex: every value they may have, from both sides.
Program make_sync(u64 seed) {
  Writer w(seed);
  std::array<u32, 8> value{};
  std::array<u32, 8> limit{};
  w.keep = true;
  for (u32 i = 0; i < 8; ++i) {
    limit[i] = 1 + w.below(15);
    value[i] = w.below(limit[i] + 1);
    w.op<op::SEMINIT>({{"sem_sel", 1u << i}, {"init_value", value[i]}, {"max_value", limit[i]}});
  }
  w.keep = false;
  for (u32 steps = 1 + w.below(30); steps > 0; --steps) {
    const u32 i = w.below(8);
    const u32 one = 1u << i;
    switch (w.below(7)) {
      case 0:
        if (value[i] < limit[i]) ++value[i], w.op<op::SEMPOST>({{"sem_sel", one}});
        break;
      case 1:
        if (value[i] > 0) --value[i], w.op<op::SEMGET>({{"sem_sel", one}});
        break;
      case 2:
        if (value[i] > 0)
          w.op<op::SEMWAIT>(
              {{"sem_sel", one}, {"wait_sem_cond", 1}, {"stall_res", 1 + w.below(0x1FF)}});
        break;
      case 3:
        if (value[i] < limit[i])
          w.op<op::SEMWAIT>(
              {{"sem_sel", one}, {"wait_sem_cond", 2}, {"stall_res", 1 + w.below(0x1FF)}});
        break;
      case 4:
        w.keep = true;
        w.sync();
        w.keep = false;
        if (w.one_in(2) && value[i] < 15 && value[i] < limit[i])
          ++value[i], w.store(kSemaphores + i * 4, 0);
        else if (value[i] > 0)
          --value[i], w.store(kSemaphores + i * 4, 1);
        w.load(kSemaphores + i * 4);
        break;
      case 5:
        // Conditions that hold at once: the units, and both halves of a pair of them.
        w.op<op::STALLWAIT>({{"stall_res", 1 + w.below(0x1FF)},
                             {"wait_res", w.pick({1, 2, 4, 8, 16, 0x1F, 0x400, 0x800, 0xC1F})}});
        break;
      default:
        w.group = w.new_group();
        w.op<op::ATGETM>();
        w.wait_all();
        w.op<op::ATRELM>();
        w.group = 0;
    }
  }
  w.keep = true;
  w.sync();
  for (u32 i = 0; i < 8; ++i) w.load(kSemaphores + i * 4);
  return w.program;
}

}  // namespace bhemu::diff
