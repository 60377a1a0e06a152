//===- StepLimit.h - how long the runs of a file may take ----------------------------===//
//
// A step is a statement of a kernel, for all threads of a block at once. Most files end far below the usual limits;
// an editor, where a person waits, lowers them for kernels that loop long. Holds for models that are made while the object lives,
// on its thread.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_STEPLIMIT_H
#define KCHECK_MATCHERS_STEPLIMIT_H

namespace kcheck {

class StepLimit {
public:
  StepLimit(unsigned File, unsigned Run);
  ~StepLimit();
  StepLimit(const StepLimit &) = delete;
  StepLimit &operator=(const StepLimit &) = delete;

  /// Steps of all runs of a file.
  static unsigned ofFile();
  /// Steps of one block of one launch.
  static unsigned ofRun();

private:
  unsigned File, Run;
  StepLimit *Outer;
};

} // namespace kcheck
#endif
