// Whole traces of small guest programs, line by line. What stands here was checked against the
// documents' meaning of each instruction by hand.
#include <gtest/gtest.h>

#include "trace/traced_chip.hpp"

namespace bhemu::test {
namespace {

using enum Reg;
using tensix::encode;
namespace op = tensix::op;

struct Chip {
  explicit Chip(u32 what = trace::Selection::kAll & ~bit_of(trace::What::Host)) {
    selection.what = what;
    kept = start_trace(device, selection);
    tile = device.board().tensix()[0];
  }
  void run(const std::vector<u32>& program, u32 reset = kBriscRuns) {
    load(device, tile, 0, program);
    device.write32(tile, kSoftReset, reset);
    device.run(2000);
    device.stop_trace();
  }
  Device device{DeviceOptions{}};
  trace::Selection selection;
  std::shared_ptr<Kept> kept;
  Coord tile;
};

TEST(Events, of_a_core_are_its_instructions_with_values_and_memory) {
  Assembler a;
  a.li(s0, 0x8000);
  a.li(t0, 0x12345678);
  a.sw(t0, 4, s0);
  a.lbu(t1, 5, s0);
  a.sb(t1, 0, s0);
  a.word(0x0064202F);  // amoadd.w zero, t1, (s0)
  a.word(0xD002F053);  // fcvt.s.w ft0, t0
  a.word(0x00042427);  // fsw ft0, 8(s0)
  a.halt();
  Chip chip;
  chip.run(a.finish());
  EXPECT_EQ(chip.kept->text,
            "           0 1-2    brisc    release    pc=0x00000\n"
            "           0 1-2    brisc    retire     pc=0x00000 word=0x00008437 rd=s0 "
            "value=0x00008000 ; lui s0, 0x8\n"
            "           1 1-2    brisc    retire     pc=0x00004 word=0x123452b7 rd=t0 "
            "value=0x12345000 ; lui t0, 0x12345\n"
            "           2 1-2    brisc    retire     pc=0x00008 word=0x67828293 rd=t0 "
            "value=0x12345678 ; addi t0, t0, 1656\n"
            "           3 1-2    brisc    retire     pc=0x0000c word=0x00542223 addr=0x08004 "
            "size=4 store=0x12345678 ; sw t0, 4(s0)\n"
            "           4 1-2    brisc    retire     pc=0x00010 word=0x00544303 rd=t1 "
            "value=0x00000056 addr=0x08005 size=1 load=0x56 ; lbu t1, 5(s0)\n"
            "           5 1-2    brisc    retire     pc=0x00014 word=0x00640023 addr=0x08000 "
            "size=1 store=0x56 ; sb t1, 0(s0)\n"
            "           6 1-2    brisc    retire     pc=0x00018 word=0x0064202f addr=0x08000 "
            "size=4 load=0x00000056 store=0x000000ac ; amoadd.w zero, t1, (s0)\n"
            "           7 1-2    brisc    retire     pc=0x0001c word=0xd002f053 rd=ft0 "
            "value=0x4d91a2b4 ; fcvt.s.w ft0, t0\n"
            "           8 1-2    brisc    retire     pc=0x00020 word=0x00042427 addr=0x08008 "
            "size=4 store=0x4d91a2b4 ; fsw ft0, 8(s0)\n"
            "           9 1-2    brisc    retire     pc=0x00024 word=0x0000006f ; jal zero, 0x24\n"
            "          10 1-2    brisc    retire     pc=0x00024 word=0x0000006f ; jal zero, 0x24\n"
            "         256 1-2    brisc    repeat     period=1 instructions=245 first=11 ; the "
            "last 1 instruction 245 more times\n");
}

TEST(Events, of_vector_loads_and_stores_are_their_elements) {
  Assembler a(kTriscStart[2]);
  a.li(s0, 0x8000);
  a.li(s1, 0x9002);
  a.word(0xC10272D7);  // vsetivli t0, 4, e32, m1
  a.word(0x02046087);  // vle32.v v1, (s0)
  a.word(0x0204D0A7);  // vse16.v v1, (s1)
  a.halt();
  Chip chip(bit_of(trace::What::Riscv));
  load(chip.device, chip.tile, kTriscStart[2], a.finish());
  load(chip.device, chip.tile, 0x8000, {11, 22, 33, 44});
  chip.run({}, 0x43800);
  EXPECT_EQ(chip.kept->text,
            "           0 1-2    trisc2   retire     pc=0x0e000 word=0x00008437 rd=s0 "
            "value=0x00008000 ; lui s0, 0x8\n"
            "           1 1-2    trisc2   retire     pc=0x0e004 word=0x000094b7 rd=s1 "
            "value=0x00009000 ; lui s1, 0x9\n"
            "           2 1-2    trisc2   retire     pc=0x0e008 word=0x00248493 rd=s1 "
            "value=0x00009002 ; addi s1, s1, 2\n"
            "           3 1-2    trisc2   retire     pc=0x0e00c word=0xc10272d7 rd=t0 "
            "value=0x00000004 ; vsetivli t0, 4, e32, m1, tu, mu\n"
            "           4 1-2    trisc2   retire     pc=0x0e010 word=0x02046087 ; vle32.v v1, "
            "(s0)\n"
            "           4 1-2    trisc2   element    pc=0x0e010 index=0 addr=0x08000 size=4 "
            "load=0x0000000b\n"
            "           4 1-2    trisc2   element    pc=0x0e010 index=1 addr=0x08004 size=4 "
            "load=0x00000016\n"
            "           4 1-2    trisc2   element    pc=0x0e010 index=2 addr=0x08008 size=4 "
            "load=0x00000021\n"
            "           4 1-2    trisc2   element    pc=0x0e010 index=3 addr=0x0800c size=4 "
            "load=0x0000002c\n"
            "           5 1-2    trisc2   retire     pc=0x0e014 word=0x0204d0a7 ; vse16.v v1, "
            "(s1)\n"
            "           5 1-2    trisc2   element    pc=0x0e014 index=0 addr=0x09002 size=2 "
            "store=0x000b\n"
            "           5 1-2    trisc2   element    pc=0x0e014 index=1 addr=0x09004 size=2 "
            "store=0x0000\n"
            "           5 1-2    trisc2   element    pc=0x0e014 index=2 addr=0x09006 size=2 "
            "store=0x0016\n"
            "           5 1-2    trisc2   element    pc=0x0e014 index=3 addr=0x09008 size=2 "
            "store=0x0000\n"
            "           6 1-2    trisc2   retire     pc=0x0e018 word=0x0000006f ; jal zero, "
            "0xe018\n"
            "           7 1-2    trisc2   retire     pc=0x0e018 word=0x0000006f ; jal zero, "
            "0xe018\n"
            "         256 1-2    trisc2   repeat     period=1 instructions=248 first=8 ; the "
            "last 1 instruction 248 more times\n");
}

TEST(Events, of_threads_say_where_an_instruction_came_from) {
  Chip chip(bit_of(trace::What::Tensix) | bit_of(trace::What::Sync) | bit_of(trace::What::Stall));
  load(chip.device, chip.tile, kTriscStart[0], ring::trisc0());
  load(chip.device, chip.tile, kTriscStart[1], ring::trisc1());
  Assembler a;
  a.li(t0, kMailbox + 0x1000);
  a.li(t1, 5);
  a.sw(t1, 0, t0);
  a.lw(t1, 0, t0);
  a.halt();
  chip.run(a.finish(), kBriscAndTriscsRun | 1u << 14);
  EXPECT_EQ(
      chip.kept->text,
      "           2 1-2    brisc    mailbox    op=push from=brisc to=trisc0 "
      "value=0x00000005\n"
      "           3 1-2    brisc    stall      pc=0x0000c wait=mailbox index=1 ; a word in the "
      "mailbox from "
      "TRISC0; can be released by: TRISC0\n"
      "           3 1-2    trisc0   push       thread=0 word=0xa3300008 ; SEMINIT "
      "sem_sel=2, init_value=0, max_value=3\n"
      "           4 1-2    thread0  execute    word=0xa3300008 from=queue ; SEMINIT "
      "sem_sel=2, init_value=0, max_value=3\n"
      "           4 1-2    thread0  semaphore  index=1 before=0 after=0 max=3\n"
      "           6 1-2    trisc0   push       thread=0 word=0xa6ff8009 ; SEMWAIT "
      "wait_sem_cond=1, sem_sel=2, stall_res=0x1ff\n"
      "           7 1-2    thread0  execute    word=0xa6ff8009 from=queue ; SEMWAIT "
      "wait_sem_cond=1, sem_sel=2, stall_res=0x1ff\n"
      "           9 1-2    trisc0   push       thread=0 word=0xa5000008 ; SEMGET sem_sel=2\n"
      "          10 1-2    trisc0   push       thread=0 word=0x04000021 ; REPLAY "
      "load_mode=1, execute_while_loading=0, len=2, start_idx=0\n"
      "          10 1-2    thread0  stall      word=0xa5000008 wait=semaphore index=1 ; SEMWAIT "
      "until semaphore 1 "
      "is not 0, before SEMGET sem_sel=2; can be released by: a thread's SEMPOST of "
      "semaphore 1, or a TRISC's write to 0xffe80024; none is queued\n"
      "          11 1-2    trisc0   push       thread=0 word=0x45000702 ; SETDMAREG "
      "reg_index_16b=2, set_signals_mode=0, payload_sig_sel=7, payload_sig_sel_size=0\n"
      "          12 1-2    trisc0   push       thread=0 word=0x45000904 ; SETDMAREG "
      "reg_index_16b=4, set_signals_mode=0, payload_sig_sel=9, payload_sig_sel_size=0\n"
      "          13 1-2    trisc0   push       thread=0 word=0x04000020 ; REPLAY "
      "load_mode=0, execute_while_loading=0, len=2, start_idx=0\n"
      "          16 1-2    trisc0   stall      pc=0x06040 wait=thread ; thread 0 to finish all its "
      "instructions (TTSync); can be released by: thread 0 itself\n"
      "         601 1-2    trisc1   push       thread=1 word=0xa4000008 ; SEMPOST sem_sel=2\n"
      "         602 1-2    thread1  execute    word=0xa4000008 from=queue ; SEMPOST "
      "sem_sel=2\n"
      "         602 1-2    thread1  semaphore  index=1 before=0 after=1 max=3\n"
      "         604 1-2    thread0  resume     word=0xa5000008 after=594\n"
      "         604 1-2    thread0  execute    word=0xa5000008 from=queue ; SEMGET "
      "sem_sel=2\n"
      "         604 1-2    thread0  semaphore  index=1 before=1 after=0 max=3\n"
      "         608 1-2    thread0  execute    word=0x45000702 from=replay ; SETDMAREG "
      "reg_index_16b=2, set_signals_mode=0, payload_sig_sel=7, payload_sig_sel_size=0\n"
      "         609 1-2    thread0  execute    word=0x45000904 from=replay ; SETDMAREG "
      "reg_index_16b=4, set_signals_mode=0, payload_sig_sel=9, payload_sig_sel_size=0\n"
      "         640 1-2    trisc0   resume     pc=0x06040 after=624\n"
      "         642 1-2    trisc0   mailbox    op=pop from=brisc to=trisc0 value=0x00000005\n"
      "         644 1-2    trisc0   mailbox    op=push from=trisc0 to=brisc "
      "value=0x00000069\n"
      "         704 1-2    brisc    resume     pc=0x0000c after=701\n"
      "         704 1-2    brisc    mailbox    op=pop from=trisc0 to=brisc value=0x00000069\n");
}

TEST(Events, of_a_mop_are_the_words_that_it_makes) {
  Assembler a(kTriscStart[0]);
  a.li(s0, 0xFFB80000);
  const u32 words[] = {2,
                       3,
                       encode<op::NOP>(),
                       encode<op::NOP>(),
                       encode<op::NOP>(),
                       encode<op::SETDMAREG>({{"reg_index_16b", 2}, {"payload_sig_sel", 7}}),
                       encode<op::NOP>(),
                       encode<op::SEMPOST>({{"sem_sel", 1}}),
                       encode<op::SEMPOST>({{"sem_sel", 1}})};
  for (i32 i = 0; i < 9; ++i) {
    a.li(t0, words[i]);
    a.sw(t0, i * 4, s0);
  }
  a.ttinsn(encode<op::SEMINIT>({{"sem_sel", 1}, {"max_value", 9}}));
  a.ttinsn(encode<op::MOP>({{"mop_type", 1}}));
  a.halt();
  Chip chip(bit_of(trace::What::Tensix) | bit_of(trace::What::Sync));
  load(chip.device, chip.tile, kTriscStart[0], a.finish());
  chip.run({}, 0x46800);
  EXPECT_EQ(chip.kept->text,
            "          22 1-2    trisc0   push       thread=0 word=0xa3900004 ; SEMINIT "
            "sem_sel=1, init_value=0, max_value=9\n"
            "          23 1-2    trisc0   push       thread=0 word=0x01800000 ; MOP "
            "zmask_lo16_or_loop_count=0, loop_count=0, mop_type=1\n"
            "          23 1-2    thread0  execute    word=0xa3900004 from=queue ; SEMINIT "
            "sem_sel=1, init_value=0, max_value=9\n"
            "          23 1-2    thread0  semaphore  index=0 before=0 after=0 max=9\n"
            "          24 1-2    thread0  execute    word=0x45000702 from=mop ; SETDMAREG "
            "reg_index_16b=2, set_signals_mode=0, payload_sig_sel=7, payload_sig_sel_size=0\n"
            "          25 1-2    thread0  execute    word=0x45000702 from=mop ; SETDMAREG "
            "reg_index_16b=2, set_signals_mode=0, payload_sig_sel=7, payload_sig_sel_size=0\n"
            "          26 1-2    thread0  execute    word=0xa4000004 from=mop ; SEMPOST sem_sel=1\n"
            "          26 1-2    thread0  semaphore  index=0 before=0 after=1 max=9\n"
            "          27 1-2    thread0  execute    word=0x45000702 from=mop ; SETDMAREG "
            "reg_index_16b=2, set_signals_mode=0, payload_sig_sel=7, payload_sig_sel_size=0\n"
            "          28 1-2    thread0  execute    word=0x45000702 from=mop ; SETDMAREG "
            "reg_index_16b=2, set_signals_mode=0, payload_sig_sel=7, payload_sig_sel_size=0\n"
            "          29 1-2    thread0  execute    word=0xa4000004 from=mop ; SEMPOST sem_sel=1\n"
            "          29 1-2    thread0  semaphore  index=0 before=1 after=2 max=9\n");
}

TEST(Events, of_packets_are_their_departure_and_arrival_on_both_sides) {
  Chip chip(bit_of(trace::What::Noc));
  const auto& tiles = chip.device.board().tensix();
  const Coord next = tiles[1];
  chip.device.write32(chip.tile, kArguments, next.x | u32{next.y} << 6);
  chip.device.write32(chip.tile, kArguments + 4, chip.tile.x | u32{chip.tile.y} << 6);
  chip.run(ring::brisc(1));
  EXPECT_EQ(chip.kept->text,
            "          25 1-2    brisc    send       kind=atomic noc=0 from=1-2 to=1-3 "
            "addr=0x08000 size=4 value=0x00000001 id=0 vc=1 by=brisc by_pc=0x00064 arrives=281\n"
            "         281 1-3    niu0     arrive     kind=atomic noc=0 from=1-2 to=1-3 "
            "addr=0x08000 size=4 value=0x00000001 id=0 vc=1 by=brisc by_pc=0x00064 sent=25\n"
            "         281 1-3    niu0     send       kind=atomic-response noc=0 from=1-3 to=1-2 "
            "addr=0x08400 size=4 value=0x00000000 id=0 vc=0 by=brisc by_pc=0x00064 arrives=537\n"
            "         537 1-2    niu0     arrive     kind=atomic-response noc=0 from=1-3 to=1-2 "
            "addr=0x08400 size=4 value=0x00000000 id=0 vc=0 by=brisc by_pc=0x00064 sent=281\n");
}

/// TRISC `thread` pushes words to its own thread; all other cores are held.
std::string trace_of_thread(unsigned thread, const std::vector<u32>& words, u32 what) {
  Assembler a(kTriscStart[thread]);
  for (const u32 word : words) a.ttinsn(word);
  a.halt();
  Chip chip(what);
  load(chip.device, chip.tile, kTriscStart[thread], a.finish());
  chip.run({}, 0x47800 & ~(0x1000u << thread));
  return chip.kept->text;
}

TEST(Events, of_a_register_store_name_the_thread_whose_instruction_it_is) {
  const u32 stream = (0xFFB40000 + 5 * 0x1000 + 10 * 4 - 0xFFB00000) >> 2;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const std::string text =
        trace_of_thread(thread,
                        {encode<op::SETDMAREG>({{"reg_index_16b", 8}, {"payload_sig_sel", 3}}),
                         encode<op::SETDMAREG>({{"reg_index_16b", 9}}),
                         encode<op::STOREREG>({{"reg_addr", stream}, {"tdma_data_reg_index", 4}})},
                        bit_of(trace::What::Sync));
    const std::string agent = "thread" + std::to_string(thread);
    EXPECT_NE(text.find(agent + "  stream     stream=5 index=10 before=0x0 after=0x3"),
              std::string::npos)
        << text;
    for (unsigned other = 0; other < kThreads; ++other) {
      if (other == thread) continue;
      EXPECT_EQ(text.find("thread" + std::to_string(other)), std::string::npos) << text;
    }
  }
}

TEST(Events, of_a_request_that_a_thread_sends_name_the_thread) {
  // NOC_CMD_CTRL of NIU 0: a write of no bytes at all is refused, and the fault names the author.
  const u32 unmapped = (0xFFB7F000 - 0xFFB00000) >> 2;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const std::string text = trace_of_thread(
        thread, {encode<op::STOREREG>({{"reg_addr", unmapped}, {"tdma_data_reg_index", 4}})},
        bit_of(trace::What::Fault));
    EXPECT_NE(text.find("thread" + std::to_string(thread) + "  fault "), std::string::npos) << text;
  }
}

/// The reasons of a thread's stalls, as the trace has them.
std::vector<std::string> reasons(const std::shared_ptr<Kept>& kept, Agent agent) {
  std::vector<std::string> all;
  for (const trace::Event& event : kept->events)
    if (const auto* stall = std::get_if<trace::StallBegin>(&event.detail);
        stall != nullptr && event.agent == agent)
      all.emplace_back(trace::name_of(stall->reason.wait));
  return all;
}

/// TRISC0 and TRISC1 push the words of theirs.
std::shared_ptr<Kept> stalls_of(const std::vector<u32>& first, const std::vector<u32>& second) {
  Chip chip(bit_of(trace::What::Stall) | bit_of(trace::What::Tensix));
  for (unsigned thread = 0; thread < 2; ++thread) {
    Assembler a(kTriscStart[thread]);
    for (const u32 word : thread == 0 ? first : second) a.ttinsn(word);
    a.halt();
    load(chip.device, chip.tile, kTriscStart[thread], a.finish());
  }
  chip.run({}, 0x47800 & ~0x3000u);
  return chip.kept;
}

TEST(Stalls, say_what_the_instruction_itself_waits_for) {
  using Reasons = std::vector<std::string>;
  const u32 nop = encode<op::NOP>();
  EXPECT_EQ(reasons(stalls_of({nop}, {encode<op::MVMUL>()}), Agent::Thread1), Reasons{"srca-srcb"});
  EXPECT_EQ(reasons(stalls_of({nop}, {encode<op::MOVA2D>()}), Agent::Thread1), Reasons{"srca"});
  EXPECT_EQ(reasons(stalls_of({nop}, {encode<op::MOVB2D>()}), Agent::Thread1), Reasons{"srcb"});
  const auto free = stalls_of({nop}, {encode<op::SETDVALID>({{"setvalid", 1}}),
                                      encode<op::MOVA2D>(), encode<op::MOVB2D>()});
  EXPECT_EQ(reasons(free, Agent::Thread1), Reasons{"srcb"});
}

TEST(Stalls, of_an_instruction_that_needs_no_source_are_for_its_unit) {
  // Both threads want the matrix unit in each cycle; ZEROACC waits for neither bank.
  const std::vector<u32> many(6, encode<op::ZEROACC>({{"clear_mode", 3}}));
  const auto kept = stalls_of(many, many);
  const std::vector<std::string> all = reasons(kept, Agent::Thread1);
  ASSERT_FALSE(all.empty());
  for (const std::string& reason : all) EXPECT_EQ(reason, "unit");
  EXPECT_EQ(kept->text.find("SrcA"), std::string::npos);
}

TEST(Stalls, are_told_again_when_their_reason_changes) {
  // First thread 0 has the unit, then the bank is empty.
  const std::vector<u32> many(6, encode<op::ZEROACC>({{"clear_mode", 3}}));
  const auto kept = stalls_of(many, {encode<op::MOVA2D>()});
  const std::vector<std::string> all = reasons(kept, Agent::Thread1);
  EXPECT_EQ(all, (std::vector<std::string>{"unit", "srca"}));
  const trace::Event* last = nullptr;
  for (const trace::Event& event : kept->events)
    if (std::holds_alternative<trace::StallBegin>(event.detail) && event.agent == Agent::Thread1)
      last = &event;
  EXPECT_NE(std::get<trace::StallBegin>(last->detail).since, kNever) << kept->text;
}

TEST(Events, of_streams_are_every_register_that_changes) {
  Assembler a;
  a.li(s0, 0xFFB40000 + 5 * 0x1000);
  a.li(t0, 8);
  a.sw(t0, 10 * 4, s0);
  a.halt();
  Chip chip(bit_of(trace::What::Sync));
  chip.run(a.finish());
  EXPECT_EQ(chip.kept->text,
            "           2 1-2    brisc    stream     stream=5 index=10 before=0x0 after=0x8 ; "
            "STREAM_REMOTE_DEST_BUF_SIZE (pages received)\n"
            "           2 1-2    brisc    stream     stream=5 index=297 before=0x0 after=0x8 ; "
            "STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE\n"
            "           2 1-2    brisc    stream     stream=5 index=503 before=0x1 after=0x9 ; "
            "STREAM_DEBUG_STATUS_2\n");
}

TEST(Events, of_faults_and_of_resets_are_never_far_from_their_cause) {
  Assembler a;
  a.li(s0, 0xFFF00000);
  a.sw(s0, 0, s0);
  Chip chip(bit_of(trace::What::Fault) | bit_of(trace::What::Reset) | bit_of(trace::What::Host));
  chip.run(a.finish());
  EXPECT_EQ(chip.kept->text,
            "           0 1-2    host     host-write addr=0x00000 size=8 data=3704f0ff23208400\n"
            "           0 1-2    host     host-write addr=0xffb121b0 size=4 data=00700400\n"
            "           0 1-2    brisc    release    pc=0x00000\n"
            "           1 1-2    brisc    fault      rule=tile-unmapped-address severity=error "
            "pc=0x00004 ; store to 0xfff00000\n");
}

}  // namespace
}  // namespace bhemu::test
