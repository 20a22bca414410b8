#include "sched/engine.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/check.hpp"
#include "noc/serve.hpp"

namespace bhemu::sched {
namespace {

// Fewer active nodes than this are not worth waking another thread for.
constexpr std::size_t kWorthSharing = 6;
// How often a waiting thread looks before it gives its processor away.
constexpr int kSpins = 4000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

// Threads that take nodes from the list of the epoch. The caller of run_epoch is one of them. Each
// has its part of the list, the same nodes from epoch to epoch as long as the list stays, so that a
// tile stays in one processor's cache; a thread that is done takes nodes of the others.
struct Engine::Workers {
  struct alignas(64) Part {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  Workers(Engine& engine, unsigned count) : parts(count) {
    for (unsigned i = 1; i < count; ++i)
      threads.emplace_back([this, &engine, i] { serve(engine, i); });
  }
  ~Workers() {
    quit.store(true);
    generation.fetch_add(1);
    generation.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void work(Engine& engine, unsigned self) {
    noc::Outbox& outbox = engine.outboxes_[self];
    for (std::size_t turn = 0; turn < parts.size(); ++turn) {
      Part& part = parts[(self + turn) % parts.size()];
      for (;;) {
        const std::size_t at = part.next.fetch_add(1, std::memory_order_relaxed);
        if (at >= part.end) break;
        engine.active_[at]->run_until(until, outbox);
      }
    }
  }

  void serve(Engine& engine, unsigned self) {
    u32 seen = 0;
    for (;;) {
      int spins = 0;
      while (generation.load(std::memory_order_acquire) == seen) {
        relax();
        if (++spins > kSpins) generation.wait(seen);
      }
      ++seen;
      if (quit.load()) return;
      work(engine, self);
      busy.fetch_sub(1, std::memory_order_release);
    }
  }

  void run(Engine& engine, Cycle end) {
    until = end;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].next.store(engine.active_.size() * i / parts.size(), std::memory_order_relaxed);
      parts[i].end = engine.active_.size() * (i + 1) / parts.size();
    }
    busy.store(static_cast<u32>(threads.size()), std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
    work(engine, 0);
    int spins = 0;
    while (busy.load(std::memory_order_acquire) != 0) {
      relax();
      if (++spins > kSpins) std::this_thread::yield();
    }
  }

  std::vector<std::thread> threads;
  std::atomic<u32> generation{0};
  std::atomic<u32> busy{0};
  std::vector<Part> parts;
  std::atomic<bool> quit{false};
  Cycle until = 0;
};

Engine::Engine(unsigned nodes, MakeNode make, Cycle epoch, unsigned threads)
    : nodes_(nodes, nullptr),
      make_(std::move(make)),
      next_(nodes, kNever),
      listed_(nodes, false),
      outboxes_(threads),
      epoch_(epoch) {
  CHECK(threads >= 1 && epoch >= 1);
  active_.reserve(nodes_.size());
  if (threads > 1) workers_ = std::make_unique<Workers>(*this, threads);
}

Engine::~Engine() = default;

void Engine::add(noc::Node& node) {
  CHECK(node.id() < nodes_.size() && nodes_[node.id()] == nullptr);
  nodes_[node.id()] = &node;
  touch(node.id());
}

Cycle Engine::last_edge(Cycle limit) const {
  return limit > kNever - epoch_ ? kNever - kNever % epoch_
                                 : (limit + epoch_ - 1) / epoch_ * epoch_;
}

void Engine::touch(NodeId node) {
  const Cycle before = next_[node];
  next_[node] = std::min(before, nodes_[node]->next_cycle());
  if (listed_[node] || next_[node] == before) return;
  if (before != kNever) others_changed_ = true;
  if (touched_.empty()) earliest_other_ = earliest_sleeper_;
  touched_.push_back(node);
  earliest_sleeper_ = std::min(earliest_sleeper_, next_[node]);
}

void Engine::archive(Archive& archive) {
  if (archive.is_loading()) {
    multicasts_.clear();
  } else {
    hand_over_multicasts();
  }
  archive.expect(epoch_);
  archive.value(now_);
  archive.value(packets_);
  if (!archive.is_loading()) return;
  busy_until_ = 0;
  // The nodes are asked anew when each acts next.
  active_.clear();
  std::fill(listed_.begin(), listed_.end(), false);
  touched_.clear();
  others_changed_ = true;
  for (std::size_t i = 0; i < nodes_.size(); ++i) next_[i] = nodes_[i] != nullptr ? now_ : kNever;
  earliest_sleeper_ = now_;
}

Stop Engine::run(Cycle limit, const std::function<bool()>& asked) {
  const Stop stop = run_epochs(limit, asked);
  hand_over_multicasts();
  return stop;
}

Stop Engine::run_epochs(Cycle limit, const std::function<bool()>& asked) {
  const Cycle last = last_edge(limit);
  for (;;) {
    if (asked && asked()) return Stop::Asked;
    if (nobody_acts()) {
      if (earliest_sleeper_ == kNever) return Stop::Idle;
      now_ = std::max(now_, std::min(last, earliest_sleeper_ - earliest_sleeper_ % epoch_));
    }
    if (now_ >= last) return Stop::Limit;
    const Cycle until = now_ + epoch_;
    if (earliest_sleeper_ < until) gather(until);
    if (!multicasts_.empty()) serve_multicasts(until);
    run_epoch(until);
    now_ = until;
    const bool faulted = retire();
    exchange();
    if (edge_) edge_();
    if (faulted) return Stop::Faulted;
  }
}

/// Lists every node that acts before `until`. What is known of a sleeper may be too early, since
/// the host may have taken back what it gave.
void Engine::gather(Cycle until) {
  if (!others_changed_ && !touched_.empty() && earliest_other_ >= until) {
    earliest_sleeper_ = earliest_other_;
    std::sort(touched_.begin(), touched_.end());
    for (const NodeId node : touched_)
      if (!list_if_due(node, until)) earliest_sleeper_ = std::min(earliest_sleeper_, next_[node]);
  } else {
    earliest_sleeper_ = kNever;
    for (NodeId node = 0; node < nodes_.size(); ++node)
      if (!listed_[node] && !list_if_due(node, until))
        earliest_sleeper_ = std::min(earliest_sleeper_, next_[node]);
  }
  touched_.clear();
  others_changed_ = false;
}

bool Engine::list_if_due(NodeId node, Cycle until) {
  if (next_[node] >= until) return false;
  next_[node] = nodes_[node]->next_cycle();
  if (next_[node] >= until) return false;
  listed_[node] = true;
  active_.push_back(nodes_[node]);
  return true;
}

void Engine::run_epoch(Cycle until) {
  if (workers_ && active_.size() >= kWorthSharing) {
    workers_->run(*this, until);
  } else {
    for (noc::Node* node : active_) node->run_until(until, outboxes_[0]);
  }
}

/// Takes the nodes that have nothing to do in the next epoch off the list. True: one has faulted.
bool Engine::retire() {
  bool faulted = false;
  std::size_t kept = 0;
  for (noc::Node* node : active_) {
    const NodeId id = node->id();
    faulted |= node->faults().stopped();
    next_[id] = node->next_cycle();
    if (next_[id] < now_ + epoch_) {
      active_[kept++] = node;
    } else {
      listed_[id] = false;
      earliest_sleeper_ = std::min(earliest_sleeper_, next_[id]);
      others_changed_ |= !touched_.empty();
    }
  }
  active_.resize(kept);
  return faulted;
}

/// A sleeper will act at `cycle`, if not before.
void Engine::expect(NodeId node, Cycle cycle) {
  // A sleeper that would have acted by itself has counted for the earliest of all.
  others_changed_ |= next_[node] != kNever || !touched_.empty();
  next_[node] = std::min(next_[node], cycle);
  if (next_[node] < now_ + epoch_) {
    listed_[node] = true;
    active_.push_back(nodes_[node]);
  } else {
    earliest_sleeper_ = std::min(earliest_sleeper_, next_[node]);
  }
}

void Engine::deliver(noc::Packet&& packet) {
  CHECK(packet.arrival >= now_ && packet.target < nodes_.size());
  const NodeId target = packet.target;
  noc::Node& node = nodes_[target] != nullptr ? *nodes_[target] : make_(target);
  if (!listed_[target]) expect(target, packet.arrival);
  node.deliver(std::move(packet));
}

void Engine::exchange() {
  for (noc::Outbox& outbox : outboxes_) {
    packets_ += outbox.packets.size();
    for (noc::Packet& packet : outbox.packets) deliver(std::move(packet));
    outbox.packets.clear();
    for (noc::Multicast& multicast : outbox.multicasts) {
      for (const noc::Receiver& receiver : *multicast.receivers)
        packets_ += receiver.node != multicast.except ? 1 : 0;
      multicasts_.push_back(std::move(multicast));
    }
    outbox.multicasts.clear();
  }
  for (noc::Acknowledgements& all : acknowledgements_) {
    const NodeId target = all.packet.target;
    packets_ += all.senders.size();
    noc::Node& node = nodes_[target] != nullptr ? *nodes_[target] : make_(target);
    if (!listed_[target]) expect(target, all.packet.arrival);
    node.deliver_all(std::move(all));
  }
  acknowledgements_.clear();
}

/// Before the nodes of the epoch run. A node that sleeps until its end only receives, so it can do
/// that now, one multicast after the other in the order of their arrival.
void Engine::serve_multicasts(Cycle until) {
  std::vector<noc::Multicast> all = std::exchange(multicasts_, {});
  std::sort(all.begin(), all.end(), [](const noc::Multicast& a, const noc::Multicast& b) {
    return noc::LaterPacket{}(b.packet, a.packet);
  });
  for (const noc::Multicast& multicast : all) {
    CHECK(multicast.packet.arrival >= now_ && multicast.packet.arrival < until);
    noc::Acknowledgements answers;
    const noc::Receivers& receivers = *multicast.receivers;
    if (noc::wants_response(multicast.packet)) answers.senders.reserve(receivers.size());
    for (std::size_t i = 0; i < receivers.size(); ++i) {
      const NodeId node = receivers[i].node;
      if (node == multicast.except) continue;
      const bool sleeps = nodes_[node] != nullptr && !listed_[node];
      if (sleeps && nodes_[node]->receive_at_rest(multicast.packet, answers)) continue;
      deliver(multicast.packet_for(i));
    }
    if (!answers.senders.empty()) acknowledgements_.push_back(std::move(answers));
  }
}

void Engine::hand_over_multicasts() {
  for (const noc::Multicast& multicast : std::exchange(multicasts_, {}))
    for (std::size_t i = 0; i < multicast.receivers->size(); ++i)
      if ((*multicast.receivers)[i].node != multicast.except) deliver(multicast.packet_for(i));
}

}  // namespace bhemu::sched
