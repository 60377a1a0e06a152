// A fingerprint names a finding over time: check, kernel and the text of its line, without the line number.
// Equal ones in one file are told apart by their order.
#include "analyzers/engine/output/Report.h"
#include "llvm/Support/MD5.h"

using namespace kcheck;

static std::vector<llvm::StringRef> linesOf(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 0> Lines;
  Text.split(Lines, '\n');
  return {Lines.begin(), Lines.end()};
}

std::vector<std::string> kcheck::fingerprints(const FileReport &F, const std::vector<Finding> &Findings) {
  std::vector<llvm::StringRef> Lines = linesOf(F.Text);
  std::map<std::string, unsigned> Seen;
  std::vector<std::string> Out;
  for (const Finding &X : Findings) {
    bool Here = X.Where.File.empty() || X.Where.File == F.File;
    std::string Key = X.check() + "\n" + X.Kernel + "\n";
    if (Here && X.Where.Line >= 1 && X.Where.Line <= Lines.size())
      for (char C : Lines[X.Where.Line - 1])
        if (!isspace(static_cast<unsigned char>(C)))
          Key += C;
    unsigned Nth = Seen[Key]++;
    llvm::MD5 Hash;
    Hash.update(Key);
    Hash.update("\n" + std::to_string(Nth));
    llvm::MD5::MD5Result R;
    Hash.final(R);
    Out.push_back(R.digest().str().str().substr(0, 16));
  }
  return Out;
}

std::vector<std::string> kcheck::fingerprints(const FileReport &F) { return fingerprints(F, F.Static.Findings); }
