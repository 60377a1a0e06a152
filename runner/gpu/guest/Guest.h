//===- Guest.h - the candidate's host code, in a process without a GPU -----------===//
//
//   kcheck-gpu (context, buffers, clock) ◄── calls of the runtime ── kcheck-gpu-guest: constructors, kcheck_call()
//              └─ Call(arguments) ──────────────────────────────────►
//
// The library that nvcc made of the candidate is loaded here. Its calls of the CUDA runtime find this program's functions
// (Runtime.cpp), which send them to the worker; addresses of the device are the worker's own and nothing lies at them here.
// Words of the messages: Calls.h.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_GUEST_GUEST_H
#define KCHECK_GPU_GUEST_GUEST_H

#include "runner/guest/Wire.h"
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace kcheck::gpu {

/// What is known here of a kernel of the candidate's.
struct GuestKernel {
  std::string Name;
  std::vector<std::pair<uint32_t, uint32_t>> Params; ///< offset and bytes
  uint32_t bytes() const { return Params.empty() ? 0 : Params.back().first + Params.back().second; }
};

/// Whole pages around Bytes at At: from, size.
inline std::pair<uint64_t, uint64_t> pagesOf(uint64_t At, uint64_t Bytes) {
  uint64_t From = At & ~uint64_t(4095);
  return {From, ((At + Bytes + 4095) & ~uint64_t(4095)) - From};
}

/// This end of the wire, one a process. Callers hold the lock of a call (Call).
class Guest {
public:
  static Guest &only();
  void open(guest::Wire To) { W = To; }

  /// The answer's words: result, the device's lasting error, what the call gives (at least four).
  guest::Message ask(guest::Op What, std::vector<uint64_t> Words, std::vector<uint8_t> Bytes = {});
  int code(guest::Op What, std::vector<uint64_t> Words, std::vector<uint8_t> Bytes = {}) { return fail(int(ask(What, std::move(Words), std::move(Bytes)).Words[0])); }
  void tell(guest::Op What, std::vector<uint64_t> Words = {}, const std::string &Text = "", std::vector<uint8_t> Bytes = {});
  void report(const char *Tag, const std::string &Text);
  [[noreturn]] void unsupported(const std::string &What);
  bool next(guest::Message &M);
  /// From a signal handler: no allocation, no lock.
  void tellAtOnce(guest::Op What, std::initializer_list<uint64_t> Words);

  int fail(int Error); ///< remembers it for cudaGetLastError
  int last(bool Clear);
  int sticky() const { return Sticky; }

  /// Memory of the device, as far as this process was told of any.
  void addRange(uint64_t At, uint64_t Bytes);
  void dropRange(uint64_t At) { Ranges.erase(At); }
  bool isDevice(const void *P) const;
  /// Memory that both sides may use: it is where it was used last, and comes over when the other side needs it.
  void addManaged(uint64_t At, uint64_t Bytes);
  bool dropManaged(uint64_t At);
  bool isManaged(const void *P) const { return managedAt(uint64_t(P)) != 0; }
  /// From a signal handler: where managed memory lies at the device, fetches it. False: it does not.
  bool fetchManaged(uint64_t Address);

  std::map<const void *, GuestKernel> Kernels;
  std::map<const void *, std::pair<uint64_t, uint64_t>> Variables; ///< address and bytes
  std::recursive_mutex Lock;
  bool Asking = false;

private:
  struct Managed {
    uint64_t Bytes;
    bool Here; ///< this process holds the content
  };
  uint64_t managedAt(uint64_t Address) const;
  void giveManaged();

  guest::Wire W;
  std::map<uint64_t, uint64_t> Ranges; ///< address, bytes
  std::map<uint64_t, Managed> Shared;
  int LastError = 0, Sticky = 0;
};

/// Loads the libraries and serves calls of kcheck_call of the last one until the wire ends. Confine takes away what the process needs not, before
/// any code of theirs runs; a reason where it cannot.
[[noreturn]] void runGuest(const std::vector<std::string> &Libraries, guest::Wire W, const std::function<std::string()> &Confine);

} // namespace kcheck::gpu
#endif
