#include "runner/ops/Expr.h"
#include <cctype>
#include <utility>

using namespace kcheck;
using namespace kcheck::ops;

namespace {

bool isName(char C) { return std::isalnum(static_cast<unsigned char>(C)) || C == '_'; }

class Parser {
public:
  Parser(std::string_view Text, const Dims &Values) : Text(Text), Values(Values) {}
  std::optional<int64_t> whole() {
    int64_t V = sum();
    skip();
    if (Error.empty() && At != Text.size())
      fail("unexpected '" + std::string(1, Text[At]) + "' in '" + std::string(Text) + "'");
    return Error.empty() ? std::optional(V) : std::nullopt;
  }
  std::string Error;

private:
  void fail(std::string Why) {
    if (Error.empty())
      Error = std::move(Why);
  }
  void skip() {
    while (At < Text.size() && Text[At] == ' ')
      ++At;
  }
  bool take(char C) {
    skip();
    if (At >= Text.size() || Text[At] != C)
      return false;
    ++At;
    return true;
  }
  int64_t sum() {
    int64_t V = product();
    while (Error.empty()) {
      bool Plus = take('+');
      if (!Plus && !take('-'))
        return V;
      int64_t R = product();
      if (Plus ? __builtin_add_overflow(V, R, &V) : __builtin_sub_overflow(V, R, &V))
        fail("'" + std::string(Text) + "' overflows");
    }
    return V;
  }
  int64_t product() {
    int64_t V = factor();
    while (Error.empty()) {
      if (take('*')) {
        if (__builtin_mul_overflow(V, factor(), &V))
          fail("'" + std::string(Text) + "' overflows");
      } else if (take('/')) {
        V = divide(V, factor(), false);
      } else if (take('%')) {
        V = divide(V, factor(), true);
      } else {
        return V;
      }
    }
    return V;
  }
  int64_t divide(int64_t A, int64_t B, bool Rest) {
    if (B == 0) {
      fail("'" + std::string(Text) + "' divides by zero");
      return 0;
    }
    return Rest ? A % B : A / B;
  }
  int64_t factor() {
    if (++Depth > 100)
      fail("'" + std::string(Text) + "' nests too deep");
    if (!Error.empty())
      return 0;
    int64_t V = 0;
    if (take('-')) {
      V = -factor();
    } else if (take('(')) {
      V = sum();
      if (!take(')'))
        fail("missing ')' in '" + std::string(Text) + "'");
    } else {
      V = word();
    }
    --Depth;
    return V;
  }
  int64_t word() {
    skip();
    size_t Begin = At;
    while (At < Text.size() && isName(Text[At]))
      ++At;
    std::string Word(Text.substr(Begin, At - Begin));
    if (Word.empty()) {
      fail("a dimension is missing in '" + std::string(Text) + "'");
      return 0;
    }
    if (!std::isdigit(static_cast<unsigned char>(Word[0]))) {
      auto Found = Values.find(Word);
      if (Found == Values.end())
        fail("dim '" + Word + "' has no value");
      return Found == Values.end() ? 0 : Found->second;
    }
    int64_t V = 0;
    for (char C : Word)
      if (!std::isdigit(static_cast<unsigned char>(C)) || __builtin_mul_overflow(V, 10, &V) ||
          __builtin_add_overflow(V, C - '0', &V))
        fail("'" + Word + "' is no number");
    return V;
  }

  std::string_view Text;
  const Dims &Values;
  size_t At = 0;
  int Depth = 0;
};

} // namespace

std::optional<int64_t> ops::evaluate(std::string_view Text, const Dims &Values, std::string *Error) {
  Parser P(Text, Values);
  auto V = P.whole();
  if (!V && Error)
    *Error = P.Error;
  return V;
}

std::vector<std::string> ops::namesIn(std::string_view Text) {
  std::vector<std::string> Names;
  for (size_t I = 0; I < Text.size();) {
    size_t B = I;
    while (I < Text.size() && isName(Text[I]))
      ++I;
    if (I > B && !std::isdigit(static_cast<unsigned char>(Text[B])))
      Names.emplace_back(Text.substr(B, I - B));
    I += I == B;
  }
  return Names;
}

std::vector<std::string> ops::splitShape(std::string_view Text) {
  std::vector<std::string> Parts;
  std::string Part;
  int Depth = 0;
  for (char C : Text) {
    Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
    if (C == ',' && Depth == 0)
      Parts.push_back(std::exchange(Part, {}));
    else if (C != ' ')
      Part += C;
  }
  if (!Part.empty() || !Parts.empty())
    Parts.push_back(Part);
  return Parts;
}

std::string ops::toString(const Dims &Values) {
  std::string Out;
  for (const auto &[Name, V] : Values)
    Out += (Out.empty() ? "" : ", ") + Name + "=" + std::to_string(V);
  return Out;
}
