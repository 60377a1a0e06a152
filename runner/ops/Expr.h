//===- Expr.h - dimensions as small integer expressions ------------------------===//
#ifndef KCHECK_OPS_EXPR_H
#define KCHECK_OPS_EXPR_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kcheck::ops {

/// Dimensions by name: {"m": 64, "n": 128}.
using Dims = std::map<std::string, int64_t>;

/// Value of an expression over dims: numbers, names, + - * / % and parentheses, "(n+3)/4*4". Nothing, and a
/// reason in Error, when it is malformed, names an unknown dim, divides by zero or overflows.
std::optional<int64_t> evaluate(std::string_view Text, const Dims &Values, std::string *Error = nullptr);

/// The dims that Text names, in order of appearance.
std::vector<std::string> namesIn(std::string_view Text);

/// "a, b*2, n-1" at its top-level commas, without spaces.
std::vector<std::string> splitShape(std::string_view Text);

/// "n=257, k=3".
std::string toString(const Dims &Values);

} // namespace kcheck::ops
#endif
