#include "host/program/compile.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "host/boot/firmware.hpp"
#include "host/error.hpp"
#include "host/file.hpp"
#include "host/program/program.hpp"

extern char** environ;

namespace bhemu::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCompilers[] = {"riscv64-unknown-elf-gcc", "riscv32-unknown-elf-gcc",
                                      "riscv-tt-elf-gcc", "riscv32-tt-elf-gcc"};
/// Folders of the vendor's compiler: of its own release, and of a built tt-metal.
constexpr std::pair<const char*, const char*> kVendorFolders[] = {
    {"SFPI_ROOT", "compiler/bin"}, {"TT_METAL_HOME", "runtime/sfpi/compiler/bin"}};

// As tools/build_guest.sh compiles our own kernels.
constexpr const char* kFlags[] = {"-march=rv32im_zicsr_zba_zbb",
                                  "-mabi=ilp32",
                                  "-mcmodel=medany",
                                  "-std=gnu2x",
                                  "-O2",
                                  "-g1",
                                  "-Wall",
                                  "-Wextra",
                                  "-ffreestanding",
                                  "-fno-builtin",
                                  "-fno-tree-loop-distribute-patterns",
                                  "-fno-jump-tables",
                                  "-fno-stack-protector",
                                  "-fno-asynchronous-unwind-tables",
                                  "-fno-unwind-tables",
                                  "--param=min-pagesize=0",
                                  "-fno-pic",
                                  "-msmall-data-limit=0",
                                  "-mno-relax",
                                  "-gno-record-gcc-switches",
                                  "-DBHEMU_NOTES"};
constexpr const char* kLinkFlags[] = {"-nostdlib", "-nostartfiles", "-static",
                                      "-Wl,--build-id=none,--no-relax,--fatal-warnings",
                                      "-Wl,-z,max-page-size=4"};

struct Result {
  int status = 0;
  std::string out;
  std::string err;
};

/// A file of our own that is gone at the end.
class TemporaryFile {
 public:
  TemporaryFile() : path_((fs::temp_directory_path() / "bhemu.XXXXXX").string()) {
    const int file = ::mkstemp(path_.data());
    if (file < 0) throw InputError(path_, "", "cannot make this file");
    ::close(file);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const {
    const std::vector<u8> bytes = read_file(path_);
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::string path_;
};

Result execute(const std::vector<std::string>& command) {
  const TemporaryFile out;
  const TemporaryFile err;
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kWrite = 01 | 01000;  // O_WRONLY | O_TRUNC
  posix_spawn_file_actions_addopen(&actions, 1, out.path().c_str(), kWrite, 0);
  posix_spawn_file_actions_addopen(&actions, 2, err.path().c_str(), kWrite, 0);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  Result result;
  if (error != 0) throw InputError(command[0], "", "cannot be started");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  result.out = out.text();
  result.err = err.text();
  return result;
}

bool in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "";
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    if (::access((folders.substr(begin, end - begin) + "/" + name).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

std::string find_compiler() {
  if (const char* named = std::getenv("BHEMU_CC"); named != nullptr && *named != 0) return named;
  for (const auto& [variable, folder] : kVendorFolders)
    if (const char* root = std::getenv(variable))
      for (const char* name : kCompilers) {
        const std::string path = (fs::path(root) / folder / name).string();
        if (::access(path.c_str(), X_OK) == 0) return path;
      }
  for (const char* name : kCompilers)
    if (in_path(name)) return name;
  throw InputError("", "",
                   "no RISC-V cross compiler: install gcc-riscv64-unknown-elf, or name one by "
                   "BHEMU_CC (looked for riscv64-unknown-elf-gcc and riscv32-unknown-elf-gcc in "
                   "PATH, and for the vendor's in SFPI_ROOT and TT_METAL_HOME)");
}

bool is_sdk(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "kernels/sdk/kernel.ld", error) &&
         fs::exists(folder / "firmware/include/guest_types.h", error);
}

/// The folder with kernels/sdk and firmware/include.
std::string find_sdk() {
  if (const char* named = std::getenv("BHEMU_SDK"); named != nullptr && *named != 0) {
    if (!is_sdk(named))
      throw InputError(named, "", "BHEMU_SDK: there is no kernels/sdk and firmware/include");
    return named;
  }
  // Beside this program or library, in a build or as installed.
  Dl_info info{};
  fs::path here;
  if (::dladdr(reinterpret_cast<const void*>(&find_compiler), &info) != 0 &&
      info.dli_fname != nullptr)
    here = info.dli_fname;
  std::error_code error;
  here = fs::canonical(here, error);
  if (error || !here.has_parent_path()) here = fs::canonical("/proc/self/exe", error);
  for (fs::path folder = here.parent_path(); folder != folder.root_path();
       folder = folder.parent_path())
    for (const fs::path& candidate : {folder, folder / "share/bhemu"})
      if (is_sdk(candidate)) return candidate.string();
  throw InputError("", "", "the SDK (kernels/sdk, firmware/include) is not found: set BHEMU_SDK");
}

std::vector<std::string> command_of(const std::string& compiler, const std::string& sdk,
                                    const KernelSource& source, CoreId core) {
  std::vector<std::string> command{compiler};
  command.insert(command.end(), std::begin(kFlags), std::end(kFlags));
  command.push_back(fmt::format("-ffile-prefix-map={}=.", sdk));
  command.push_back("-I" + sdk + "/firmware/include");
  command.push_back("-I" + sdk + "/kernels/sdk");
  command.push_back(fmt::format("-DGUEST_CORE={}", index_of(core)));
  command.insert(command.end(), source.flags.begin(), source.flags.end());
  return command;
}

void check(const Result& result, const KernelSource& source, CoreId core) {
  if (result.status == 0) return;
  std::string text = result.err;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.find("cannot find entry symbol") != std::string::npos)
    throw InputError(source.path, "",
                     fmt::format("has no kernel for {}: end it with KERNEL(function), where the "
                                 "function is `static void function(void)` (launch.h)\n{}",
                                 kCoreFileNames[index_of(core)], text));
  throw InputError(
      source.path, "",
      fmt::format("does not compile for {}:\n{}", kCoreFileNames[index_of(core)], text));
}

void compile_with(const std::string& compiler, const std::string& sdk, const KernelSource& source,
                  CoreId core, const std::string& output) {
  std::vector<std::string> command = command_of(compiler, sdk, source, core);
  command.insert(command.end(), std::begin(kLinkFlags), std::end(kLinkFlags));
  command.insert(command.end(), {"-T", sdk + "/kernels/sdk/kernel.ld", source.path, "-o", output});
  check(execute(command), source, core);
}

fs::path cache_folder() {
  if (const char* named = std::getenv("BHEMU_CACHE"); named != nullptr && *named != 0) return named;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != 0)
    return fs::path(cache) / "bhemu";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0)
    return fs::path(home) / ".cache/bhemu";
  return fs::temp_directory_path() / "bhemu-cache";
}

void check_source(const KernelSource& source) {
  std::error_code error;
  if (!fs::is_regular_file(source.path, error))
    throw InputError(source.path, "", "there is no such file");
}

}  // namespace

void compile_kernel(const KernelSource& source, CoreId core, const std::string& output) {
  check_source(source);
  output_target(output);
  compile_with(find_compiler(), find_sdk(), source, core, output);
}

std::string compiled_kernel(const KernelSource& source, CoreId core) {
  check_source(source);
  const std::string compiler = find_compiler();
  const std::string sdk = find_sdk();
  std::vector<std::string> command = command_of(compiler, sdk, source, core);
  command.insert(command.end(), {"-E", source.path});
  const Result whole = execute(command);
  check(whole, source, core);
  std::string key = execute({compiler, "--version"}).out;
  for (const std::string& each : command) key += each + '\0';
  const std::vector<u8> script = read_file(sdk + "/kernels/sdk/kernel.ld");
  key.append(script.begin(), script.end());
  key += whole.out;
  const std::string name = content_name({reinterpret_cast<const u8*>(key.data()), key.size()});
  const fs::path folder = cache_folder();
  const fs::path path = folder / (name + ".elf");
  std::error_code error;
  if (fs::exists(path, error)) return path.string();
  fs::create_directories(folder, error);
  if (error)
    throw InputError(folder.string(), "",
                     "cannot make this folder for compiled kernels: " + error.message());
  // Others may compile the same at the same time: what is there is always whole.
  const fs::path fresh = folder / fmt::format("{}.{}.tmp", name, ::getpid());
  compile_with(compiler, sdk, source, core, fresh.string());
  fs::rename(fresh, path, error);
  if (error) throw InputError(path.string(), "", "cannot be written: " + error.message());
  return path.string();
}

void compile_sources(Program& program) {
  program.each_part([](PartSpec& part) {
    for (unsigned core = 0; core < kCores; ++core)
      if (auto& kernel = part.kernels[core]; kernel && !kernel->source.empty())
        kernel->path = compiled_kernel({kernel->source, kernel->flags}, static_cast<CoreId>(core));
  });
}

}  // namespace bhemu::host
