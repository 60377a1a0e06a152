//===- Device.h - one GPU with its context, and the worker's own kernels on it -------===//
//
// Errors of the driver are thrown as Failed inside this folder and become typed failures of a result at its edge
// (Worker.cpp). After some of them the context is lost: lost() says so and the process has to be replaced.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_DEVICE_H
#define KCHECK_GPU_DEVICE_H

#include "runner/gpu/Cache.h"
#include "runner/gpu/Library.h"
#include "runner/protocol/Result.h"
#include <functional>
#include <memory>

namespace kcheck::gpu {

struct Failed {
  protocol::Failure What;
  std::string Message;
};

/// Which failure a status of the driver is. Launch: it came from the launch call itself.
protocol::Failure failureOf(Status S, bool Launch);
/// Whether the context is of no use after it.
bool losesContext(Status S);

/// Memory of a device, given back by the destructor.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(const Driver *D, DevicePtr P, size_t Size) : D(D), P(P), Size(Size) {}
  DeviceMemory(DeviceMemory &&O) noexcept { swap(O); }
  DeviceMemory &operator=(DeviceMemory &&O) noexcept {
    swap(O);
    return *this;
  }
  ~DeviceMemory() {
    if (P)
      D->memFree(P);
  }
  DevicePtr get() const { return P; }
  size_t size() const { return Size; }

private:
  void swap(DeviceMemory &O) {
    std::swap(D, O.D);
    std::swap(P, O.P);
    std::swap(Size, O.Size);
  }
  const Driver *D = nullptr;
  DevicePtr P = 0;
  size_t Size = 0;
};

class Device {
public:
  /// Opens a device and makes a context on it; null and a reason otherwise.
  static std::unique_ptr<Device> open(int Index, std::string &Why);
  /// Without a context: enough to compile for it.
  static std::unique_ptr<Device> identify(int Index, std::string &Why);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Driver &api() const { return D; }
  int attribute(Attribute A) const;
  int ordinal() const { return Ordinal; }
  const std::string &name() const { return Name; }
  const std::string &uuid() const { return Uuid; }    ///< "GPU-xxxxxxxx-…"
  const std::string &arch() const { return Arch; }    ///< "sm_90"
  const std::string &driverVersion() const { return DriverText; }
  Stream stream() const { return Main; } ///< the default stream, on which baselines work too
  const Cache &cache() const { return Files; }

  /// Throws when S is an error; What says during what.
  void check(Status S, const std::string &What, bool Launch = false);
  bool lost() const { return Lost; }

  DeviceMemory allocate(size_t Bytes, const std::string &For);
  void synchronize(const std::string &What) { check(D.streamSynchronize(Main), What); }
  template <typename T> T read(DevicePtr P, const std::string &What) {
    T Value;
    check(D.copyFromDevice(&Value, P, sizeof(T), Main), What);
    synchronize(What);
    return Value;
  }

  /// A kernel of the worker's own modules.
  Function helper(const std::string &Name) { return own(Helpers, Name); }
  Function reference(const std::string &Name) { return own(References, Name); }

  /// Launches a kernel of ours over Items threads, at most what fills the device.
  template <typename... A> void call(Function F, int64_t Items, A... Args) {
    void *List[] = {&Args...};
    callArray(F, Items, List);
  }
  template <typename... A> void call(const char *Helper, int64_t Items, A... Args) { call(helper(Helper), Items, Args...); }
  /// Blocks of 256 threads that fill the device twice over.
  unsigned fullGrid() const { return unsigned(Units) * 8; }

private:
  Device(const Driver &D) : D(D) {}
  struct Own {
    const char *Name, *Text;
    Module Code = nullptr;
    std::map<std::string, Function> Found;
  };
  Function own(Own &M, const std::string &Name);
  void callArray(Function F, int64_t Items, void **Args);

  const Driver &D;
  int Ordinal = 0, Units = 1;
  std::string Name, Uuid, Arch, DriverText;
  Context Ctx = nullptr;
  Stream Main = nullptr;
  Cache Files;
  bool Lost = false;
  Own Helpers, References;
};

/// The texts of kernels/*.cu and of runner/guest/Glue.cu.
extern const char *const HelperKernels, *const ReferenceKernels, *const GlueText;

} // namespace kcheck::gpu
#endif
