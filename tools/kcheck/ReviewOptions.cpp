#include "tools/kcheck/ReviewOptions.h"
#include "analyzers/engine/DidYouMean.h"

using namespace kcheck;
using namespace kcheck::cli;

void cli::addReviewOptions(CLI::App &Sub, ReviewOptions &O) {
  Sub.add_option("FILE", O.Files, "CUDA files, Python files with CUDA strings, folders, or - for stdin")->required();
  Sub.add_option("--format", O.Format, "form of the report: " + llvm::join(formatNames(), ", "))->type_name("NAME");
  Sub.add_option("-o,--output", O.Output, "write the report to this file")->type_name("F");
  Sub.add_option("--fail-on", O.FailOn, "exit with 1 from this verdict on: reject (default) or review")->type_name("VERDICT");
  Sub.add_option("--arch", O.Arch, "GPU architecture to read the code for, such as sm_90")->type_name("sm_XX");
  Sub.add_option("-p", O.BuildDir, "folder with a compile_commands.json")->type_name("BUILD");
  Sub.add_option("--config", O.Config, "policy file laid over the built-in rules.yaml")->type_name("F");
  Sub.add_flag("--no-local-config", O.NoLocalConfig, "do not look for .kcheck.yaml in the files' folders");
  Sub.add_option("--rules", O.Rules, "rules, tags or checks to use: 'kcheck-sync,kcheck-api-*', or '-kcheck-perf'")->type_name("LIST");
  Sub.add_flag("--ignore-nolint", O.IgnoreNoLint, "do not obey NOLINT comments");
  Sub.add_option("--baseline-report", O.BaselineReport, "suppress the findings of this earlier JSON report")->type_name("F");
  Sub.add_option("--write-baseline-report", O.WriteBaselineReport, "write such a report")->type_name("F");
  Sub.add_option("--diff-base", O.DiffBase, "suppress findings on lines that have not changed since the work branched off this git revision")->type_name("REV");
  Sub.add_flag("--record{-}", O.Record, "keep candidate and report in an SQLite file (--record=DB to name it)");
  Sub.add_option("--block-dim", O.BlockDim, "assumed block for kernels that the file does not launch")->type_name("X[,Y[,Z]]");
  Sub.add_option("--grid-dim", O.GridDim, "assumed grid for kernels that the file does not launch")->type_name("X[,Y[,Z]]");
  Sub.add_option("-j,--jobs", O.Jobs, "files at a time; 0 (default) for all cores")->type_name("N");
  Sub.add_flag("-q,--quiet", O.Quiet, "show findings of weight only, no progress");
}
