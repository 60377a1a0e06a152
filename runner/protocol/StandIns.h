//===- StandIns.h - headers that travel with a job in place of missing ones ------===//
#ifndef KCHECK_PROTOCOL_STANDINS_H
#define KCHECK_PROTOCOL_STANDINS_H

#include <string>

namespace kcheck::protocol {

/// Source::Includes below this folder are for #include <...> of what is found nowhere else: PyTorch's headers.
inline const std::string StandInFolder = "kcheck-stand-ins/";

/// Findings with tags that begin so are no faults: what the host half of these headers says of its search for arguments.
/// "shapes": what was found; "rooms": tensors whose length follows from nothing; "merges": pairs of dims of which nothing says
/// that they may differ; "refused": why there are no arguments; "threw": an exception behind the checks.
inline const std::string ExtensionTag = "extension_";
/// The macro under which these headers can run.
inline const std::string ExtensionMacro = "KCHECK_TORCH_RUN";

} // namespace kcheck::protocol
#endif
