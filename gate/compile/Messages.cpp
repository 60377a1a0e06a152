#include "gate/compile/Compiler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace kcheck;
using namespace kcheck::gate;

/// "NAME(12): error: text" and "NAME(12): error #20: text" of the EDG front ends.
static bool parseEdg(llvm::StringRef Line, llvm::StringRef &File, unsigned &Number, llvm::StringRef &Text) {
  size_t Mark = Line.find("): error");
  bool Catastrophic = false;
  if (Mark == llvm::StringRef::npos) {
    Mark = Line.find("): catastrophic error");
    Catastrophic = Mark != llvm::StringRef::npos;
    if (!Catastrophic)
      return false;
  }
  llvm::StringRef Head = Line.take_front(Mark);
  size_t Open = Head.rfind('(');
  if (Open == llvm::StringRef::npos || Head.drop_front(Open + 1).getAsInteger(10, Number))
    return false;
  File = Head.take_front(Open);
  Text = Line.drop_front(Mark + 2).split(": ").second;
  return true;
}

/// "NAME:12:5: error: text" of the host compiler and the preprocessor.
static bool parseGcc(llvm::StringRef Line, llvm::StringRef &File, unsigned &Number, unsigned &Column, llvm::StringRef &Text) {
  for (llvm::StringRef Word : {": error: ", ": fatal error: "}) {
    size_t Mark = Line.find(Word);
    if (Mark == llvm::StringRef::npos)
      continue;
    llvm::StringRef Head = Line.take_front(Mark);
    Text = Line.drop_front(Mark + Word.size());
    auto [Rest, Last] = Head.rsplit(':');
    unsigned N = 0;
    if (Last.getAsInteger(10, N))
      return false;
    auto [Name, Middle] = Rest.rsplit(':');
    unsigned M = 0;
    if (!Middle.empty() && !Middle.getAsInteger(10, M)) {
      File = Name, Number = M, Column = N;
    } else {
      File = Rest, Number = N, Column = 0;
    }
    return true;
  }
  return false;
}

/// What nvcc adds below a message.
static bool saysTypes(llvm::StringRef Line) {
  return Line.starts_with("operand types are:") || Line.starts_with("argument types are:") || Line.starts_with("object type is:");
}

std::vector<CompilerMessage> gate::parseMessages(llvm::StringRef Output, llvm::StringRef Name) {
  std::vector<CompilerMessage> Out;
  llvm::SmallVector<llvm::StringRef> Lines;
  Output.split(Lines, '\n');
  auto IsCandidate = [&](llvm::StringRef File) {
    return File == Name || llvm::sys::path::filename(File) == llvm::sys::path::filename(Name);
  };
  for (llvm::StringRef L : Lines) {
    llvm::StringRef Line = L.trim(), File, Text;
    unsigned Number = 0, Column = 0;
    if (parseEdg(Line, File, Number, Text) || parseGcc(Line, File, Number, Column, Text)) {
      CompilerMessage M;
      if (IsCandidate(File)) {
        M.Line = Number;
        M.Column = Column;
        M.Text = Text.str();
      } else {
        // What a header says of itself could quote any file that was included.
        M.Text = ("error in " + llvm::sys::path::filename(File)).str();
      }
      Out.push_back(std::move(M));
    } else if (Line.consume_front("At end of source: error")) {
      CompilerMessage M;
      M.Text = Line.split(": ").second.str() + " at end of file";
      Out.push_back(std::move(M));
    } else if (Line.consume_front("nvcc fatal")) {
      CompilerMessage M;
      M.Text = "nvcc: " + Line.ltrim(" :").str();
      Out.push_back(std::move(M));
    } else if (Line.starts_with("ptxas") && Line.contains("error")) {
      CompilerMessage M;
      M.Text = Line.str();
      M.FromAssembler = true;
      Out.push_back(std::move(M));
    } else if (!Out.empty() && saysTypes(Line)) {
      Out.back().Types = Line.str();
    }
    if (Out.size() >= 100)
      break;
  }
  return Out;
}
