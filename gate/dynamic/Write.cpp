#include "gate/dynamic/Write.h"
#include <cmath>

using namespace kcheck;
using namespace kcheck::gate;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

std::string gate::number(double V) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.3g", V);
  return Text;
}

std::string gate::milliseconds(double V) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.1f ms", V);
  return Text;
}

/// JSON has neither NaN nor infinity.
static Value real(double V) {
  if (std::isfinite(V))
    return V;
  return std::isnan(V) ? Value("nan") : Value(V > 0 ? "inf" : "-inf");
}

Finding gate::findingOf(const protocol::Finding &F, Severity Level, Certainty Sure, const std::string &At, const std::string &File,
                        const std::string &Own) {
  auto place = [&](const protocol::SourcePlace &P) { return Location{P.File.empty() || P.File == Own ? File : P.File, P.Line, P.Column}; };
  Finding X;
  X.Rule = "kcheck-dynamic";
  X.Tag = F.Tag;
  X.Cmpd = "D";
  X.Level = Level;
  X.Sure = Sure;
  X.Where = place(F.Where);
  X.Message = F.Message + (At.empty() ? "" : " [at " + At + "]");
  X.Kernel = F.Kernel;
  if (F.Other.Line)
    X.Notes.push_back({place(F.Other), F.OtherMessage.empty() ? "the other access" : F.OtherMessage});
  Array Threads;
  for (const protocol::ThreadId &T : F.Threads)
    Threads.push_back(Object{{"block", T.Block}, {"thread", T.Thread}});
  X.Evidence = Object{{"case", At}, {"count", int64_t(F.Count)}, {"threads", std::move(Threads)}};
  if (!F.Buffer.empty()) {
    X.Evidence["buffer"] = F.Buffer;
    X.Evidence["index"] = F.Index;
    X.Evidence["size"] = int64_t(F.Size);
  }
  return X;
}

static Object summaryJson(const ops::Summary &S) {
  Array H;
  for (int64_t N : S.Histogram)
    H.push_back(N);
  return Object{{"count", S.Count}, {"nan", S.Nan}, {"inf", S.Inf}, {"zero", S.Zero}, {"min", real(S.Min)}, {"max", real(S.Max)},
          {"mean", real(S.Mean)}, {"deviation", real(S.Deviation)}, {"low", real(S.Low)}, {"high", real(S.High)}, {"histogram", std::move(H)}};
}

static Object outputJson(const OutputVerdict &O) {
  const ops::Comparison &C = O.Result;
  Array First, Errors;
  for (const ops::Mismatch &M : C.First) {
    Array Index;
    for (int64_t I : M.Index)
      Index.push_back(I);
    First.push_back(Object{{"index", std::move(Index)}, {"got", real(M.Got)}, {"want", real(M.Want)}, {"allowed", real(M.Allowed)}});
  }
  for (int64_t N : C.ErrorHistogram)
    Errors.push_back(N);
  return Object{{"name", O.Name}, {"dtype", std::string(protocol::toString(O.Type))}, {"elements", C.Elements}, {"wrong", C.Wrong}, {"unwritten", C.Unwritten},
          {"nan_wrong", C.NanWrong}, {"max_abs_error", real(C.MaxAbs)}, {"max_rel_error", real(C.MaxRel)}, {"worst_of_allowed", real(C.Worst)},
          {"pattern", C.Pattern}, {"first", std::move(First)}, {"error_histogram", std::move(Errors)}, {"shift", C.Shift},
          {"got", summaryJson(C.Got)}, {"want", summaryJson(C.Want)}};
}

Object gate::caseJson(const CaseVerdict &V, const std::string &Alternative) {
  Object Shape;
  for (const auto &[Name, N] : V.Case.Sizes)
    Shape[Name] = N;
  Array Outputs;
  for (const OutputVerdict &O : V.Outputs)
    Outputs.push_back(outputJson(O));
  Object J{{"shape", std::move(Shape)}, {"distribution", V.Case.Inputs.Distribution}, {"state", V.pass() ? "pass" : "fail"}, {"outputs", std::move(Outputs)}};
  if (!V.pass()) {
    J["tag"] = V.Tag;
    J["message"] = V.Message;
  }
  if (!Alternative.empty())
    J["definition"] = Alternative;
  return J;
}

Array gate::compileJson(const std::vector<protocol::CompileMessage> &All) {
  Array A;
  for (const protocol::CompileMessage &M : All)
    A.push_back(Object{{"line", M.Where.Line}, {"column", M.Where.Column}, {"level", M.Level}, {"message", M.Message}});
  return A;
}
