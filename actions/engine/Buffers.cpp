#include "actions/engine/Buffers.h"

using namespace clang;
using namespace kcheck;

std::string kcheck::whyBuffersMayCoincide(ActionContext &Ctx, const KernelView &K) {
  if (K.Launches.empty())
    return "the file has no launch of " + K.Name + ": its buffers may overlap";
  if (K.OtherUse)
    return K.Name + " is also used other than in a launch: its buffers may overlap";
  for (const LaunchSite &L : K.Launches) {
    llvm::DenseSet<const ValueDecl *> Seen;
    for (unsigned I = 0; I < L.Syntax.Call->getNumArgs() && I < K.Decl->getNumParams(); ++I) {
      if (!K.Decl->getParamDecl(I)->getType()->isPointerType())
        continue;
      const Expr *Arg = Ctx.get<VariableWrites>().resolve(L.Syntax.Call->getArg(I));
      const ValueDecl *D = Arg ? referredTo(Arg) : nullptr;
      if (const auto *M = Arg ? dyn_cast<MemberExpr>(Arg->IgnoreParenCasts()) : nullptr)
        D = M->getMemberDecl();
      std::string Line = std::to_string(Ctx.TU.where(L.Syntax.Call->getBeginLoc()).Line);
      if (!D)
        return "the launch at line " + Line + " passes a computed pointer: buffers may overlap";
      if (!Seen.insert(D).second)
        return "the launch at line " + Line + " passes " + D->getNameAsString() + " twice";
    }
  }
  for (const LaunchSite &L : K.Launches)
    if (L.In)
      for (const CallSite &C : Ctx.get<CallSites>().of(L.In)) {
        llvm::DenseSet<const ValueDecl *> Seen;
        for (const Expr *A : C.Call->arguments())
          if (A->getType()->isPointerType())
            if (const ValueDecl *D = referredTo(A); D && !Seen.insert(D).second)
              return "the call at line " + std::to_string(Ctx.TU.where(C.Call->getBeginLoc()).Line) + " passes " + D->getNameAsString() + " twice";
      }
  return {};
}
