//===- HtmlParts.h - parts of the HTML report that have a unit of their own ------===//
#ifndef KCHECK_ENGINE_OUTPUT_HTMLPARTS_H
#define KCHECK_ENGINE_OUTPUT_HTMLPARTS_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace kcheck {

/// Times and roofline, from the report's "perf".
void writePerfHtml(llvm::raw_ostream &OS, const llvm::json::Object &Perf);
/// What bounds each kernel, from the report's "counters".
void writeCountersHtml(llvm::raw_ostream &OS, const llvm::json::Object &Counters);

} // namespace kcheck
#endif
