//===- Limits.h - what the candidate's process may ask of the system -----------===//
#ifndef KCHECK_GUEST_LIMITS_H
#define KCHECK_GUEST_LIMITS_H

namespace kcheck::guest {

enum class NewCode {
  Refused, ///< no page becomes executable
  Libraries ///< files may be mapped as code: for who loads the host code after this
};

/// Takes away the system calls that host code of a candidate needs not. False: they could not be taken away.
bool limitGuest(NewCode Code = NewCode::Refused);

/// From here on no page becomes executable, where limitGuest let libraries be loaded; an attempt is told by a signal.
bool refuseNewCode();

} // namespace kcheck::guest
#endif
