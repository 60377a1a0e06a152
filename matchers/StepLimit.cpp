#include "matchers/StepLimit.h"

using namespace kcheck;

static thread_local StepLimit *Current = nullptr;

StepLimit::StepLimit(unsigned File, unsigned Run) : File(File), Run(Run), Outer(Current) { Current = this; }
StepLimit::~StepLimit() { Current = Outer; }
unsigned StepLimit::ofFile() { return Current ? Current->File : 600000; }
unsigned StepLimit::ofRun() { return Current ? Current->Run : 60000; }
