#include "analyzers/engine/driver/Flags.h"
#include "gtest/gtest.h"

using namespace kcheck;
using Words = std::vector<std::string>;

static ParseFlags translate(const Words &W, llvm::StringRef Directory = "/build") {
  auto F = translateFlags(W, Directory);
  if (!F) {
    ADD_FAILURE() << llvm::toString(F.takeError());
    return {};
  }
  return *F;
}

static std::string refusal(const Words &W) {
  auto F = translateFlags(W, "");
  return F ? std::string() : llvm::toString(F.takeError());
}

TEST(Flags, KeepsWhatChangesTheText) {
  ParseFlags F = translate({"-DA=1", "-D", "B", "-UC", "-I", "inc", "-I/abs", "-isystem", "sys", "-include", "pre.h"});
  EXPECT_EQ(F.Clang, (Words{"-DA=1", "-DB", "-UC", "-I/build/inc", "-I/abs", "-isystem/build/sys", "-include", "/build/pre.h"}));
  EXPECT_EQ(F.IncludeDirs, (Words{"/build/inc", "/abs", "/build/sys"}));
}

TEST(Flags, UnderstandsNvccsLongNamesAndLists) {
  ParseFlags F = translate({"--include-path=a,b", "--define-macro", "X=2", "--system-include", "/s", "--std=c++20"});
  EXPECT_EQ(F.Clang, (Words{"-I/build/a", "-I/build/b", "-DX=2", "-isystem/s"}));
  EXPECT_EQ(F.Standard, "c++20");
}

TEST(Flags, TakesTheHighestArchitecture) {
  EXPECT_EQ(translate({"-gencode", "arch=compute_80,code=[sm_80,compute_80]", "-gencode=arch=compute_90a,code=sm_90a"}).Arch, "sm_90a");
  EXPECT_EQ(translate({"-arch=sm_86"}).Arch, "sm_86");
  EXPECT_EQ(translate({"--gpu-architecture", "compute_75", "-code", "sm_75"}).Arch, "sm_75");
  EXPECT_EQ(translate({"-arch=native"}).Arch, "");
}

TEST(Flags, DropsWhatOnlyConcernsCodeAndFiles) {
  ParseFlags F = translate({"-O3", "-G", "-lineinfo", "-o", "out.o", "-c", "k.cu", "--expt-relaxed-constexpr", "--extended-lambda", "--threads", "4",
                            "-Xptxas", "-v", "-maxrregcount=32", "-ccbin", "g++", "-x", "cu", "--use_fast_math", "-lcudart", "-MD", "-MF", "dep.d",
                            "-forward-unknown-to-host-compiler", "-diag-suppress", "20012", "-Wall", "-DKEPT"});
  EXPECT_EQ(F.Clang, Words{"-DKEPT"});
}

TEST(Flags, LooksIntoTheHostCompilersFlags) {
  EXPECT_EQ(translate({"-Xcompiler", "-fPIC,-DHOST", "-Xcompiler=-Ihost"}).Clang, (Words{"-DHOST", "-I/build/host"}));
  EXPECT_EQ(translate({"--compiler-options", "'-fno-exceptions'"}).Clang, Words{"-fno-exceptions"});
}

TEST(Flags, RelocatableDeviceCode) {
  EXPECT_EQ(translate({"-rdc=true"}).Clang, Words{"-fgpu-rdc"});
  EXPECT_EQ(translate({"-dc"}).Clang, Words{"-fgpu-rdc"});
  EXPECT_EQ(translate({"-rdc=false"}).Clang, Words{});
}

TEST(Flags, TranslatesItsOwnWordsToThemselves) {
  Words First = translate({"-I", "inc", "-DX", "-rdc=true", "-include", "a.h"}).Clang;
  EXPECT_EQ(translate(First, "/elsewhere").Clang, First);
}

TEST(Flags, RefusesWhatLoadsCodeOrReadsOtherFiles) {
  for (const char *Bad : {"-fplugin=evil.so", "-fpass-plugin=evil.so", "-load", "@args.txt", "--options-file", "-Xclang", "-mllvm", "-ivfsoverlay",
                          "-include-pch", "--config=x", "-B/tmp", "-resource-dir=/tmp"})
    EXPECT_NE(refusal({Bad, "x"}).find(Bad), std::string::npos) << Bad;
  EXPECT_NE(refusal({"-Xcompiler", "-fplugin=evil.so"}), "");
  EXPECT_EQ(refusal({"-DFINE"}), "");
}
