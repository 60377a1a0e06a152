#include "runner/gpu/CompileAhead.h"
#include "runner/gpu/Compile.h"
#include "runner/protocol/Job.h"
#include <algorithm>

using namespace kcheck;
using namespace kcheck::gpu;

/// Jobs with the same key need the same compile; empty: the job is none.
static std::string keyOf(const std::string &Text) {
  std::string Ignored;
  auto J = protocol::parseJob(Text, Ignored);
  if (!J)
    return "";
  CompileRequest R;
  R.Source = &J->Source;
  R.Compiler = J->Compiler;
  for (const protocol::Step &S : J->Steps)
    if (auto *L = std::get_if<protocol::LaunchStep>(&S.Do); L && std::find(R.Kernels.begin(), R.Kernels.end(), L->Kernel) == R.Kernels.end())
      R.Kernels.push_back(L->Kernel);
  return cacheKey(R, "");
}

CompileAhead::~CompileAhead() {
  {
    std::lock_guard Held(Lock);
    Ended = true;
    Waiting.clear();
  }
  Changed.notify_all();
  for (std::thread &T : Threads)
    T.join();
}

void CompileAhead::expect(const std::string &Job) {
  std::string Key = keyOf(Job);
  std::lock_guard Held(Lock);
  if (Key.empty() || std::find(Known.begin(), Known.end(), Key) != Known.end())
    return;
  Known.push_back(Key);
  if (Known.size() > 256)
    Known.pop_front();
  Waiting.push_back({std::move(Key), Job});
  if (Threads.size() < std::min<size_t>(Processes, Waiting.size() + Running.size()))
    Threads.emplace_back([this, Slot = unsigned(Threads.size())] { work(Slot); });
  Changed.notify_all();
}

void CompileAhead::turn(const std::string &Job) {
  {
    std::lock_guard Held(Lock);
    if (Waiting.empty() && Running.empty())
      return;
  }
  std::string Key = keyOf(Job);
  std::unique_lock Held(Lock);
  std::erase_if(Waiting, [&](const Item &I) { return I.Key == Key; });
  Changed.wait(Held, [&] { return !Running.count(Key); });
}

void CompileAhead::forget() {
  std::lock_guard Held(Lock);
  for (const Item &I : Waiting)
    std::erase(Known, I.Key);
  Waiting.clear();
}

void CompileAhead::work(unsigned Slot) {
  std::unique_lock Held(Lock);
  for (;;) {
    Changed.wait(Held, [&] { return Ended || !Waiting.empty(); });
    if (Ended)
      return;
    Item Mine = std::move(Waiting.front());
    Waiting.pop_front();
    Running.insert(Mine.Key);
    Held.unlock();
    Do(Slot, Mine.Job);
    Held.lock();
    Running.erase(Mine.Key);
    Changed.notify_all();
  }
}
