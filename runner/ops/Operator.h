//===- Operator.h - what an operator is, and the list of all of them ------------===//
//
//   Operator: arguments in the customary launcher order ─► Match.h ─► arguments of a candidate's launcher
//             shapes and distributions to try           ─► Samples.h
//             fp64 reference (Call)                      ─► Compare.h
//             baseline kernel                            ─► Baselines.h
//
// To add an operator: one unit in operators/ that ends in a static Registration, its baseline in baselines/,
// its line in docs/numerics.md. CMake finds both by a glob; the unit tests run over all of them.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_OPS_OPERATOR_H
#define KCHECK_OPS_OPERATOR_H

#include "runner/ops/Element.h"
#include "runner/ops/Expr.h"
#include "runner/protocol/Job.h"
#include <functional>

namespace kcheck::ops {

enum class TypeClass { Float, Integer, Any };

/// Which values an input may take, when the distribution under test does not fit.
enum class Domain {
  Any,
  Positive, ///< in [0.5, 1.5)
  Angle,    ///< in [-1, 1): cosines and sines
  Index,    ///< integers in [0, Bound)
  Zero      ///< starts as zero: counters, accumulators
};

/// An argument as launchers of this operator have it.
struct Arg {
  enum class Kind { Buffer, Dim, Attr } What = Kind::Buffer;
  std::string Name;
  std::vector<std::string> Aliases; ///< other names that launchers use
  protocol::Role How = protocol::Role::In;
  TypeClass Types = TypeClass::Float;
  std::vector<std::string> Shape; ///< expressions over the dims
  DType Usual = DType::F32;       ///< when neither launcher nor task says
  Domain Values = Domain::Any;
  std::string Bound;    ///< Index: the first value that is out of range, an expression
  double Default = 0;   ///< Attr: the value used
  std::vector<double> Absent; ///< Attr: values that a launcher without this parameter may have in its code; empty: Default
  bool Optional = false; ///< launchers may lack it

  Arg &&alias(std::vector<std::string> Names) && { Aliases = std::move(Names); return std::move(*this); }
  Arg &&usual(DType T) && { Usual = T; return std::move(*this); }
  Arg &&domain(Domain D) && { Values = D; return std::move(*this); }
  Arg &&below(std::string B) && { Values = Domain::Index; Bound = std::move(B); Types = TypeClass::Integer; Usual = DType::I32; return std::move(*this); }
  Arg &&absent(std::vector<double> V) && { Absent = std::move(V); return std::move(*this); }
  Arg &&optional() && { Optional = true; return std::move(*this); }
};
Arg in(std::string Name, std::string Shape, TypeClass Types = TypeClass::Float);
Arg out(std::string Name, std::string Shape, TypeClass Types = TypeClass::Float);
Arg inout(std::string Name, std::string Shape, TypeClass Types = TypeClass::Float);
Arg dim(std::string Name, std::vector<std::string> Aliases = {});
Arg attr(std::string Name, double Default, std::vector<std::string> Aliases = {});

/// A distribution with its parameters, for all inputs that have no domain of their own.
struct Draw {
  std::string Distribution;
  double A = 0, B = 1;
};
/// normal, uniform, constant, one_hot, zero.
std::vector<Draw> smoothDraws();
/// smoothDraws and denormal, extreme, infinities and (Nan) NaN: for operators without sums.
std::vector<Draw> allDraws(bool Nan = true);

/// A buffer's values in fp64, and for outputs what the tolerance needs.
struct Value {
  std::vector<double> Data;
  DType Type = DType::F32;
  std::vector<int64_t> Shape;
  double Length = 1;         ///< L: how many terms are accumulated into an element
  std::vector<double> Terms; ///< S: sum of |terms| an element; empty: |value|
};

/// One evaluation of a reference: inputs by the operator's names, outputs to be filled.
class Call {
public:
  std::map<std::string, Value> In, Out;
  Dims Sizes;
  std::map<std::string, double> Attrs;
  std::string Variant; ///< one of Operator::Variants

  bool has(const std::string &Name) const { return In.count(Name) != 0; }
  const double *in(const std::string &Name) const { return In.at(Name).Data.data(); }
  double *out(const std::string &Name) { return Out.at(Name).Data.data(); }
  int64_t dim(const std::string &Name) const { return Sizes.at(Name); }
  double attr(const std::string &Name) const { return Attrs.at(Name); }
  int64_t size(const std::string &Name) const;
  /// Room for S of an output; sets its L.
  double *terms(const std::string &Name, double Length);
};

struct Operator {
  std::string Name;
  std::string Summary; ///< the formula, for people
  std::vector<Arg> Args;
  void (*Reference)(Call &) = nullptr;
  std::vector<Dims> Shapes;      ///< usual sizes, small enough for the simulator; the first is the default
  std::vector<Draw> Draws = smoothDraws();
  std::vector<std::string> Variants = {}; ///< equally right definitions (gelu: erf or tanh); the first is the default
  std::vector<std::string> Else = {};     ///< operators of other arguments that go by this name too
  Dims PerfShape = {};
  Dims Steps = {}; ///< a dim that must be a multiple: {"dim", 2}
  Dims Least = {}; ///< a dim's least value, default 0
  /// Decides an element that tolerance alone cannot (argmax with ties, rounding at .5).
  bool (*Accept)(const Call &, const std::string &Output, int64_t Index, double Got) = nullptr;

  const Arg *find(std::string_view Name) const;
  /// Dims in the order in which launchers take them.
  std::vector<std::string> dims() const;
  /// Whether every buffer has a size at these dims (conv: the window fits).
  bool fits(const Dims &D) const;
};

/// All operators by name; null when unknown.
const Operator *findOperator(std::string_view Name);
std::vector<const Operator *> allOperators();

struct Registration {
  Registration(Operator O);
};

/// Sizes outputs, runs the reference, rounds nothing.
void evaluateReference(const Operator &O, Call &C, const std::map<std::string, DType> &OutputTypes);

} // namespace kcheck::ops
#endif
