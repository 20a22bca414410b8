// Manual pages and shell completion, written from the options themselves, so that they cannot lag
// behind them.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace bhemu::cli {

/// A manual page in roff's man macros, section 1: of `app`, or of the command of it that is named.
/// Throws InputError for a command that does not exist.
std::string manual_page(const CLI::App& app, const std::string& command);

/// A script that completes commands, options, their fixed values and file names. `shell`: bash,
/// zsh or fish; throws InputError for another one.
std::string completion(const CLI::App& app, const std::string& shell);

}  // namespace bhemu::cli
