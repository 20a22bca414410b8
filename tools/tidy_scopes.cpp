// What needs to know where a function begins: function lengths, and variables that live outside
// of any object.
#include <fmt/format.h>

#include <cctype>

#include "tidy_checks.hpp"

namespace bhemu::tidy {
namespace {

constexpr unsigned kLongestFunction = 70;

enum class Scope { Namespace, Type, Function, Initializer };

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool contains(const std::vector<std::string>& words, std::initializer_list<const char*> any) {
  for (const auto& word : words)
    for (const char* one : any)
      if (word == one) return true;
  return false;
}

/// Follows braces and statements through one file's code.
class Walker {
 public:
  Walker(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  void run() {
    for (line_ = 1; line_ <= source_.code.size(); ++line_) {
      for (const char c : source_.code[line_ - 1]) step(c);
      step('\n');
    }
  }

 private:
  struct Open {
    Scope scope;
    unsigned line;
  };

  bool inside(Scope scope) const {
    for (const Open& open : stack_)
      if (open.scope == scope) return true;
    return false;
  }
  Scope here() const { return stack_.empty() ? Scope::Namespace : stack_.back().scope; }

  void step(char c) {
    if (c == '(' || c == '[') ++nesting_;
    if (c == ')' || c == ']') --nesting_;
    if (nesting_ > 0 && c != '{' && c != '}') {
      head_ += c;
      return;
    }
    if (c == '{') {
      open();
    } else if (c == '}') {
      close();
    } else if (c == ';') {
      check_statement();
      restart();
    } else {
      if (head_.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) return;
      if (head_.empty()) head_line_ = line_;
      head_ += c;
      if (c == ':' && is_access_label()) restart();
    }
  }

  bool is_access_label() const {
    return head_ == "public:" || head_ == "private:" || head_ == "protected:";
  }

  void restart() { head_.clear(); }

  Scope scope_of_head() const {
    if (nesting_ > 0 || here() == Scope::Initializer || inside(Scope::Function))
      return inside(Scope::Function) ? Scope::Function : Scope::Initializer;
    const auto words = words_of(head_);
    const bool has_call = head_.find('(') != std::string::npos;
    if (contains(words, {"namespace"}) || (contains(words, {"extern"}) && !has_call))
      return Scope::Namespace;
    if (head_.find_last_not_of(" \n") != std::string::npos &&
        head_[head_.find_last_not_of(" \n")] == '=')
      return Scope::Initializer;
    if (has_call && !is_type_head(words)) return Scope::Function;
    if (contains(words, {"struct", "class", "union", "enum"})) return Scope::Type;
    return Scope::Initializer;
  }

  /// `struct alignas(64) X {` is a type although it has parentheses.
  bool is_type_head(const std::vector<std::string>& words) const {
    std::size_t first = 0;
    while (first < words.size() && head_.starts_with("template") && words[first] != "struct" &&
           words[first] != "class")
      ++first;
    return first < words.size() && contains({words[first]}, {"struct", "class", "union", "enum"}) &&
           contains(words, {"alignas"});
  }

  void open() {
    const Scope scope = scope_of_head();
    if (scope == Scope::Initializer) {
      // `T name{...};` and `T name = {...};`: what came before stays the statement's head.
      saved_.push_back(head_);
    } else {
      saved_.emplace_back();
      restart();
    }
    nestings_.push_back(nesting_);
    nesting_ = 0;
    stack_.push_back({scope, scope == Scope::Initializer ? line_ : head_line_});
  }

  void close() {
    if (stack_.empty()) return;
    const Open closed = stack_.back();
    stack_.pop_back();
    nesting_ = nestings_.back();
    nestings_.pop_back();
    if (closed.scope == Scope::Function && !inside(Scope::Function)) {
      const unsigned length = line_ - closed.line + 1;
      if (length > kLongestFunction)
        findings_.push_back({source_.path, closed.line, "function-length",
                             fmt::format("{} lines, at most {}", length, kLongestFunction)});
    }
    restart();
    if (closed.scope == Scope::Initializer || closed.scope == Scope::Type) {
      head_ = saved_.back().empty() ? "" : saved_.back() + "{}";
    }
    saved_.pop_back();
  }

  void check_statement() {
    const auto words = words_of(head_.substr(0, head_.find('=')));
    if (words.size() < 2 || contains(words, {"const", "constexpr"})) return;
    const bool stays = contains(words, {"static", "thread_local"});
    if (inside(Scope::Function)) {
      if (stays && (words[0] == "static" || words[0] == "thread_local")) report(words);
      return;
    }
    if (here() == Scope::Initializer) return;
    if (head_.substr(0, head_.find('=')).find('(') != std::string::npos) return;
    if (here() == Scope::Type) {
      if (stays) report(words);
      return;
    }
    if (!contains(words, {"using", "typedef", "namespace", "class", "struct", "union", "enum",
                          "friend", "template", "extern", "static_assert", "concept", "operator"}))
      report(words);
  }

  void report(const std::vector<std::string>& words) {
    findings_.push_back({source_.path, head_line_, "global",
                         fmt::format("'{}' is a variable outside of any object", words.back())});
  }

  const Source& source_;
  Findings& findings_;
  unsigned line_ = 0;
  unsigned head_line_ = 0;
  int nesting_ = 0;
  std::string head_;
  std::vector<Open> stack_;
  std::vector<std::string> saved_;
  std::vector<int> nestings_;
};

}  // namespace

void check_scopes(const Source& source, Findings& findings) {
  if (source.is_cpp()) Walker(source, findings).run();
}

}  // namespace bhemu::tidy
