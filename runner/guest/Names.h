//===- Names.h - the names that a program may not define anew -------------------===//
#ifndef KCHECK_GUEST_NAMES_H
#define KCHECK_GUEST_NAMES_H

#include <string>

namespace kcheck::guest {

/// Whether the name is the runtime's or a clock's: a program that defines it hides the real one.
bool isRuntimeName(const std::string &Name);
/// Whether it tells the time, or makes events and waits for them.
bool isClockName(const std::string &Name);

} // namespace kcheck::guest
#endif
