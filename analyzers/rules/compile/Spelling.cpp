#include "analyzers/rules/compile/Spelling.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <vector>

using namespace kcheck;

std::string compile::plainName(llvm::StringRef Name) {
  std::string Out;
  for (char C : Name)
    if (C != '_')
      Out += llvm::toLower(C);
  return Out;
}

unsigned compile::nameDistance(llvm::StringRef A, llvm::StringRef B, unsigned Max) {
  std::string PA = plainName(A), PB = plainName(B);
  size_t N = PA.size(), M = PB.size();
  if ((N > M ? N - M : M - N) > Max)
    return Max + 1;
  // Two swapped neighbours (__devcie__) count as one slip.
  std::vector<unsigned> Before(M + 1), Last(M + 1), Row(M + 1);
  for (size_t J = 0; J <= M; ++J)
    Last[J] = J;
  for (size_t I = 1; I <= N; ++I) {
    Row[0] = I;
    for (size_t J = 1; J <= M; ++J) {
      Row[J] = std::min({Last[J] + 1, Row[J - 1] + 1, Last[J - 1] + (PA[I - 1] != PB[J - 1])});
      if (I > 1 && J > 1 && PA[I - 1] == PB[J - 2] && PA[I - 2] == PB[J - 1])
        Row[J] = std::min(Row[J], Before[J - 2] + 1);
    }
    std::swap(Before, Last);
    std::swap(Last, Row);
  }
  return std::min(Last[M], Max + 1);
}

/// Characters in the longest common run, and then in the parts left and right of it.
static size_t commonRuns(llvm::StringRef A, llvm::StringRef B) {
  size_t Best = 0, AtA = 0, AtB = 0;
  for (size_t I = 0; I < A.size(); ++I)
    for (size_t J = 0; J < B.size(); ++J) {
      size_t N = 0;
      while (I + N < A.size() && J + N < B.size() && A[I + N] == B[J + N])
        ++N;
      if (N > Best)
        Best = N, AtA = I, AtB = J;
    }
  if (Best < 4)
    return 0;
  return Best + commonRuns(A.take_front(AtA), B.take_front(AtB)) +
         commonRuns(A.drop_front(AtA + Best), B.drop_front(AtB + Best));
}

double compile::nameLikeness(llvm::StringRef A, llvm::StringRef B) {
  std::string PA = plainName(A), PB = plainName(B);
  if (PA.empty() || PB.empty())
    return 0;
  return 2.0 * commonRuns(PA, PB) / (PA.size() + PB.size());
}

unsigned compile::allowedDistance(llvm::StringRef Name) {
  size_t N = plainName(Name).size();
  return N < 4 ? 0 : N < 8 ? 1 : N < 14 ? 2 : 3;
}
