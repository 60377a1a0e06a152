#include "agent/chat/Extract.h"

namespace {

constexpr unsigned MostDepth = 64, MostAttempts = 200;

/// The length of the object that Text starts with; 0: it never ends, or nests too deep.
size_t objectLength(std::string_view Text) {
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (InString) {
      I += C == '\\';
      InString = C != '"';
    } else if (C == '"') {
      InString = true;
    } else if (C == '{' || C == '[') {
      if (++Depth > MostDepth)
        return 0;
    } else if ((C == '}' || C == ']') && --Depth == 0) {
      return I + 1;
    }
  }
  return 0;
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
