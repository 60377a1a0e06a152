#include "runner/guest/Wire.h"
#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <unistd.h>

using namespace kcheck::guest;

namespace {

constexpr uint64_t Magic = 0x6b6368656b2e6469;
constexpr uint32_t MostWords = 1 << 16;

bool writeAll(int FD, const void *From, size_t Bytes) {
  const char *P = static_cast<const char *>(From);
  while (Bytes) {
    ssize_t N = write(FD, P, Bytes);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    P += N;
    Bytes -= size_t(N);
  }
  return true;
}

} // namespace

Wire::Head Wire::head(const Message &M) {
  return {Magic, M.Bytes.size(), uint32_t(M.What), Sent++, uint32_t(M.Words.size()), uint32_t(M.Callers.size())};
}

bool Wire::send(const Message &M) {
  Head H = head(M);
  std::vector<uint8_t> Start(sizeof H + 8 * (M.Words.size() + M.Callers.size()));
  uint8_t *At = std::copy_n(reinterpret_cast<const uint8_t *>(&H), sizeof H, Start.data());
  At = std::copy_n(reinterpret_cast<const uint8_t *>(M.Words.data()), 8 * M.Words.size(), At);
  std::copy_n(reinterpret_cast<const uint8_t *>(M.Callers.data()), 8 * M.Callers.size(), At);
  return writeAll(Out, Start.data(), Start.size()) && writeAll(Out, M.Bytes.data(), M.Bytes.size());
}

Wire::Got Wire::read(void *To, size_t Bytes, Clock::time_point Until, bool AtStart) {
  char *P = static_cast<char *>(To);
  for (size_t Done = 0; Done < Bytes;) {
    auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(Until - Clock::now()).count();
    pollfd Wait{In, POLLIN, 0};
    int N = Left > 0 ? poll(&Wait, 1, int(std::min<long long>(Left, 1 << 30))) : 0;
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return Got::Late;
    ssize_t R = ::read(In, P + Done, Bytes - Done);
    if (R < 0 && errno == EINTR)
      continue;
    if (R <= 0)
      return AtStart && !Done ? Got::End : Got::Nonsense;
    Done += size_t(R);
  }
  return Got::Message;
}

Wire::Got Wire::receive(Message &M, Clock::time_point Until) {
  Head H;
  if (Got G = read(&H, sizeof H, Until, true); G != Got::Message)
    return G;
  if (H.Magic != Magic || H.Sequence != Received || H.What >= uint32_t(Op::Count) || H.Words > MostWords || H.Callers > 64 || H.Bytes > MostBytes)
    return Got::Nonsense;
  ++Received;
  M.What = Op(H.What);
  M.Words.resize(H.Words);
  M.Callers.resize(H.Callers);
  M.Bytes.resize(H.Bytes);
  for (auto [To, Bytes] : {std::pair<void *, size_t>{M.Words.data(), 8 * M.Words.size()}, {M.Callers.data(), 8 * M.Callers.size()}, {M.Bytes.data(), M.Bytes.size()}})
    if (Got G = read(To, Bytes, Until, false); G != Got::Message)
      return G;
  return Got::Message;
}
