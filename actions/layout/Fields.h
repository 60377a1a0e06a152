//===- Fields.h - an array of structures as one array a field -------------------------------===//
//
//   p[i].x                          pX[i]
//
//   k<<<...>>>(p, n);               toFields<<<...>>>(p, pX, pY, n);
//                                   k<<<...>>>(pX, pY, n);
//                                   fromFields<<<...>>>(pX, p, n);     what the kernel stores
//
// For kernels of one element a thread whose places in the array are plainly below the number of elements.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_LAYOUT_FIELDS_H
#define KCHECK_ACTIONS_LAYOUT_FIELDS_H

#include "actions/engine/MapKernel.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace kcheck {

class FieldArrays {
public:
  FieldArrays(ActionContext &Ctx, const KernelView &K, const MapKernel &M, const clang::ParmVarDecl *P);

  static bool isArrayOfStructures(const clang::ParmVarDecl *P);
  const std::string &whyNot() const { return Fault; }
  llvm::json::Object effect() const;
  std::vector<Edit> edits() const;

private:
  struct Use {
    bool Read = false, Written = false;
    bool Defined = false; ///< each thread of an element stores it, whatever it finds
    std::string Array;    ///< its name in the kernel
  };

  void no(const std::string &Why) {
    if (Fault.empty())
      Fault = Why;
  }
  void record();
  void aliases();
  void walk(const clang::Stmt *S);
  void member(const clang::MemberExpr *M, const std::string &Place);
  void whole(const clang::Expr *E, const std::string &Place);
  void otherMemory();
  void launches();

  std::optional<std::string> placeText(const clang::Expr *E);
  std::optional<std::string> element(const clang::Expr *E); ///< the place of a structure
  std::optional<std::string> pointer(const clang::Expr *E); ///< the place that a pointer shows
  const clang::Stmt *parent(size_t &Up) const;
  bool everyThread(size_t Up) const;
  void seen(const clang::Expr *E);
  Use &use(const clang::FieldDecl *F);
  std::string built(const std::string &Place);
  bool covered(const LaunchSite &L) const;
  std::string helper(const std::string &Name, bool In) const;
  bool copied(const Use &U, bool In) const { return In ? U.Read || !U.Defined || !AllCovered : U.Written; }

  ActionContext &Ctx;
  const KernelView &K;
  MapKernel M;
  const clang::ParmVarDecl *P;
  const VariableWrites &Writes;
  const clang::CXXRecordDecl *Record = nullptr;
  std::string Fault;
  llvm::DenseMap<const clang::VarDecl *, std::string> Aliases; ///< `Body &b = bodies[i];` and the place
  llvm::MapVector<const clang::FieldDecl *, Use> Uses;
  llvm::DenseSet<const clang::Expr *> Seen;  ///< mentions of the array and its aliases that are understood
  llvm::SmallVector<const clang::Stmt *, 32> Path; ///< from the body to the node under way
  std::vector<const clang::Stmt *> Reads;
  bool AllCovered = true;
  std::vector<Edit> Inner;
};

} // namespace kcheck
#endif
