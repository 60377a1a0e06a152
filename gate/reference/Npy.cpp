#include "gate/reference/Npy.h"
#include <cstring>
#include <fstream>
#include <zlib.h>

using namespace kcheck;
using namespace kcheck::gate;
using protocol::Bytes;
using protocol::DType;

namespace {

constexpr uint64_t MostBytes = uint64_t(4) << 30;

uint32_t little(const uint8_t *P, int N) {
  uint32_t V = 0;
  for (int I = 0; I < N; ++I)
    V |= uint32_t(P[I]) << (8 * I);
  return V;
}

/// The value of a key in the header's Python dictionary, raw: 'descr': '<f4' gives <f4.
std::string field(const std::string &Header, const std::string &Key) {
  size_t At = Header.find("'" + Key + "'");
  if (At == std::string::npos || (At = Header.find(':', At)) == std::string::npos)
    return "";
  At = Header.find_first_not_of(' ', At + 1);
  if (At == std::string::npos)
    return "";
  char Close = Header[At] == '\'' ? '\'' : Header[At] == '(' ? ')' : ',';
  size_t Begin = Close == ',' ? At : At + 1, End = Header.find(Close, Begin);
  return End == std::string::npos ? "" : Header.substr(Begin, End - Begin);
}

std::optional<DType> typeOf(const std::string &Descr) {
  static const std::map<std::string, DType> Known = {
      {"<f8", DType::F64}, {"<f4", DType::F32}, {"<f2", DType::F16}, {"<i8", DType::I64}, {"<i4", DType::I32}, {"<i2", DType::I16}, {"|i1", DType::I8},
      {"<u8", DType::U64}, {"<u4", DType::U32}, {"<u2", DType::U16}, {"|u1", DType::U8}, {"|b1", DType::Bool}};
  auto It = Known.find(Descr);
  return It == Known.end() ? std::nullopt : std::optional(It->second);
}

bool parseShape(const std::string &Text, std::vector<int64_t> &Shape, uint64_t &Count) {
  Count = 1;
  for (size_t I = 0; I < Text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(Text[I]))) {
      ++I;
      continue;
    }
    uint64_t V = 0;
    for (; I < Text.size() && std::isdigit(static_cast<unsigned char>(Text[I])); ++I)
      if ((V = V * 10 + uint64_t(Text[I] - '0')) > MostBytes)
        return false;
    Shape.push_back(int64_t(V));
    if (__builtin_mul_overflow(Count, V, &Count) || Count > MostBytes)
      return false;
  }
  return true;
}

std::optional<Bytes> inflateRaw(const uint8_t *Data, size_t Size, uint64_t Full) {
  if (Full > MostBytes)
    return std::nullopt;
  Bytes Out(Full);
  z_stream Z{};
  if (inflateInit2(&Z, -MAX_WBITS) != Z_OK)
    return std::nullopt;
  Z.next_in = const_cast<uint8_t *>(Data);
  Z.avail_in = uInt(Size);
  Z.next_out = Out.data();
  Z.avail_out = uInt(Full);
  int R = inflate(&Z, Z_FINISH);
  inflateEnd(&Z);
  return R == Z_STREAM_END && Z.total_out == Full ? std::optional(std::move(Out)) : std::nullopt;
}

std::optional<std::map<std::string, StoredArray>> readZip(const Bytes &F, std::string &Error) {
  // The directory stands at the end: find its record, walk its entries.
  auto bad = [&](const char *Why) {
    Error = Why;
    return std::nullopt;
  };
  size_t End = std::string::npos;
  for (size_t I = F.size() >= 22 ? F.size() - 22 + 1 : 0; I-- > 0 && F.size() - I < 66000;)
    if (little(&F[I], 4) == 0x06054b50) {
      End = I;
      break;
    }
  if (End == std::string::npos)
    return bad("no .npz: the end of the ZIP directory is missing");
  std::map<std::string, StoredArray> Arrays;
  size_t At = little(&F[End + 16], 4);
  for (uint32_t Left = little(&F[End + 10], 2); Left > 0; --Left) {
    if (At + 46 > F.size() || little(&F[At], 4) != 0x02014b50)
      return bad("the ZIP directory is damaged");
    uint32_t Method = little(&F[At + 10], 2), Packed = little(&F[At + 20], 4), Full = little(&F[At + 24], 4), NameLength = little(&F[At + 28], 2);
    uint64_t Local = little(&F[At + 42], 4);
    if (At + 46 + NameLength > F.size() || Local + 30 > F.size())
      return bad("the ZIP directory is damaged");
    std::string Name(reinterpret_cast<const char *>(&F[At + 46]), NameLength);
    uint64_t Begin = Local + 30 + little(&F[Local + 26], 2) + little(&F[Local + 28], 2);
    if (Packed == 0xFFFFFFFF || Full == 0xFFFFFFFF)
      return bad("arrays above 4 GiB are not read");
    if (Begin + Packed > F.size())
      return bad("the ZIP file is cut off");
    std::optional<Bytes> Data;
    if (Method == 0)
      Data = Bytes(F.begin() + Begin, F.begin() + Begin + Packed);
    else if (Method == 8)
      Data = inflateRaw(&F[Begin], Packed, Full);
    if (!Data)
      return bad("an array cannot be unpacked");
    auto A = parseNpy(Data->data(), Data->size(), Error);
    if (!A)
      return std::nullopt;
    if (Name.ends_with(".npy"))
      Name.resize(Name.size() - 4);
    Arrays[Name] = std::move(*A);
    At += 46 + NameLength + little(&F[At + 30], 2) + little(&F[At + 32], 2);
  }
  return Arrays;
}

} // namespace

std::optional<StoredArray> gate::parseNpy(const uint8_t *Data, size_t Size, std::string &Error) {
  auto bad = [&](std::string Why) {
    Error = std::move(Why);
    return std::nullopt;
  };
  if (Size < 12 || std::memcmp(Data, "\x93NUMPY", 6) != 0)
    return bad("no NumPy array: the magic number is missing");
  bool Old = Data[6] == 1;
  size_t Length = little(Data + 8, Old ? 2 : 4), Begin = Old ? 10 : 12;
  if (Begin + Length > Size)
    return bad("the header of the NumPy array is cut off");
  std::string Header(reinterpret_cast<const char *>(Data + Begin), Length);
  StoredArray A;
  auto Type = typeOf(field(Header, "descr"));
  if (!Type)
    return bad("element type '" + field(Header, "descr") + "' of the NumPy array is not known");
  if (field(Header, "fortran_order").starts_with("True"))
    return bad("a NumPy array in Fortran order; save numpy.ascontiguousarray(x)");
  uint64_t Count = 0;
  if (!parseShape(field(Header, "shape"), A.Shape, Count))
    return bad("the shape of the NumPy array is out of range");
  A.Type = *Type;
  if (Count * protocol::sizeOf(A.Type) != Size - Begin - Length)
    return bad("the data of the NumPy array has another length than its shape says");
  A.Data.assign(Data + Begin + Length, Data + Size);
  return A;
}

std::optional<std::map<std::string, StoredArray>> gate::readArrays(const std::string &File, std::string &Error) {
  std::ifstream In(File, std::ios::binary | std::ios::ate);
  if (!In) {
    Error = "cannot read " + File;
    return std::nullopt;
  }
  Bytes Data(size_t(In.tellg()));
  In.seekg(0);
  In.read(reinterpret_cast<char *>(Data.data()), std::streamsize(Data.size()));
  if (Data.size() >= 4 && little(Data.data(), 4) == 0x04034b50)
    return readZip(Data, Error);
  auto A = parseNpy(Data.data(), Data.size(), Error);
  if (!A)
    return std::nullopt;
  return std::map<std::string, StoredArray>{{"", std::move(*A)}};
}
