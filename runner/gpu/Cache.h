//===- Cache.h - compiled modules, and failures to compile, on disk ------------===//
//
// Key: SHA-256 over everything that decides the outcome. One file an entry, written whole and renamed into place, so
// that several workers share a folder. Where the folder cannot be written the cache is silently off.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_CACHE_H
#define KCHECK_GPU_CACHE_H

#include "runner/protocol/Result.h"
#include <map>
#include <optional>
#include <string>

namespace kcheck::gpu {

/// Outcome of a compile.
struct Binary {
  bool Ok = false;
  std::string Cubin;
  std::string Host, Glue; ///< launcher mode: libraries of the candidate's host code and of what fills the toolkit's structures
  std::map<std::string, std::string> Lowered; ///< name expression -> symbol
  std::vector<protocol::CompileMessage> Messages;
  std::string Error; ///< one line, where Ok is false
  std::string With;  ///< "nvrtc 13.0", "nvcc 13.0"
  double Ms = 0;     ///< of the compile itself
  bool Cached = false;
  bool NoCompiler = false; ///< the machine has none: no fault of the source's
};

/// One entry's file content, and back; nothing when it is damaged.
std::string writeEntry(const Binary &B);
std::optional<Binary> readEntry(const std::string &Text);

class Cache {
public:
  /// KCHECK_CACHE_DIR, else XDG_CACHE_HOME/kcheck, else ~/.cache/kcheck; "off" switches it off.
  Cache();
  explicit Cache(std::string Folder) : Folder(std::move(Folder)) {}
  std::optional<Binary> find(const std::string &Key) const;
  void store(const std::string &Key, const Binary &B) const;
  /// Small texts beside the modules (measured ceilings of a device).
  std::optional<std::string> findText(const std::string &Name) const;
  void storeText(const std::string &Name, const std::string &Text) const;
  const std::string &folder() const { return Folder; }

private:
  std::string Folder;
};

} // namespace kcheck::gpu
#endif
