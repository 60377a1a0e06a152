//===- DispatchMacros.h - macros of absent headers that choose a type ----------===//
//
//   #include "dispatch.h"                                          // not there
//   OUR_DISPATCH(x.scalar_type(), "scale", [&] { scaleKernel<scalar_t><<<grid, 256>>>(...); });
//
// The launch is in the file all the same. Where a call of an unknown name, which cannot be read, ends in a lambda or in
// statements, it is read as if the macro ran them once, with the type names that nobody declares as float. A reading that
// leaves no fewer errors is dropped.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_DISPATCHMACROS_H
#define KCHECK_ENGINE_DRIVER_DISPATCHMACROS_H

#include "analyzers/engine/TranslationUnit.h"
#include <map>
#include <set>

namespace kcheck {

class DispatchMacros {
public:
  /// Takes in what a parse of Text with definitions() complained about. True: it is to be read again, with definitions() as they
  /// are now; false: this parse is the one to use.
  bool readAgain(llvm::StringRef Text, llvm::ArrayRef<ParseDiagnostic> Messages, const clang::TranslationUnitDecl &Unit, clang::Preprocessor &PP);
  /// Macro definitions as a command line gives them.
  std::vector<std::string> definitions() const;

private:
  struct Macro {
    unsigned Leading = 0; ///< arguments before what it runs
    bool Lambda = false;  ///< else statements
    std::set<std::string> Types;
    bool Usable = true;   ///< all calls look alike
  };
  /// Lines and columns from a name to its closing parenthesis.
  struct Call {
    std::string Name;
    std::pair<unsigned, unsigned> First, Last;
  };
  void find(llvm::StringRef Text, llvm::ArrayRef<ParseDiagnostic> Messages, const clang::TranslationUnitDecl &Unit, clang::Preprocessor &PP);

  std::map<std::string, Macro> Macros;
  std::vector<Call> Calls;
  unsigned Parses = 0;
  size_t ErrorsBefore = 0;
};

} // namespace kcheck
#endif
