#include "runner/ops/Element.h"
#include "runner/ops/Parallel.h"
#include <cmath>
#include <cstring>

using namespace kcheck;
using namespace kcheck::ops;

namespace {

template <typename T> T read(const uint8_t *At) {
  T V;
  std::memcpy(&V, At, sizeof(T));
  return V;
}
template <typename T> void write(uint8_t *At, T V) { std::memcpy(At, &V, sizeof(T)); }

double fromBfloat(uint16_t Bits) {
  uint32_t Wide = uint32_t(Bits) << 16;
  float F;
  std::memcpy(&F, &Wide, 4);
  return F;
}

/// Nearest even, straight from fp64: a detour over fp32 would round twice.
uint16_t toBfloat(double V) {
  if (std::isnan(V))
    return 0x7FC0;
  float F = float(V);
  uint32_t Bits;
  std::memcpy(&Bits, &F, 4);
  uint32_t Low = Bits & 0xFFFF;
  uint16_t High = uint16_t(Bits >> 16);
  bool Up = Low > 0x8000 || (Low == 0x8000 && (High & 1));
  if (Low == 0x8000 && double(F) != V && std::isfinite(F))
    Up = std::fabs(V) > std::fabs(double(F)); // fp32 made a tie that is none
  return uint16_t(High + Up);
}

/// A float to an integer type: NaN is 0, the rest saturates, as the device converts.
template <typename T> T toInteger(double V) {
  if (std::isnan(V))
    return 0;
  constexpr double Low = double(std::numeric_limits<T>::min());
  constexpr double High = double(std::numeric_limits<T>::max());
  if (V <= Low)
    return std::numeric_limits<T>::min();
  if (V >= High)
    return std::numeric_limits<T>::max();
  return T(V);
}

/// Calls F with the type that Type stands for, so that loops over elements choose once.
template <typename Fn> auto dispatch(DType Type, Fn F) {
  switch (Type) {
  case DType::F64: return F(double());
  case DType::F32: return F(float());
  case DType::F16: return F(_Float16());
  case DType::I64: return F(int64_t());
  case DType::I32: return F(int32_t());
  case DType::I16: return F(int16_t());
  case DType::I8: return F(int8_t());
  case DType::U64: return F(uint64_t());
  case DType::U32: return F(uint32_t());
  case DType::U16: return F(uint16_t());
  default: return F(uint8_t());
  }
}

template <typename T> double widen(const uint8_t *At) { return double(read<T>(At)); }
template <typename T> void narrow(double V, uint8_t *At) {
  if constexpr (std::is_integral_v<T>)
    write<T>(At, toInteger<T>(V));
  else
    write<T>(At, T(V));
}

} // namespace

double ops::loadElement(DType Type, const uint8_t *At) {
  if (Type == DType::BF16)
    return fromBfloat(read<uint16_t>(At));
  if (Type == DType::Bool)
    return *At != 0;
  return dispatch(Type, [&](auto Zero) { return widen<decltype(Zero)>(At); });
}

void ops::storeElement(DType Type, double Value, uint8_t *At) {
  if (Type == DType::BF16)
    return write(At, toBfloat(Value));
  if (Type == DType::Bool)
    return write<uint8_t>(At, Value != 0);
  dispatch(Type, [&](auto Zero) { narrow<decltype(Zero)>(Value, At); });
}

void ops::storeElements(DType Type, const double *Values, size_t Count, uint8_t *To) {
  if (Type == DType::BF16 || Type == DType::Bool) {
    for (size_t I = 0; I < Count; ++I)
      storeElement(Type, Values[I], To + I * protocol::sizeOf(Type));
    return;
  }
  dispatch(Type, [&](auto Zero) {
    using T = decltype(Zero);
    for (size_t I = 0; I < Count; ++I)
      narrow<T>(Values[I], To + I * sizeof(T));
  });
}

std::vector<double> ops::toDoubles(DType Type, const uint8_t *Data, size_t Count) {
  std::vector<double> Out(Count);
  size_t Size = protocol::sizeOf(Type);
  parallelFor(int64_t(Count), 1 << 16, [&](int64_t B, int64_t E) {
    if (Type == DType::BF16 || Type == DType::Bool) {
      for (int64_t I = B; I < E; ++I)
        Out[I] = loadElement(Type, Data + I * Size);
      return;
    }
    dispatch(Type, [&](auto Zero) {
      using T = decltype(Zero);
      for (int64_t I = B; I < E; ++I)
        Out[I] = widen<T>(Data + I * sizeof(T));
    });
  });
  return Out;
}

std::vector<double> ops::toDoubles(DType Type, const Bytes &Data) {
  return toDoubles(Type, Data.data(), Data.size() / protocol::sizeOf(Type));
}

Bytes ops::fromDoubles(DType Type, const std::vector<double> &Values) {
  size_t Size = protocol::sizeOf(Type);
  Bytes Out(Values.size() * Size);
  parallelFor(int64_t(Values.size()), 1 << 16, [&](int64_t B, int64_t E) { storeElements(Type, Values.data() + B, size_t(E - B), Out.data() + B * int64_t(Size)); });
  return Out;
}

double ops::roundTo(DType Type, double Value) {
  uint8_t Cell[8];
  storeElement(Type, Value, Cell);
  return loadElement(Type, Cell);
}

double ops::unitRoundoff(DType Type) {
  switch (Type) {
  case DType::F64: return 0x1p-53;
  case DType::F32: return 0x1p-24;
  case DType::F16: return 0x1p-11;
  case DType::BF16: return 0x1p-8;
  default: return 0;
  }
}
