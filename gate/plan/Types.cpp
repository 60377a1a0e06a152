#include "gate/plan/Types.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace kcheck;
using protocol::DType;

static std::optional<DType> integerType(unsigned Bits, bool Signed) {
  switch (Bits) {
  case 8: return Signed ? DType::I8 : DType::U8;
  case 16: return Signed ? DType::I16 : DType::U16;
  case 32: return Signed ? DType::I32 : DType::U32;
  case 64: return Signed ? DType::I64 : DType::U64;
  default: return std::nullopt;
  }
}

/// float4 and the like: a record of the CUDA headers named by element and count.
static std::optional<DType> namedType(llvm::StringRef Name) {
  if (Name == "__half" || Name == "half" || Name == "__half2" || Name == "half2")
    return DType::F16;
  if (Name == "__nv_bfloat16" || Name == "__nv_bfloat162" || Name == "nv_bfloat16" || Name == "nv_bfloat162")
    return DType::BF16;
  if (Name.size() < 2 || Name.back() < '1' || Name.back() > '4')
    return std::nullopt;
  return llvm::StringSwitch<std::optional<DType>>(Name.drop_back())
      .Case("float", DType::F32)
      .Case("double", DType::F64)
      .Case("int", DType::I32)
      .Case("uint", DType::U32)
      .Case("char", DType::I8)
      .Case("uchar", DType::U8)
      .Case("short", DType::I16)
      .Case("ushort", DType::U16)
      .Case("longlong", DType::I64)
      .Case("ulonglong", DType::U64)
      .Default(std::nullopt);
}

std::optional<DType> gate::elementType(QualType T, const ASTContext &Ctx) {
  T = T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (T->isDependentType() || T->isVoidType())
    return std::nullopt;
  if (T->isBooleanType())
    return DType::Bool;
  if (T->isHalfType() || T->isFloat16Type())
    return DType::F16;
  if (T->isBFloat16Type())
    return DType::BF16;
  if (T->isRealFloatingType())
    return Ctx.getTypeSize(T) == 32 ? std::optional(DType::F32) : Ctx.getTypeSize(T) == 64 ? std::optional(DType::F64) : std::nullopt;
  if (T->isIntegerType())
    return integerType(unsigned(Ctx.getTypeSize(T)), T->isSignedIntegerOrEnumerationType());
  if (const auto *R = T->getAsCXXRecordDecl(); R && R->getIdentifier())
    return namedType(R->getName());
  return std::nullopt;
}

static bool isStream(QualType T) {
  std::string Name = T.getAsString();
  return Name.find("cudaStream_t") != std::string::npos || Name.find("CUstream") != std::string::npos;
}

ops::Param gate::describeParam(const ParmVarDecl *P, const ASTContext &Ctx) {
  QualType T = P->getType().getNonReferenceType();
  ops::Param R;
  R.Name = P->getNameAsString();
  R.Spelling = T.getAsString(PrintingPolicy(Ctx.getLangOpts()));
  R.Stream = isStream(T);
  if (R.Stream)
    return R;
  R.Pointer = T->isPointerType();
  QualType E = R.Pointer ? T->getPointeeType() : T;
  R.Const = R.Pointer && E.isConstQualified();
  R.Type = elementType(E, Ctx);
  return R;
}

std::string gate::nameExpression(const FunctionDecl *F) {
  std::string S;
  llvm::raw_string_ostream OS(S);
  PrintingPolicy Policy(F->getASTContext().getLangOpts());
  Policy.SuppressUnwrittenScope = true; // anonymous namespaces cannot be named
  F->getNameForDiagnostic(OS, Policy, /*Qualified=*/true);
  return S;
}
