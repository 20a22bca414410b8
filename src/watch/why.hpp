// "Who wrote this?": the last writers of a place, and through the instructions that wrote it the
// bytes it came from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/report/report.hpp"
#include "watch/writers.hpp"

namespace bhemu::watch {

/// A part of a place of a node, who has written it, and where what he wrote came from.
struct Answer {
  NodeId node = kNoNode;
  Place place;
  bool known = true;  // false: nobody has written it
  Actor writer;
  bool values = false;  // of an object
  bool taken = false;   // a word was taken from a queue
  u32 before = 0;
  u32 after = 0;
  bool repeats = false;  // an instruction has added to what one like it had left; not followed
  bool cut = false;      // there is more that is not followed or no longer remembered
  std::vector<Written> modes;  // of an instruction of the coprocessor (writers.hpp)
  /// Of a datum of Dst or a lane: a later SFPSTORE or SFPLOAD that has written others of its row,
  /// but not this, whose lane was off; and what had switched it off.
  std::optional<Actor> passed_over;
  std::vector<Written> passed_modes;
  std::vector<Answer> from;
};

struct Question {
  NodeId node = kNoNode;
  Coord tile;
  std::string text;  // as it was asked
  std::vector<Place> places;
};

inline constexpr unsigned kUsualDepth = 12;

/// "1-2 dst:0", "(1,2) 0x1000+64", "1,2 cb:0": a tile (or DRAM bank) in translated coordinates,
/// and a place. Throws InputError that names `setting`.
Question parse_question(const std::string& setting, const std::string& text, const Board& board);

std::vector<Answer> why(const WritersOfDevice& writers, const Question& question,
                        unsigned depth = kUsualDepth);

/// Lines with source places, indented by how far back they go.
std::string text_of(const Device& device, const Question& question,
                    const std::vector<Answer>& answers, const host::CodeMap& code);

/// "BRISC at ReadPages (reader.c:14) in cycle 812": who, where, when.
std::string text_of(const Device& device, const Actor& actor, const host::CodeMap& code);

}  // namespace bhemu::watch
