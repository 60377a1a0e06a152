//===- Signals.h - a handler for the signals by which a program ends --------------===//
#ifndef KCHECK_GUEST_SIGNALS_H
#define KCHECK_GUEST_SIGNALS_H

#include <csignal>
#include <initializer_list>

namespace kcheck::guest {

/// Has Handler called for Signals, with their facts, on a stack of its own: the thread's may be what ran over. One stack for
/// the process: only the thread that calls this is served on it.
inline void handleOnOwnStack(void (*Handler)(int, siginfo_t *, void *), std::initializer_list<int> Signals) {
  static char Alternate[64 << 10];
  stack_t Stack{};
  Stack.ss_sp = Alternate;
  Stack.ss_size = sizeof Alternate;
  sigaltstack(&Stack, nullptr);
  struct sigaction Action {};
  Action.sa_sigaction = Handler;
  Action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int S : Signals)
    sigaction(S, &Action, nullptr);
}

} // namespace kcheck::guest
#endif
