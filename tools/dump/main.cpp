// kcheck-dump FILE...: a developer's look at launch plans.       kcheck-dump --runs FILE: also what the threads touch.
//
// The last line counts, over all files, the launches for which some plan has grid and block: those that the rules and
// the runner can work with. Every other one is listed with the construct that stopped the interpreter.
#include "analyzers/engine/Driver.h"
#include "matchers/Describe.h"
#include "matchers/LaunchModel.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kcheck;
using namespace kcheck::eval;

namespace {

struct Tally {
  unsigned Launches = 0, Derived = 0;
};

class Dump {
public:
  Dump(TranslationUnit &TU, bool Runs) : TU(TU), M(TU.get<LaunchModel>()), Runs(Runs) {}

  void print(llvm::StringRef File, Tally &Sum) {
    llvm::outs() << File << ": " << M.kernels().size() << " kernels, " << M.launchers().size() << " launchers, " << M.plans().size() << " plans\n";
    for (const PlanSample &P : M.plans())
      plan(*P.Host);
    launches(Sum);
    if (Runs)
      for (const LaunchSample *L : M.runs())
        run(*L->Run);
  }

private:
  unsigned line(const clang::Stmt *S) const { return S ? TU.where(S->getBeginLoc()).Line : 0; }

  static std::string number(const std::optional<int64_t> &N) { return N ? std::to_string(*N) : "?"; }
  static std::string numbers(const std::array<std::optional<int64_t>, 3> &A) { return number(A[0]) + "," + number(A[1]) + "," + number(A[2]); }

  void plan(const HostRun &H) const {
    llvm::outs() << "  plan " << H.Launcher->getName() << sizesText(&H);
    if (!H.Refusal.empty())
      llvm::outs() << ", stopped in line " << line(H.RefusedAt) << ": " << H.Refusal;
    llvm::outs() << "\n";
    for (const Step &S : H.Steps)
      if (S.K == Step::Launch && S.Kernel)
        llvm::outs() << "    " << S.Kernel->getName() << " grid " << numbers(S.Grid) << " block " << numbers(S.Block) << " shared "
                     << number(S.SharedBytes) << (S.Sure ? "" : ", perhaps") << "\n";
  }

  void launches(Tally &Sum) const {
    llvm::MapVector<const clang::CallExpr *, bool> Known;
    for (const PlanSample &P : M.plans())
      for (const Step &S : P.Host->Steps)
        if (S.K == Step::Launch)
          Known[S.Call] |= S.Grid[0] && S.Grid[1] && S.Grid[2] && S.Block[0] && S.Block[1] && S.Block[2];
    for (auto &[Call, Derived] : Known) {
      ++Sum.Launches;
      Sum.Derived += Derived;
      if (!Derived)
        llvm::outs() << "  line " << line(Call) << ": grid or block not derived\n";
    }
  }

  void run(const KernelRun &R) const {
    llvm::outs() << "  run " << R.Kernel->getName() << " grid " << R.Grid[0] << "," << R.Grid[1] << "," << R.Grid[2] << " block " << R.Block[0] << ","
                 << R.Block[1] << "," << R.Block[2] << (R.OutOfFuel ? ", out of fuel" : "") << (R.Imprecise.empty() ? "" : ", imprecise: " + R.Imprecise)
                 << "\n";
    for (const BlockRun &B : R.Blocks) {
      llvm::outs() << "    block " << blockText(B.Index) << "\n";
      for (const Access &A : B.Accesses)
        access(A, R.threads());
      for (const BarrierEvent &E : B.Barriers)
        llvm::outs() << "      line " << line(E.Call) << ": barrier, " << E.Who.Sure.count() << " to " << E.Who.May.count() << " threads\n";
      for (const WarpEvent &E : B.WarpOps)
        llvm::outs() << "      line " << line(E.Call) << ": warp operation, " << E.Who.Sure.count() << " to " << E.Who.May.count() << " threads\n";
      for (const EscapeEvent &E : B.Escapes)
        llvm::outs() << "      line " << line(E.At) << ": pointer handed on\n";
    }
  }

  void access(const Access &A, unsigned Threads) const {
    static const char *const Kinds[] = {"reads", "writes", "updates"};
    llvm::outs() << "      line " << line(A.E) << ": " << A.Who.Sure.count() << " to " << A.Who.May.count() << " threads " << Kinds[int(A.Kind)] << " "
                 << A.Bytes << " bytes of " << (A.Obj ? A.Obj->Name : "?") << " in interval " << A.Interval << " at";
    unsigned Shown = 0;
    for (unsigned T = 0; T < Threads && Shown < 6; ++T)
      if (A.Who.May.test(T)) {
        ++Shown;
        llvm::outs() << " " << (A.Offset.at(T) == Unk ? "?" : std::to_string(A.Offset.at(T)));
      }
    llvm::outs() << "\n";
  }

  TranslationUnit &TU;
  LaunchModel &M;
  bool Runs;
};

} // namespace

int main(int Argc, char **Argv) {
  bool Runs = false;
  Tally Sum;
  int Status = 0;
  for (llvm::StringRef File : llvm::ArrayRef(Argv + 1, Argv + Argc)) {
    if (File == "--runs") {
      Runs = true;
      continue;
    }
    auto Text = llvm::MemoryBuffer::getFile(File);
    llvm::Error E = Text ? parse(File, (*Text)->getBuffer(), {}, View::Device, [&](TranslationUnit &TU) { Dump(TU, Runs).print(File, Sum); })
                         : llvm::errorCodeToError(Text.getError());
    if (E) {
      llvm::errs() << File << ": " << llvm::toString(std::move(E)) << "\n";
      Status = 2;
    }
  }
  llvm::outs() << Sum.Derived << " of " << Sum.Launches << " launches have a plan\n";
  return Status;
}
