#include "agent/chat/Extract.h"
#include "agent/Brackets.h"

namespace {

constexpr unsigned MostDepth = 64, MostAttempts = 200;

/// The length of the object that Text starts with; 0: it never ends, or nests too deep.
size_t objectLength(std::string_view Text) {
  unsigned Depth = 0;
  size_t Length = 0;
  kcheck::agent::forEachBracket(Text, [&](size_t At, bool Opens) {
    if (Opens)
      return ++Depth <= MostDepth;
    if (--Depth == 0)
      Length = At + 1;
    return Depth > 0;
  });
  return Length;
}

} // namespace

std::vector<std::string_view> kcheck::agent::objectsIn(std::string_view Text) {
  std::vector<std::string_view> Out;
  unsigned Attempts = 0;
  for (size_t At = Text.find('{'); At != Text.npos && ++Attempts <= MostAttempts; At = Text.find('{', At)) {
    size_t Length = objectLength(Text.substr(At));
    if (Length)
      Out.push_back(Text.substr(At, Length));
    At += Length ? Length : 1;
  }
  return Out;
}
