//===- Match.h - which parameter of a launcher is which argument of an operator --===//
//
// By name first (the operator's own, then its aliases, then what inputs and outputs are commonly called), by type always
// (element class, const), by order for what is left. What fits nothing is said by its name.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_OPS_MATCH_H
#define KCHECK_OPS_MATCH_H

#include "runner/ops/Operator.h"

namespace kcheck::ops {

/// A parameter of a launcher, as its declaration says.
struct Param {
  std::string Name;
  bool Pointer = false, Const = false; ///< Const: points to const
  bool Stream = false;                 ///< cudaStream_t
  std::optional<DType> Type;           ///< element or scalar type; empty: none of ours (void*, a struct)
  std::string Spelling;                ///< the type in the source, for messages
};

struct BoundParam {
  enum class Kind { Buffer, Dim, Attr, Stream } What = Kind::Buffer;
  std::string Arg;   ///< the operator's argument, for Dim the free dim's name
  DType Type = DType::F32;
};

struct Binding {
  const Operator *Op = nullptr;
  std::vector<BoundParam> Params;      ///< one each parameter, in order
  std::vector<std::string> Free;       ///< dims that the caller chooses
  std::map<std::string, std::string> DimOf; ///< operator's dim -> expression over Free
  std::vector<std::string> Unbound;    ///< attributes that the launcher lacks

  /// The operator's dims at these free dims.
  Dims operatorDims(const Dims &Chosen) const;
  const BoundParam *find(std::string_view Arg) const;
  /// Element type of a buffer argument.
  DType typeOf(const Arg &A) const;
};

/// The binding, or nothing and what does not fit, one line each. Tries Operator::Else too.
std::optional<Binding> match(const Operator &O, const std::vector<Param> &Params, std::vector<std::string> &Problems);

} // namespace kcheck::ops
#endif
