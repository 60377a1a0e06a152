//===- Brackets.h - where JSON opens and closes ---------------------------------------------===//
//
// Parsers recurse as deep as brackets nest, so nesting is looked at before they see a text.
//
//===----------------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_BRACKETS_H
#define KCHECK_AGENT_BRACKETS_H

#include <cstddef>
#include <string_view>

namespace kcheck::agent {

/// Calls Each(offset, opens) for every bracket outside of strings, until it returns false.
template <typename Fn> void forEachBracket(std::string_view Text, Fn Each) {
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (InString) {
      I += C == '\\';
      InString = C != '"';
    } else if (C == '"') {
      InString = true;
    } else if (bool Opens = C == '{' || C == '['; Opens || C == '}' || C == ']') {
      if (!Each(I, Opens))
        return;
    }
  }
}

} // namespace kcheck::agent
#endif
