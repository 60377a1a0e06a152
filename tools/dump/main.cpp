// A developer's look at launch plans and traces: dump FILE
#include "analyzers/engine/Driver.h"
#include "matchers/LaunchModel.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
using namespace kcheck; using namespace kcheck::eval;
int main(int argc, char **argv) {
  bool Verbose = argc > 2;
  auto B = llvm::MemoryBuffer::getFile(argv[1]);
  auto E = parse(argv[1], (*B)->getBuffer(), {}, View::Device, [&](TranslationUnit &TU) {
    auto T0 = std::chrono::steady_clock::now();
    LaunchModel &M = TU.get<LaunchModel>();
    auto Runs = M.runs();
    double Ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - T0).count();
    llvm::outs() << argv[1] << ": kernels " << M.kernels().size() << " launchers " << M.launchers().size() << " plans " << M.plans().size() << " runs " << Runs.size() << " ms " << Ms << "\n";
    for (auto &P : M.plans()) {
      llvm::outs() << "plan " << P.Host->Launcher->getName() << (P.Aligned ? " aligned" : "");
      for (auto &S : P.Host->Sizes) llvm::outs() << " " << S.Name << "=" << S.Value;
      if (!P.Host->Refusal.empty()) llvm::outs() << " REFUSED " << P.Host->Refusal << " at " << TU.where(P.Host->RefusedAt ? P.Host->RefusedAt->getBeginLoc() : clang::SourceLocation()).Line;
      llvm::outs() << "\n";
      for (auto &S : P.Host->Steps) { llvm::outs() << "   step " << int(S.K); if (S.Bytes) llvm::outs() << " bytes " << *S.Bytes; if (S.Kernel) { llvm::outs() << " " << S.Kernel->getName(); for (auto &G : S.Grid) llvm::outs() << " g" << (G ? std::to_string(*G) : "?"); for (auto &G : S.Block) llvm::outs() << " b" << (G ? std::to_string(*G) : "?"); llvm::outs() << " sh" << (S.SharedBytes ? std::to_string(*S.SharedBytes) : "?"); } llvm::outs() << (S.Sure ? "" : " maybe") << "\n"; }
    }
    for (auto *L : Runs) {
      auto &R = *L->Run;
      if (!Verbose && !R.OutOfFuel && R.Imprecise.empty()) continue;
      llvm::outs() << "run " << R.Kernel->getName() << " grid " << R.Grid[0] << "," << R.Grid[1] << " block " << R.Block[0] << "," << R.Block[1] << (R.OutOfFuel ? " FUEL" : "") << " " << R.Imprecise << "\n";
      if (Verbose) for (auto &Bk : R.Blocks) {
        llvm::outs() << "  block " << Bk.Index[0] << "," << Bk.Index[1] << "," << Bk.Index[2] << "\n";
        for (auto &A : Bk.Accesses) { llvm::outs() << "    " << "RWA"[int(A.Kind)] << " L" << TU.where(A.E ? A.E->getExprLoc() : clang::SourceLocation()).Line << " " << (A.Obj ? A.Obj->Name : "?") << " bytes " << A.Bytes << " int " << A.Interval << " may " << A.Who.May.count() << " sure " << A.Who.Sure.count() << " vary " << int(A.OffsetTaint.V) << " off:";
          unsigned n = 0; for (unsigned I = 0; I < R.threads() && n < 6; ++I) if (A.Who.May.test(I)) { ++n; llvm::outs() << " " << (A.Offset.at(I) == Unk ? std::string("?") : std::to_string(A.Offset.at(I))); } llvm::outs() << "\n"; }
        for (auto &A : Bk.Barriers) llvm::outs() << "    barrier L" << TU.where(A.Call->getExprLoc()).Line << " may " << A.Who.May.count() << " sure " << A.Who.Sure.count() << "\n";
        for (auto &A : Bk.WarpOps) llvm::outs() << "    warpop L" << TU.where(A.Call->getExprLoc()).Line << " may " << A.Who.May.count() << " sure " << A.Who.Sure.count() << "\n";
        for (auto &A : Bk.Escapes) llvm::outs() << "    escape L" << TU.where(A.At->getBeginLoc()).Line << " " << (A.Obj ? A.Obj->Name : "?") << "\n";
        for (auto &A : Bk.Overflows) llvm::outs() << "    overflow L" << TU.where(A.E->getExprLoc()).Line << "\n";
      }
    }
  });
  if (E) llvm::errs() << llvm::toString(std::move(E)) << "\n";
}
