// A reference in C++: `void reference(const double *a, …, double *out, int64_t n)` in the task's order of arguments. Its file is
// included into a small main program that reads the inputs from a file and writes the outputs to another; both the compiler and
// the program run in the sandbox, and see the reference's folder read-only.
#include "gate/dynamic/Reference.h"
#include "gate/reference/Process.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Role;

namespace {

bool isBuffer(const BoundArg &A) { return A.What == TaskArg::Kind::Buffer; }
bool isOut(const BoundArg &A) { return isBuffer(A) && (A.How == Role::Out || A.How == Role::InOut); }

/// The main program: buffers are doubles, sizes are int64_t; reference() may take float * and int instead.
std::string mainProgram(const Bound &B, const std::string &File) {
  std::string S = "#include <cstdint>\n#include <cstdio>\n#include <type_traits>\n#include <vector>\n#include \"" + File + "\"\n";
  S += "static std::vector<double> take(FILE *f) {\n  int64_t n = 0;\n  if (fread(&n, 8, 1, f) != 1) return {};\n  std::vector<double> v(n);\n"
       "  if (n && fread(v.data(), 8, n, f) != size_t(n)) return {};\n  return v;\n}\n"
       "template <class T> struct Slot {\n  std::vector<T> v;\n  explicit Slot(const std::vector<double> &d) : v(d.begin(), d.end()) {}\n};\n";
  std::string Read, Doubles, Floats, CallD, CallF, WriteD, WriteF;
  for (size_t I = 0; I < B.Args.size(); ++I) {
    const BoundArg &A = B.Args[I];
    if (A.What == TaskArg::Kind::Stream)
      continue;
    std::string N = std::to_string(I);
    Read += "  auto a" + N + " = take(in);\n";
    std::string Comma = CallD.empty() ? "" : ", ";
    if (isBuffer(A)) {
      Doubles += "    Slot<double> d" + N + "(a" + N + ");\n";
      Floats += "    Slot<float> d" + N + "(a" + N + ");\n";
      std::string Const = A.How == Role::In ? "const " : "";
      CallD += Comma + "(" + Const + "double *)d" + N + ".v.data()";
      CallF += Comma + "(" + Const + "float *)d" + N + ".v.data()";
    } else {
      bool Real = A.What == TaskArg::Kind::Scalar && protocol::isFloat(A.Type);
      std::string V = "(" + std::string(Real ? "double" : "int64_t") + ")a" + N + "[0]";
      CallD += Comma + V;
      CallF += Comma + V;
    }
    if (isOut(A))
      WriteD += "    for (double x : d" + N + ".v) fwrite(&x, 8, 1, out);\n";
  }
  S += "template <class F> auto run(F f, FILE *in, FILE *out) {\n" + Read + "  constexpr bool Wide = requires { f(" + [&] {
    std::string T;
    for (const BoundArg &A : B.Args)
      if (A.What != TaskArg::Kind::Stream)
        T += (T.empty() ? "" : ", ") + std::string(isBuffer(A) ? (A.How == Role::In ? "(const double *)0" : "(double *)0")
                                                   : A.What == TaskArg::Kind::Scalar && protocol::isFloat(A.Type) ? "0.0" : "int64_t(0)");
    return T;
  }() + "); };\n  if constexpr (Wide) {\n" + Doubles + "    f(" + CallD + ");\n" + WriteD + "  } else {\n" + Floats + "    f(" + CallF + ");\n" + WriteD + "  }\n}\n";
  S += "int main(int, char **argv) {\n  FILE *in = fopen(argv[1], \"rb\"), *out = fopen(argv[2], \"wb\");\n  if (!in || !out) return 2;\n"
       "  run([](auto... x) -> decltype(reference(x...)) { return reference(x...); }, in, out);\n  return fclose(out) ? 2 : 0;\n}\n";
  return S;
}

class CppReference : public Reference {
public:
  CppReference(const Bound &B, std::string Folder, double Seconds) : B(B), Folder(std::move(Folder)), Seconds(Seconds) {}
  ~CppReference() override { llvm::sys::fs::remove_directories(Folder); }

  std::optional<std::map<std::string, ops::Value>> outputs(const ops::Case &C, const Inputs &In, size_t, std::string &Error) override {
    std::string InFile = Folder + "/in", OutFile = Folder + "/out";
    std::error_code EC;
    llvm::raw_fd_ostream OS(InFile, EC);
    for (const BoundArg &A : B.Args)
      if (A.What != TaskArg::Kind::Stream)
        put(OS, valuesOf(A, C, In));
    OS.close();
    ProcessResult R = runConfined({Folder + "/reference", InFile, OutFile}, {Folder, {}, 1, Seconds, 4096});
    if (!R.Error.empty()) {
      Error = R.Error;
      return std::nullopt;
    }
    auto Data = llvm::MemoryBuffer::getFile(OutFile, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!Data) {
      Error = "the reference wrote nothing";
      return std::nullopt;
    }
    return split(C, (*Data)->getBuffer(), Error);
  }

private:
  std::vector<double> valuesOf(const BoundArg &A, const ops::Case &C, const Inputs &In) const {
    if (A.What == TaskArg::Kind::Dim)
      return {double(ops::evaluate(A.Dim, B.dims(C)).value_or(0))};
    if (A.What == TaskArg::Kind::Scalar)
      return {A.Value};
    if (auto It = In.find(A.Name); It != In.end())
      return ops::toDoubles(A.Type, It->second);
    int64_t N = 1;
    for (int64_t D : B.shapeOf(A, C))
      N *= D;
    return std::vector<double>(size_t(N), 0.0);
  }
  static void put(llvm::raw_ostream &OS, const std::vector<double> &V) {
    int64_t N = int64_t(V.size());
    OS.write(reinterpret_cast<const char *>(&N), 8);
    OS.write(reinterpret_cast<const char *>(V.data()), V.size() * 8);
  }
  std::optional<std::map<std::string, ops::Value>> split(const ops::Case &C, llvm::StringRef Data, std::string &Error) const {
    std::map<std::string, ops::Value> Out;
    for (const BoundArg &A : B.Args) {
      if (!isOut(A))
        continue;
      ops::Value V;
      V.Type = A.Type;
      V.Shape = B.shapeOf(A, C);
      int64_t N = 1;
      for (int64_t D : V.Shape)
        N *= D;
      if (Data.size() < size_t(N) * 8) {
        Error = "the reference's output is too short";
        return std::nullopt;
      }
      V.Data.resize(size_t(N));
      std::memcpy(V.Data.data(), Data.data(), size_t(N) * 8);
      Data = Data.drop_front(size_t(N) * 8);
      Out[A.Name] = std::move(V);
    }
    return Out;
  }

  const Bound &B;
  std::string Folder;
  double Seconds;
};

std::string compilerFor(std::string &Error) {
  for (const char *Name : {"clang++-22", "clang++", "g++", "c++"})
    if (auto P = llvm::sys::findProgramByName(Name))
      return *P;
  Error = "no C++ compiler (clang++ or g++) for the reference";
  return "";
}

} // namespace

std::unique_ptr<Reference> gate::cppReference(const Bound &B, const std::string &File, double Seconds, std::string &Error) {
  std::string Compiler = compilerFor(Error);
  llvm::SmallString<128> Folder, Full(File);
  llvm::sys::fs::make_absolute(Full);
  if (Compiler.empty() || llvm::sys::fs::createUniqueDirectory("kcheck-reference", Folder)) {
    if (Error.empty())
      Error = "cannot make a scratch folder for the reference";
    return nullptr;
  }
  auto R = std::make_unique<CppReference>(B, Folder.str().str(), Seconds);
  std::string Main = (Folder + "/main.cpp").str();
  {
    std::error_code EC;
    llvm::raw_fd_ostream OS(Main, EC);
    OS << mainProgram(B, Full.str().str());
  }
  std::string Beside = llvm::sys::path::parent_path(Full).str();
  ProcessResult P = runConfined({Compiler, "-std=c++20", "-O2", "-w", Main, "-o", (Folder + "/reference").str()}, {Folder.str().str(), {Beside}, 16, 60, 4096});
  if (P.Error.empty())
    return R;
  Error = File + ": the reference does not compile or has another signature than the task's args: " + (P.FirstLine.empty() ? P.Error : P.FirstLine);
  return nullptr;
}
