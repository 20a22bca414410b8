// The rules of docs/STYLE.md that a machine can check, as functions over one source file's text.
//
// A finding can be allowed where it is made, with a reason, by a comment on the same line or at
// most eight lines above it:   // tidy: allow function-length: one case per opcode
// or for a whole file, in its first thirty lines:
//   // tidy: allow line-length in this file: a table of vectors, one row each
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bhemu::tidy {

struct Finding {
  std::string path;
  unsigned line = 0;  // from 1; 0: the whole file
  std::string check;
  std::string text;
};

/// One text file. `path` is relative to the root of the tree, with forward slashes.
struct Source {
  std::string path;
  std::string text;
  std::vector<std::string> lines;  // without line ends
  std::vector<std::string> code;   // the same without comments, literals and directives (C++ only)

  bool has_suffix(std::string_view suffix) const { return path.ends_with(suffix); }
  bool is_cpp() const { return has_suffix(".cpp") || has_suffix(".hpp"); }
  /// C and assembly of the guest: firmware/ and kernels/.
  bool is_guest() const { return path.starts_with("firmware/") || path.starts_with("kernels/"); }
  bool is_generated() const;
};

Source make_source(std::string path, std::string text);

/// Every finding in one file that is not allowed there.
std::vector<Finding> check(const Source& source);
/// Headers of src/ that no file includes.
std::vector<Finding> check_unused_headers(const std::vector<Source>& sources);
/// Where a class lists its parts (`struct CLASS::Parts` in a source file, of a class in a header of
/// the same folder): data members that are neither visited there nor named in the file by a comment
/// that begins with "Not listed:", and names in such comments that are no members.
std::vector<Finding> check_parts(const std::vector<Source>& sources);

// The checks themselves, for check() and its tests.
using Findings = std::vector<Finding>;
void check_text(const Source& source, Findings& findings);
void check_lengths(const Source& source, Findings& findings);
void check_words(const Source& source, Findings& findings);
void check_header(const Source& source, Findings& findings);
void check_macros(const Source& source, Findings& findings);
void check_includes(const Source& source, Findings& findings);
void check_scopes(const Source& source, Findings& findings);
void check_test_names(const Source& source, Findings& findings);

/// Parts of src/ that `part` may include; empty for an unknown part.
std::set<std::string> allowed_parts(const std::string& part);

}  // namespace bhemu::tidy
