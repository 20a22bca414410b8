// The bhemu command: options, help, and what an error looks like.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <system_error>

#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/manual.hpp"
#include "host/boot/machine.hpp"
#include "host/error.hpp"
#include "host/suggest.hpp"
#include "host/version.hpp"

namespace bhemu::cli {

int report_bad_input(const std::string& file, const std::string& place, const std::string& message,
                     bool json) {
  constexpr int kStatus = static_cast<int>(host::Status::BadInput);
  if (!json) {
    fmt::print(stderr, "bhemu: {}\n", host::InputError(file, place, message).what());
    return kStatus;
  }
  const Json told{{"status", host::name_of(host::Status::BadInput)},
                  {"error", {{"file", file}, {"place", place}, {"message", message}}}};
  fmt::print("{}\n", dump(told));
  return kStatus;
}

namespace {

constexpr const char* kDescription =
    "bhemu emulates the Tenstorrent Blackhole accelerator: it boots the chip's firmware and runs\n"
    "the same binaries as a card, on P100A and P150, and explains what went wrong.";

constexpr const char* kFooter =
    "Examples:\n"
    "  bhemu run examples/add_scalar.yaml              run a program and check its result\n"
    "  bhemu run p.yaml --board p150 --threads 2       on another board, with two host threads\n"
    "  bhemu run p.yaml --json | jq .run.cycles        for scripts\n"
    "  bhemu run p.yaml --trace - --trace-what noc --trace-tiles 1-2\n"
    "                                                  what a tile sends and gets\n"
    "  bhemu run p.yaml --gdb 0 --gdb-script p.gdb     then: gdb-multiarch -x p.gdb\n"
    "  bhemu run p.yaml --bug-bundle bug.bundle        then, anywhere: bhemu replay bug.bundle\n"
    "  bhemu hunt p.yaml --jobs 2                      shake it until a race shows itself\n"
    "  bhemu boot --board p150 --firmware DIR          boot tt-metal's firmware on 140 tiles\n"
    "  bhemu info --board p100a --harvest-dram 2       the grid of a P100A without bank 2\n"
    "  bhemu soc-descriptor --board p150 > build/lib/soc_descriptor.yaml\n"
    "                                                  for "
    "TT_METAL_SIMULATOR=build/lib/libbhemu.so\n"
    "  bhemu why p.yaml 1-2 dst:0 0x1000+64            who wrote that, and what it came from\n"
    "  bhemu disasm kernel.elf                         RISC-V and Tensix instructions\n"
    "  bhemu shim --board p150 -- python3 client.py    a client of /dev/tenstorrent, without one\n"
    "\n"
    "Exit status: 0 all is well, 1 a result is wrong, 2 bad input or usage, 3 the chip hangs,\n"
    "4 a program broke a rule of the chip (a fault).";

int print(const std::string& text) {
  fmt::print("{}", text);
  return 0;
}

struct CommandLine {
  CLI::App app{kDescription, "bhemu"};
  CommonOptions options;
  RunCommand run;
  HuntCommand hunt;
  WhyCommand why;
  ReplayCommand replay;
  BuildCommand build;
  DisasmCommand disasm;
  TraceDiffCommand trace_diff;
  ShimCommand shim;
  bool complete = false;  // soc-descriptor
  std::string shell;      // completion
  std::string subject;    // man
  CLI::App* info_command = nullptr;
  CLI::App* boot_command = nullptr;
  CLI::App* run_command = nullptr;
  CLI::App* hunt_command = nullptr;
  CLI::App* why_command = nullptr;
  CLI::App* replay_command = nullptr;
  CLI::App* build_command = nullptr;
  CLI::App* soc_command = nullptr;
  CLI::App* cluster_command = nullptr;
  CLI::App* trace_diff_command = nullptr;
  CLI::App* shim_command = nullptr;
  CLI::App* completion_command = nullptr;
  CLI::App* man_command = nullptr;

  CommandLine() {
    app.footer(kFooter);
    app.set_version_flag("--version", fmt::format("bhemu {}", host::kVersion));
    app.require_subcommand(1);
    info_command = app.add_subcommand("info", "Show a board: its grid, DRAM banks and harvesting");
    add_board_options(*info_command, options);
    add_output_options(*info_command, options);

    boot_command = app.add_subcommand("boot", "Boot firmware on every tile and stop");
    add_board_options(*boot_command, options);
    add_run_options(*boot_command, options);
    add_trace_options(*boot_command, options);
    add_output_options(*boot_command, options);

    run_command = app.add_subcommand("run", "Boot, run a program file, check its results");
    run_command->add_option("program", run.program, "Program file (YAML)")
        ->required()
        ->type_name("FILE");
    run_command
        ->add_option("--output", run.output,
                     "Directory for the tensors that the program saves; default: where it says")
        ->type_name("DIR");
    run_command
        ->add_option("--bug-bundle", run.bundle,
                     "Write everything that the run is made of and came to into one file, for "
                     "bhemu replay; --bundle FILE does the same")
        ->type_name("FILE");
    add_board_options(*run_command, options);
    add_run_options(*run_command, options);
    add_trace_options(*run_command, options);
    add_watch_options();
    add_gdb_options(*run_command, options);
    add_race_options(*run_command, options);
    add_profile_options(*run_command, options);
    add_output_options(*run_command, options);
    add_hunt();
    add_why();

    replay_command = app.add_subcommand(
        "replay",
        "Run again what bhemu run --bug-bundle or bhemu hunt has recorded, cycle for cycle");
    replay_command->add_option("bundle", replay.bundle, "The bundle")
        ->required()
        ->type_name("FILE");
    replay_command->add_flag("--late", replay.late,
                             "From the bundle's snapshot, which is not long before the end");
    add_trace_options(*replay_command, options);
    add_gdb_options(*replay_command, options);
    add_output_options(*replay_command, options);

    soc_command = app.add_subcommand(
        "soc-descriptor", "Write the soc_descriptor.yaml that tt-umd wants beside libbhemu.so");
    add_board_options(*soc_command, options);
    soc_command->add_flag("--complete", complete,
                          "The complete chip, for use with a cluster descriptor, which says what "
                          "the board has lost");
    cluster_command = app.add_subcommand(
        "cluster-descriptor",
        "Write the cluster_descriptor.yaml by which tt-umd and tt-metal learn what the board has "
        "lost; beside it belongs the soc-descriptor of --complete");
    add_board_options(*cluster_command, options);

    add_build();
    CLI::App* command = app.add_subcommand("disasm", "Disassemble an ELF file");
    command->add_option("file", disasm.file, "ELF file")->required()->type_name("FILE");
    command->add_flag("--tensix", disasm.tensix, "The file is a raw list of Tensix words");
    add_trace_diff();
    add_shim();
    add_manual();
  }

  void add_build() {
    build_command = app.add_subcommand("build", "Compile a kernel in C against bhemu's SDK");
    build_command->add_option("source", build.source, "C file that ends with KERNEL(function)")
        ->required()
        ->type_name("FILE");
    build_command->add_option("--core", build.core, "The core that it is for")
        ->required()
        ->type_name("brisc|ncrisc|trisc0|trisc1|trisc2");
    build_command
        ->add_option("-o,--output", build.output,
                     "The ELF file; default: FILE's name.CORE.elf here")
        ->type_name("ELF");
    build_command
        ->add_option("--flag", build.flags,
                     "For the compiler, like --flag=-DPAGES=4; may be repeated")
        ->type_name("FLAG");
    build_command->add_flag("--quiet", options.quiet, "Nothing on standard output");
    build_command->footer(
        "The compiler is the one that BHEMU_CC names, else the vendor's below SFPI_ROOT or "
        "TT_METAL_HOME, else riscv64-unknown-elf-gcc or riscv32-unknown-elf-gcc.");
  }

  void add_watch_options() {
    run_command
        ->add_option("--why", run.questions,
                     "When the run has ended, however it ends: who wrote this last, and what it "
                     "came from; a tile and a place, like \"1-2 0x1000+64\" or \"1-2 dst:0\" "
                     "(docs/DEBUGGING.md); may be repeated")
        ->type_name("PLACE");
    run_command
        ->add_option("--watch", run.watches,
                     "Tell of every access to a place, like 1-2:l1:0x1000+16 or 1-2:cfg:NAME:rw (w "
                     "unless r or rw is said); may be repeated")
        ->type_name("TILE:PLACE");
    run_command->add_flag("--watch-stop", run.stop_at_watch,
                          "End the run at the first access that --watch sees");
  }

  void add_hunt() {
    hunt_command = app.add_subcommand(
        "hunt",
        "Look for delays that hardware may have and under which a program hangs, breaks a rule or "
        "has another result, and make their list short (docs/HUNTING.md)");
    hunt_command->add_option("program", hunt.program, "Program file (YAML)")
        ->required()
        ->type_name("FILE");
    hunt_command
        ->add_option("--output", hunt.output,
                     "Where to write what was found, for bhemu replay; default: NAME.hunt here")
        ->type_name("FILE");
    hunt_command->add_option("--jobs", hunt.jobs, "Processes; what is found does not depend on it")
        ->check(CLI::Range(1, 256))
        ->type_name("N");
    add_count(*hunt_command, "--runs", hunt.runs, "Give up after so many runs (default 5000)");
    add_count(*hunt_command, "--seconds", hunt.seconds, "Give up after so much time (default 300)");
    hunt_command->footer(
        "Exit status: 0 nothing was found, 1 something was, 2 bad input, 3 or 4 the program hangs "
        "or breaks a rule without any delay.");
    add_board_options(*hunt_command, options);
    add_hunt_options(*hunt_command, options);
    add_output_options(*hunt_command, options);
  }

  void add_why() {
    why_command = app.add_subcommand(
        "why", "Run a program file and tell who wrote something last, and what it came from");
    why_command->add_option("program", why.program, "Program file (YAML)")
        ->required()
        ->type_name("FILE");
    why_command->add_option("tile", why.tile, "Its translated coordinates, like 1-2")
        ->required()
        ->type_name("TILE");
    why_command
        ->add_option("place", why.places,
                     "0x1000+64, dst:0, srca:3, srcb:3, lreg:1, gpr:0:16, cfg:NAME, tcfg:NAME, "
                     "cb:0, sem:1, mutex:0, ldm:trisc1:0x20, reg:0xffb12000 ... "
                     "(docs/DEBUGGING.md)")
        ->required()
        ->type_name("PLACE");
    why_command->footer("bhemu why FILE TILE PLACE...; its exit status is that of the run.");
    add_board_options(*why_command, options);
    add_run_options(*why_command, options);
    add_output_options(*why_command, options);
  }

  void add_trace_diff() {
    trace_diff_command = app.add_subcommand(
        "trace-diff", "Show where two traces (text or JSON) begin to differ, agent by agent");
    trace_diff_command->footer("Exit status: 0 they are the same, 1 they differ.");
    trace_diff_command->add_option("first", trace_diff.first, "A trace")
        ->required()
        ->type_name("FILE");
    trace_diff_command->add_option("second", trace_diff.second, "Another")
        ->required()
        ->type_name("FILE");
    trace_diff_command->add_flag("--ignore-cycles", trace_diff.without_cycles,
                                 "Compare what happened, not when");
    add_output_options(*trace_diff_command, options);
  }

  void add_manual() {
    completion_command = app.add_subcommand(
        "completion", "Write a script that completes bhemu's commands and options in a shell");
    completion_command->add_option("shell", shell, "bash, zsh or fish")
        ->required()
        ->type_name("bash|zsh|fish");
    man_command = app.add_subcommand("man", "Write the manual page of bhemu or of one command");
    man_command->add_option("command", subject, "Its name; without it: the page of bhemu")
        ->type_name("COMMAND");
  }

  void add_shim() {
    shim_command = app.add_subcommand(
        "shim",
        "Run a command for which there is a card: /dev/tenstorrent/0, its ioctls, windows "
        "and sysfs, with an emulated card in each process that looks");
    shim_command->footer("bhemu shim [options] -- COMMAND [ARGUMENT...]; its exit status is ours.");
    add_board_options(*shim_command, options);
    add_device_options(*shim_command, options);
    shim_command
        ->add_option("--faults", shim.faults,
                     "What a mistake does: report (default; printed once, then reads are all "
                     "ones), exit, or throw (calls fail)")
        ->check(CLI::IsMember({"report", "exit", "throw"}))
        ->type_name("report|exit|throw");
    shim_command->add_option("command", shim.command, "The command and its arguments")
        ->required()
        ->type_name("COMMAND");
  }

  int dispatch() {
    if (info_command->parsed()) return info(options);
    if (boot_command->parsed()) return boot(options);
    if (run_command->parsed()) return cli::run(options, run);
    if (hunt_command->parsed()) return cli::hunt(options, hunt);
    if (why_command->parsed()) return cli::why(options, why);
    if (build_command->parsed()) return cli::build(options, build);
    if (replay_command->parsed()) return cli::replay(options, replay);
    if (soc_command->parsed()) return soc_descriptor(options, complete);
    if (cluster_command->parsed()) return cluster_descriptor(options);
    if (trace_diff_command->parsed()) return cli::trace_diff(options, trace_diff);
    if (shim_command->parsed()) return cli::shim(options, shim);
    if (completion_command->parsed()) return print(completion(app, shell));
    if (man_command->parsed()) return print(manual_page(app, subject));
    return cli::disasm(options, disasm);
  }
};

/// The first word that is no option must be a command: CLI11 would only say that one is missing.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (std::find(known.begin(), known.end(), argv[1]) != known.end()) return "";
  return fmt::format("'{}' is no command{} (bhemu --help)", argv[1],
                     host::suggestion(argv[1], known));
}

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

int main_of(int argc, char** argv) {
  const bool json = asks_for_json(argc, argv);
  CommandLine line;
  if (const std::string unknown = unknown_command(line.app, argc, argv); !unknown.empty())
    return report_bad_input("", "", unknown, json);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return line.app.exit(error);  // --help, --version
    return report_bad_input("", "", fmt::format("{} (bhemu --help)", error.what()), json);
  }
  try {
    return line.dispatch();
  } catch (const host::InputError& error) {
    return report_bad_input(error.file(), error.place(), error.message(), json);
  } catch (const std::bad_alloc&) {
    return report_bad_input("", "", "the host has not enough memory for this", json);
  } catch (const std::system_error& error) {
    return report_bad_input("", "", fmt::format("the host refuses: {}", error.what()), json);
  }
}

}  // namespace
}  // namespace bhemu::cli

int main(int argc, char** argv) {
  return bhemu::cli::main_of(argc, argv);
}
