#include "runner/protocol/Types.h"
#include <array>

using namespace kcheck;
using namespace kcheck::protocol;

namespace {
struct Entry {
  DType Type;
  std::string_view Name;
  size_t Size;
};
constexpr Entry Table[] = {
    {DType::F64, "f64", 8}, {DType::F32, "f32", 4}, {DType::F16, "f16", 2}, {DType::BF16, "bf16", 2},
    {DType::I64, "i64", 8}, {DType::I32, "i32", 4}, {DType::I16, "i16", 2}, {DType::I8, "i8", 1},
    {DType::U64, "u64", 8}, {DType::U32, "u32", 4}, {DType::U16, "u16", 2}, {DType::U8, "u8", 1},
    {DType::Bool, "bool", 1}, {DType::Bytes, "bytes", 1}};
constexpr std::string_view Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
} // namespace

size_t protocol::sizeOf(DType Type) { return Table[size_t(Type)].Size; }
std::string_view protocol::toString(DType Type) { return Table[size_t(Type)].Name; }
bool protocol::isFloat(DType Type) { return Type <= DType::BF16; }

std::optional<DType> protocol::parseDType(std::string_view Text) {
  for (const Entry &E : Table)
    if (E.Name == Text)
      return E.Type;
  return std::nullopt;
}

std::string protocol::encodeBase64(const Bytes &Data) {
  std::string Out;
  Out.reserve((Data.size() + 2) / 3 * 4);
  for (size_t I = 0; I < Data.size(); I += 3) {
    size_t Left = Data.size() - I;
    uint32_t V = uint32_t(Data[I]) << 16 | (Left > 1 ? uint32_t(Data[I + 1]) << 8 : 0) | (Left > 2 ? Data[I + 2] : 0);
    Out += Alphabet[V >> 18];
    Out += Alphabet[V >> 12 & 63];
    Out += Left > 1 ? Alphabet[V >> 6 & 63] : '=';
    Out += Left > 2 ? Alphabet[V & 63] : '=';
  }
  return Out;
}

std::optional<Bytes> protocol::decodeBase64(std::string_view Text) {
  static const std::array<int8_t, 256> Values = [] {
    std::array<int8_t, 256> V;
    V.fill(-1);
    for (size_t I = 0; I < Alphabet.size(); ++I)
      V[uint8_t(Alphabet[I])] = int8_t(I);
    return V;
  }();
  if (Text.size() % 4)
    return std::nullopt;
  Bytes Out;
  Out.reserve(Text.size() / 4 * 3);
  for (size_t I = 0; I < Text.size(); I += 4) {
    bool Last = I + 4 == Text.size();
    int Pad = Last ? (Text[I + 3] == '=') + (Text[I + 2] == '=') : 0;
    uint32_t V = 0;
    for (int K = 0; K < 4; ++K) {
      int8_t D = K >= 4 - Pad ? 0 : Values[uint8_t(Text[I + K])];
      if (D < 0)
        return std::nullopt;
      V = V << 6 | uint32_t(D);
    }
    Out.push_back(uint8_t(V >> 16));
    if (Pad < 2)
      Out.push_back(uint8_t(V >> 8));
    if (Pad < 1)
      Out.push_back(uint8_t(V));
  }
  return Out;
}
