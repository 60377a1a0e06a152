#include "tools/clang-tidy-plugin/Adapter.h"

namespace {

class KcheckModule : public clang::tidy::ClangTidyModule {
public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories &Factories) override {
    kcheck::addTidyChecks(Factories);
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<KcheckModule>
    RegisterModule("kcheck-module", "adds kcheck's rules for CUDA kernels");

} // namespace
