//===- Device.h - the size of the simulated GPU -------------------------------===//
#ifndef KCHECK_SIM_DEVICE_H
#define KCHECK_SIM_DEVICE_H

namespace kcheck::sim {

/// Few, so that the blocks of a grid that is sized by them can all be held at once. Host code and %nsmid are told the same.
inline constexpr unsigned Multiprocessors = 16;

} // namespace kcheck::sim
#endif
