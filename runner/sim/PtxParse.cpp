#include "runner/sim/PtxParse.h"
#include <cctype>

using namespace kcheck::sim;

namespace {

std::string trim(std::string_view S) {
  while (!S.empty() && isspace(static_cast<unsigned char>(S.front())))
    S.remove_prefix(1);
  while (!S.empty() && isspace(static_cast<unsigned char>(S.back())))
    S.remove_suffix(1);
  return std::string(S);
}

std::string withoutComments(std::string_view S) {
  std::string Out;
  for (size_t I = 0; I < S.size(); ++I) {
    if (S.substr(I, 2) == "//") {
      while (I < S.size() && S[I] != '\n')
        ++I;
      Out += '\n';
    } else if (S.substr(I, 2) == "/*") {
      size_t End = S.find("*/", I + 2);
      I = End == std::string_view::npos ? S.size() : End + 1;
      Out += ' ';
    } else {
      Out += S[I];
    }
  }
  return Out;
}

bool isNameChar(char C) { return isalnum(static_cast<unsigned char>(C)) || C == '_' || C == '$' || C == '%'; }

void addStatement(std::vector<PtxStatement> &Out, std::string Text) {
  for (;;) {
    Text = trim(Text);
    // A scope's braces; a statement that starts with a brace is never a vector.
    if (!Text.empty() && (Text[0] == '{' || Text[0] == '}')) {
      Text.erase(0, 1);
      continue;
    }
    size_t Colon = 0;
    while (Colon < Text.size() && isNameChar(Text[Colon]))
      ++Colon;
    if (Colon && Colon < Text.size() && Text[Colon] == ':' && Text.substr(Colon, 2) != "::") {
      PtxStatement L;
      L.What = PtxStatement::Label;
      L.Op = {Text.substr(0, Colon)};
      L.Text = Text;
      Out.push_back(L);
      Text.erase(0, Colon + 1);
      continue;
    }
    break;
  }
  if (Text.empty())
    return;
  PtxStatement S;
  S.Text = Text;
  size_t At = 0;
  if (Text[0] == '@') {
    At = 1;
    if (At < Text.size() && Text[At] == '!') {
      S.Negated = true;
      ++At;
    }
    size_t End = At;
    while (End < Text.size() && !isspace(static_cast<unsigned char>(Text[End])))
      ++End;
    S.Guard = Text.substr(At, End - At);
    At = End;
    while (At < Text.size() && isspace(static_cast<unsigned char>(Text[At])))
      ++At;
  }
  size_t End = At;
  while (End < Text.size() && !isspace(static_cast<unsigned char>(Text[End])) && Text[End] != '{' && Text[End] != '[')
    ++End;
  std::string Op = Text.substr(At, End - At);
  std::string Rest = trim(std::string_view(Text).substr(End));
  if (Op.starts_with(".reg.")) {
    Rest = Op.substr(4) + " " + Rest;
    Op = ".reg";
  }
  if (Op == ".reg") {
    S.What = PtxStatement::Register;
    size_t Space = Rest.find_first_of(" \t\n");
    S.Op = {Rest.substr(1, Space - 1)};
    S.Operands = splitPtxList(Space == std::string::npos ? "" : std::string_view(Rest).substr(Space));
    Out.push_back(std::move(S));
    return;
  }
  for (size_t I = 0; I < Op.size();) {
    size_t Dot = Op.find('.', I);
    if (Dot == std::string::npos)
      Dot = Op.size();
    if (Dot > I)
      S.Op.push_back(Op.substr(I, Dot - I));
    I = Dot + 1;
  }
  S.Operands = splitPtxList(Rest);
  if (!S.Op.empty())
    Out.push_back(std::move(S));
}

} // namespace

std::vector<std::string> kcheck::sim::splitPtxList(std::string_view Text) {
  std::vector<std::string> Out;
  int Depth = 0;
  std::string Part;
  for (char C : Text) {
    Depth += C == '{' || C == '[' || C == '(';
    Depth -= C == '}' || C == ']' || C == ')';
    if (C == ',' && Depth == 0) {
      Out.push_back(trim(Part));
      Part.clear();
    } else {
      Part += C;
    }
  }
  if (!trim(Part).empty())
    Out.push_back(trim(Part));
  return Out;
}

std::vector<PtxStatement> kcheck::sim::parsePtx(std::string_view Raw) {
  std::vector<PtxStatement> Out;
  std::string Text = withoutComments(Raw), Part;
  for (char C : Text) {
    if (C == ';') {
      addStatement(Out, Part);
      Part.clear();
    } else {
      Part += C;
    }
  }
  addStatement(Out, Part);
  return Out;
}
