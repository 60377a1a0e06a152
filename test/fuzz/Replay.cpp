// Runs a fuzz target without libFuzzer: on files, so that what a fuzzer once found stays a test, and on mutations of them.
//
//   TARGET [--mutations N] [--prefix C] FILE...
//
// The mutations of a file are the same in every run. C is put before each input: some targets choose by the first byte.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size);

namespace {

void once(const std::string &Prefix, const std::string &Text) {
  std::string All = Prefix + Text;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(All.data()), All.size());
}

/// One to four edits: a byte changed, a piece removed, repeated or moved, a word of the kind that parsers stumble over.
std::string mutated(std::string Text, std::mt19937 &Random) {
  static const char *const Words[] = {"{", "}", "[", "]", ":", "- ", "\n", "\t", "\0", "&a ", "*a ", "!!str ", "'", "\"", "|", ">", "%", "0x", "1e999", "-9223372036854775809", "\xff\xfe", "/*", "#if 1\n"};
  auto Below = [&](size_t N) { return N ? Random() % N : 0; };
  for (size_t Edits = 1 + Below(4); Edits && !Text.empty(); --Edits) {
    size_t At = Below(Text.size()), Length = 1 + Below(std::min<size_t>(64, Text.size() - At));
    switch (Below(5)) {
    case 0: Text[At] = char(Random()); break;
    case 1: Text.erase(At, Length); break;
    case 2: Text.insert(Below(Text.size()), Text.substr(At, Length)); break;
    case 3: Text.insert(At, Words[Below(std::size(Words))]); break;
    default: Text.resize(At); break;
    }
  }
  return Text;
}

} // namespace

int main(int Argc, char **Argv) {
  unsigned Mutations = 0;
  std::string Prefix;
  for (int I = 1; I < Argc; ++I) {
    if (I + 1 < Argc && !std::strcmp(Argv[I], "--mutations")) {
      Mutations = unsigned(std::atoi(Argv[++I]));
    } else if (I + 1 < Argc && !std::strcmp(Argv[I], "--prefix")) {
      Prefix = Argv[++I];
    } else {
      std::ifstream In(Argv[I], std::ios::binary);
      if (!In) {
        std::fprintf(stderr, "cannot read %s\n", Argv[I]);
        return 2;
      }
      std::string Text{std::istreambuf_iterator<char>(In), {}};
      once(Prefix, Text);
      std::mt19937 Random(1);
      for (unsigned M = 0; M < Mutations; ++M)
        once(Prefix, mutated(Text, Random));
    }
  }
}
