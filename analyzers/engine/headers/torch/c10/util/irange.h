#pragma once
#include "kcheck_torch.h"
namespace c10 {
template <class I> struct integer_range {
  struct iterator { I v; constexpr I operator*() const { return v; } constexpr iterator &operator++() { ++v; return *this; } constexpr bool operator!=(iterator o) const { return v != o.v; } };
  I b, e;
  constexpr iterator begin() const { return {b}; }
  constexpr iterator end() const { return {e}; }
};
template <class I> constexpr integer_range<I> irange(I end) { return {I(), end}; }
template <class I, class J> constexpr integer_range<J> irange(I begin, J end) { return {static_cast<J>(begin), end}; }
} // namespace c10
