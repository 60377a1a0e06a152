//===- MeasureJson.h - JSON of Measure.h, for Job.cpp and Result.cpp ----------===//
#ifndef KCHECK_PROTOCOL_MEASUREJSON_H
#define KCHECK_PROTOCOL_MEASUREJSON_H

#include "runner/protocol/JsonRead.h"
#include "runner/protocol/Measure.h"

namespace kcheck::protocol {

nlohmann::json writeMeasure(const ReferenceRequest &R);
nlohmann::json writeMeasure(const KernelFacts &K);
nlohmann::json writeMeasure(const Judgement &G);
nlohmann::json writeMeasure(const PerfResult &P);
nlohmann::json writeMeasure(const CounterResult &C);

ReferenceRequest readReference(const nlohmann::json &J, const std::string &Path);
KernelFacts readKernelFacts(const nlohmann::json &J, const std::string &Path);
Judgement readJudgement(const nlohmann::json &J, const std::string &Path);
PerfResult readPerf(const nlohmann::json &J, const std::string &Path);
CounterResult readCounters(const nlohmann::json &J, const std::string &Path);

} // namespace kcheck::protocol
#endif
