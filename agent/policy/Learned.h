//===- Learned.h - what measured candidates say of the steps that made them ---------------===//
//
//   sequences of steps with their times ─► a linear model of the logarithm of the gain ─► what a step is worth
//
// A step counts by its action and by each of its parameters. What lies near the best counts most: there the search goes on.
// With nothing measured a step is worth what the caller expects of it, and the more was seen of its action, the less that counts.
//
//===----------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_POLICY_LEARNED_H
#define KCHECK_AGENT_POLICY_LEARNED_H

#include "agent/Feedback.h"
#include <functional>

namespace kcheck::agent {

class Learned {
public:
  /// Expected: the logarithm of the gain that an action usually brings.
  Learned(const std::vector<Round> &Rounds, const std::function<double(llvm::StringRef)> &Expected);

  /// Logarithm of the gain of a step of which Prior is expected.
  double worth(const Step &S, double Prior) const;
  /// The part of it that was measured; 0 where nothing was.
  double measured(const Step &S) const;
  unsigned seen(llvm::StringRef Action) const;

private:
  struct Row {
    std::vector<size_t> Parts;
    double Gain = 0, Weight = 1;
  };
  struct Part {
    double Value = 0, Prior = 0, Hold = 1; ///< Hold: how many measurements the prior stands for
    unsigned Seen = 0;
  };
  void add(const std::vector<Round> &Rounds, const std::function<double(llvm::StringRef)> &Expected);
  size_t part(const std::string &Name, double Prior, double Hold);
  void fit();

  std::map<std::string, size_t> Index;
  std::vector<Part> Parts;
  std::vector<Row> Rows;
};

/// Steps from the kernel as it came; nothing where a free edit stands between.
std::optional<std::vector<Step>> chainOf(const std::vector<Round> &Rounds, const Outcome &O);

} // namespace kcheck::agent
#endif
