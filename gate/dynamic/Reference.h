//===- Reference.h - the right answer of a case --------------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_REFERENCE_H
#define KCHECK_GATE_DYNAMIC_REFERENCE_H

#include "gate/dynamic/Bind.h"
#include "runner/ops/Compare.h"

namespace kcheck::gate {

/// The bytes of a case's inputs, by parameter name.
using Inputs = std::map<std::string, protocol::Bytes>;

/// Right outputs of a case by parameter name; several when a definition leaves a choice. Error: why there is none.
class Reference {
public:
  virtual ~Reference() = default;
  /// How many equally right definitions there are.
  virtual size_t alternatives() const { return 1; }
  virtual std::string nameOf(size_t Alternative) const { return ""; }
  /// The variant and the attributes that an alternative stands for.
  virtual void choose(size_t Alternative, protocol::ReferenceRequest &R) const {}
  virtual std::optional<std::map<std::string, ops::Value>> outputs(const ops::Case &C, const Inputs &In, size_t Alternative, std::string &Error) = 0;
  /// Elements that the operator itself decides, after outputs() of that alternative.
  virtual bool accepts(const std::string &Output, int64_t Index, double Got) { return false; }
  /// True when it answers for its own inputs only.
  virtual bool stored() const { return false; }
  /// Inputs that the reference brings along instead of generated ones.
  virtual std::optional<protocol::Bytes> storedInput(const std::string &Name) { return std::nullopt; }
};

std::unique_ptr<Reference> operatorReference(const Bound &B);
/// A C++ function in a file: compiled once, run in a sandboxed process of its own.
std::unique_ptr<Reference> cppReference(const Bound &B, const std::string &File, double Seconds, std::string &Error);
/// Outputs (and inputs) stored in an .npz or .npy file.
std::unique_ptr<Reference> storedReference(const Bound &B, const std::string &File, std::string &Error);

} // namespace kcheck::gate
#endif
