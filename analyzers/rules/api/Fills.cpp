//===- Fills.cpp - fills and copies whose size counts elements -----------------===//
//
//   cudaMemsetAsync(best, 0, rows, st);                       // bytes
//   argmax<<<dim3(8, rows), 256, 0, st>>>(x, best, cols);     // atomicMax(best + r, key), r < rows
//
// The launcher is interpreted: how much it fills is known, and so is what the next launch updates or reads there. Just as
// many elements as there are bytes, at every size: the size lacks its sizeof.
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/api/ApiChecks.h"
#include "llvm/ADT/MapVector.h"
#include "matchers/Describe.h"
#include "matchers/LaunchModel.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::eval;

namespace {

/// What a launch needs of a buffer into which it only adds, or which it only reads.
struct Need {
  int64_t End = 0; ///< bytes, one past the last
  const Access *Last = nullptr;
};

/// Nothing where the kernel stores there itself, or some place is not known.
std::optional<Need> needOf(const KernelRun &R, const Object *O, AccessKind Kind) {
  Need N;
  for (const BlockRun &B : R.Blocks)
    for (const Access &A : B.Accesses) {
      if (A.Obj != O)
        continue;
      if (A.Kind != Kind || A.OffsetTaint.Data)
        return std::nullopt;
      forEachLane(A.Who.May, R.threads(), [&](unsigned T) {
        int64_t At = A.Offset.at(T);
        if (At != Unk && At + int64_t(A.Bytes) > N.End)
          N = {At + int64_t(A.Bytes), &A};
      });
    }
  return N.Last ? std::optional(N) : std::nullopt;
}

bool names(const Step &S, const Object *O) {
  return S.Target == O || S.Source == O || llvm::any_of(S.Args, [&](const Value &A) { return A.K == Value::Pointer && A.Obj == O; });
}

struct Use {
  const LaunchSample *Launch = nullptr;
  int64_t Bytes = 0;
  Need What;
};

/// All sizes at which one call fills and one launch uses.
struct Pair {
  std::vector<Use> Uses;
  bool Elements = true; ///< at each size as many elements are used as bytes are filled
};

} // namespace

void kcheck::checkFills(ApiReporter &R) {
  llvm::MapVector<std::pair<const CallExpr *, const CallExpr *>, Pair> Pairs;
  for (const PlanSample &P : R.Ctx.get<LaunchModel>().plans()) {
    if (!P.Host->Overflows.empty())
      continue;
    for (const LaunchSample &L : P.Launches) {
      if (!L.Run || !L.Step->Sure || L.Run->OutOfFuel || !L.Run->Imprecise.empty())
        continue;
      llvm::SmallPtrSet<const Object *, 8> Met;
      for (const Value &A : L.Step->Args) {
        if (A.K != Value::Pointer || !A.Obj || !Met.insert(A.Obj).second)
          continue;
        // What comes first of all that names the buffer fills it, and nothing else does before the launch.
        const Step *Fill = nullptr;
        bool Alone = true;
        for (const Step &S : P.Host->Steps) {
          if (&S == L.Step)
            break;
          if (S.K == Step::Allocate || !names(S, A.Obj))
            continue;
          Alone &= !Fill && S.Sure && S.Bytes && S.Target == A.Obj && (S.K == Step::Set || S.K == Step::Copy) && S.TargetPointer.L.at(0) == 0;
          Fill = &S;
        }
        if (!Fill || !Alone)
          continue;
        if (auto N = needOf(*L.Run, A.Obj, Fill->K == Step::Set ? AccessKind::Atomic : AccessKind::Read)) {
          Pair &Known = Pairs[{Fill->Call, L.Step->Call}];
          Known.Uses.push_back({&L, *Fill->Bytes, *N});
          Known.Elements &= N->Last->Bytes > 1 && N->End == *Fill->Bytes * int64_t(N->Last->Bytes);
        }
      }
    }
  }
  for (auto &[Calls, Known] : Pairs) {
    const Use &X = Known.Uses.front();
    if (!Known.Elements || Known.Uses.size() < 2 || !R.first("memcpy_size", Calls.first->getExprLoc()))
      continue;
    R.Ctx.report("memcpy_size", Calls.first->getExprLoc(),
                 llvm::formatv("the size is in bytes: {0} of '{1}' are set here, and the launch after it {2} {3}, {4} elements of {5} bytes{6}", X.Bytes,
                               X.What.Last->Obj->Name, X.What.Last->Kind == AccessKind::Read ? "reads" : "updates", X.What.End, X.Bytes, X.What.Last->Bytes,
                               sizesText(X.Launch->Host)).str())
        .kernel(X.Launch->Run->Kernel)
        .note(X.What.Last->E->getExprLoc(), "the access is here")
        .note(Calls.second->getBeginLoc(), "launched here");
  }
}
