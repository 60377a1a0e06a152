//===- Npy.h - NumPy's .npy and .npz files ------------------------------------------===//
#ifndef KCHECK_GATE_REFERENCE_NPY_H
#define KCHECK_GATE_REFERENCE_NPY_H

#include "runner/protocol/Types.h"
#include <map>

namespace kcheck::gate {

struct StoredArray {
  protocol::DType Type = protocol::DType::F64;
  std::vector<int64_t> Shape;
  protocol::Bytes Data; ///< in C order
};

/// One array, .npy versions 1 to 3, little endian. The reason in Error when it is none.
std::optional<StoredArray> parseNpy(const uint8_t *Data, size_t Size, std::string &Error);

/// The arrays of an .npz (a ZIP, stored or deflated) by name, or the one of an .npy as "".
std::optional<std::map<std::string, StoredArray>> readArrays(const std::string &File, std::string &Error);

} // namespace kcheck::gate
#endif
