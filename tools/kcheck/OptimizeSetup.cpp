#include "tools/kcheck/OptimizeSetup.h"
#include "runner/ops/Operator.h"
#include "tools/kcheck/Command.h"
#include "llvm/ADT/SmallVector.h"

using namespace kcheck;

llvm::Expected<gate::Task> cli::searchTask(const std::string &File, const std::string &Op) {
  if (!Op.empty()) {
    if (ops::findOperator(Op))
      return gate::taskForOperator(Op);
    std::vector<std::string> Names;
    for (const ops::Operator *X : ops::allOperators())
      Names.push_back(X->Name);
    return llvm::createStringError("unknown operator '" + Op + "'" + cli::didYouMean(Op, Names));
  }
  std::vector<gate::TaskError> Errors;
  if (auto T = gate::loadTask(File, Errors))
    return std::move(*T);
  std::string All;
  for (const gate::TaskError &E : Errors)
    All += (All.empty() ? "" : "\n") + gate::toString(E, File);
  return llvm::createStringError(All);
}

std::vector<std::string> cli::wordsOf(llvm::StringRef List) {
  llvm::SmallVector<llvm::StringRef> Parts;
  List.split(Parts, ',', -1, false);
  std::vector<std::string> Out;
  for (llvm::StringRef P : Parts)
    Out.push_back(P.trim().str());
  return Out;
}
