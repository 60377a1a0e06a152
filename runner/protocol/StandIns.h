//===- StandIns.h - headers that travel with a job in place of missing ones ------===//
#ifndef KCHECK_PROTOCOL_STANDINS_H
#define KCHECK_PROTOCOL_STANDINS_H

#include <string>

namespace kcheck::protocol {

/// Source::Includes below this folder are for #include <...> of what is found nowhere else: PyTorch's headers.
inline const std::string StandInFolder = "kcheck-stand-ins/";

} // namespace kcheck::protocol
#endif
