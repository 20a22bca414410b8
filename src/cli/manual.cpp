#include "cli/manual.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "host/error.hpp"
#include "host/version.hpp"

namespace bhemu::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App& command_of(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : commands_of(app))
    if (command->get_name() == name) return *command;
  throw host::InputError("", "", fmt::format("there is no command '{}' (bhemu --help)", name));
}

std::vector<const CLI::Option*> flags_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_positional(); });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

/// The word that stands for an option's value, without what CLI11 adds of its checks; empty: it
/// takes none.
std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

// --- Manual pages -------------------------------------------------------------------------------

/// Text for roff: a backslash is written `\e`, a hyphen that is typed `\-`, and no line may begin
/// like a request.
std::string escaped(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string names_of(const CLI::Option& option) {
  std::string out;
  for (const std::string& name : option.get_snames()) out += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) out += fmt::format("--{}, ", name);
  out.resize(out.size() - 2);
  return out;
}

void write_options(std::string& out, const CLI::App& app) {
  out += ".SH OPTIONS\n";
  for (const CLI::Option* option : flags_of(app)) {
    out += fmt::format(".TP\n\\fB{}\\fR", escaped(names_of(*option)));
    if (const std::string value = value_of(*option); !value.empty())
      out += fmt::format(" \\fI{}\\fR", escaped(value));
    out += fmt::format("\n{}\n", escaped(option->get_description()));
  }
}

std::string synopsis(const CLI::App& app, const std::string& name) {
  std::string out = fmt::format(".SH SYNOPSIS\n.B {}\n", escaped(name));
  if (!commands_of(app).empty()) return out + "\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n";
  out += "[\\fIOPTION\\fR...]";
  for (const CLI::Option* argument : arguments_of(app)) {
    const bool many = argument->get_items_expected_max() > 1;
    out += fmt::format(" {}\\fI{}\\fR{}", many ? "-- " : "", escaped(value_of(*argument)),
                       many ? "..." : "");
  }
  return out + "\n";
}

void write_arguments(std::string& out, const CLI::App& app) {
  if (arguments_of(app).empty()) return;
  out += ".SH ARGUMENTS\n";
  for (const CLI::Option* argument : arguments_of(app))
    out += fmt::format(".TP\n\\fI{}\\fR\n{}\n", escaped(value_of(*argument)),
                       escaped(argument->get_description()));
}

// --- Completion ---------------------------------------------------------------------------------

/// What may stand behind an option.
struct Values {
  std::string words;  // with blanks between them
  bool files = false;
  bool folders = false;
};

/// By the word that stands for the value: p100a|p150 names all there are.
Values values_of(const CLI::Option& option) {
  std::string type = value_of(option);
  if (type == "FILE" || type == "DIR") return {"", type == "FILE", type == "DIR"};
  if (type.find('|') == std::string::npos) return {};
  std::replace(type.begin(), type.end(), '|', ' ');
  return {type, false, false};
}

std::string words_of(const CLI::App& app) {
  std::string out;
  for (const CLI::App* command : commands_of(app)) out += command->get_name() + " ";
  for (const CLI::Option* option : flags_of(app))
    for (const std::string& name : option->get_lnames()) out += "--" + name + " ";
  if (!out.empty()) out.pop_back();
  return out;
}

/// Options that take a value, each once, whichever command has them.
std::vector<const CLI::Option*> valued_options(const CLI::App& app) {
  std::vector<const CLI::Option*> out;
  std::vector<std::string> seen;
  for (const CLI::App* command : commands_of(app))
    for (const CLI::Option* option : flags_of(*command)) {
      if (value_of(*option).empty() || option->get_lnames().empty()) continue;
      const std::string& name = option->get_lnames().front();
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
      seen.push_back(name);
      out.push_back(option);
    }
  return out;
}

/// What may stand as the argument of a command that is no option.
Values argument_values(const CLI::App& command) {
  Values out;
  for (const CLI::Option* argument : arguments_of(command)) {
    const Values values = values_of(*argument);
    out.words += values.words;
    out.files |= values.words.empty();
  }
  return out;
}

std::string bash(const CLI::App& app) {
  std::string out =
      "_bhemu() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
      "  COMPREPLY=()\n"
      "  case $before in\n";
  for (const CLI::Option* option : valued_options(app)) {
    const Values values = values_of(*option);
    const std::string how = values.files     ? "-f"
                            : values.folders ? "-d"
                                             : fmt::format("-W '{}'", values.words);
    out += fmt::format("    --{}) COMPREPLY=($(compgen {} -- \"$word\")); return ;;\n",
                       option->get_lnames().front(), how);
  }
  out +=
      "  esac\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }\n"
      "  done\n"
      "  case $command in\n";
  for (const CLI::App* command : commands_of(app)) {
    const Values values = argument_values(*command);
    out += fmt::format("    {}) COMPREPLY=($(compgen {}-W '{} {}' -- \"$word\")) ;;\n",
                       command->get_name(), values.files ? "-f " : "", words_of(*command),
                       values.words);
  }
  out += fmt::format(
      "    *) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _bhemu bhemu\n",
      words_of(app));
  return out;
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string fish(const CLI::App& app) {
  std::string out = "complete -c bhemu -f\n";
  for (const CLI::App* command : commands_of(app)) {
    const std::string& name = command->get_name();
    out += fmt::format("complete -c bhemu -n __fish_use_subcommand -a {} -d {}\n", name,
                       fish_quoted(command->get_description()));
    const std::string when = fmt::format("'__fish_seen_subcommand_from {}'", name);
    if (!arguments_of(*command).empty()) out += fmt::format("complete -c bhemu -n {} -F\n", when);
    for (const CLI::Option* option : flags_of(*command)) {
      if (option->get_lnames().empty()) continue;
      const Values values = values_of(*option);
      std::string how;
      if (values.files || values.folders)
        how = " -r -F";
      else if (!values.words.empty())
        how = fmt::format(" -x -a '{}'", values.words);
      else if (!value_of(*option).empty())
        how = " -x";
      out += fmt::format("complete -c bhemu -n {} -l {}{} -d {}\n", when,
                         option->get_lnames().front(), how, fish_quoted(option->get_description()));
    }
  }
  return out;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& command) {
  const CLI::App& shown = command.empty() ? app : command_of(app, command);
  const std::string name = command.empty() ? "bhemu" : "bhemu " + command;
  const std::string title = command.empty() ? "bhemu" : "bhemu-" + command;
  std::string out =
      fmt::format(".TH {} 1 \"\" \"bhemu {}\" \"bhemu\"\n", escaped(title), host::kVersion);
  const std::string description = shown.get_description();
  // The name line is one line, for apropos; the root's description goes on after its first clause.
  const std::string brief =
      command.empty() ? "emulate the Tenstorrent Blackhole accelerator" : description;
  out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(title), escaped(brief));
  out += synopsis(shown, name);
  out += fmt::format(".SH DESCRIPTION\n{}\n", escaped(description));
  if (command.empty()) {
    out += ".SH COMMANDS\n";
    for (const CLI::App* each : commands_of(app))
      out += fmt::format(".TP\n\\fBbhemu\\-{}\\fR(1)\n{}\n", escaped(each->get_name()),
                         escaped(each->get_description()));
  }
  write_arguments(out, shown);
  write_options(out, shown);
  if (const std::string footer = shown.get_footer(); !footer.empty())
    out += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", escaped(footer));
  out += ".SH SEE ALSO\n";
  out += command.empty() ? "The README and docs/ of the project.\n" : ".BR bhemu (1)\n";
  return out;
}

std::string completion(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash(app);
  // zsh reads bash's scripts through a bridge of its own. It takes the file for the body of _bhemu
  // and reads it when it first completes, which has then still to be done.
  if (shell == "zsh")
    return "#compdef bhemu\nautoload -U +X bashcompinit && bashcompinit\n" + bash(app) +
           "[[ $funcstack[1] != _bhemu ]] || _bash_complete -o filenames -F _bhemu\n";
  if (shell == "fish") return fish(app);
  throw host::InputError(
      "", "", fmt::format("completion is there for bash, zsh and fish, not for '{}'", shell));
}

}  // namespace bhemu::cli
