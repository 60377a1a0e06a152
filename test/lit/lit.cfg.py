"""lit configuration: one file a rule under rules/, everything else by folder.

Substitutions: %kcheck, %kcheck_test (expectations inline, see check_expectations.py), %clang_tidy (with the
plugin loaded), %python, %inputs. Features: cuda (a toolkit is in use), clang-tidy, gpu.
"""
import glob
import os
import shutil

import lit.formats

config.name = "kcheck"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.kcheck_build, "test", "lit")

for name in ("HOME", "KCHECK_HIDE_CUDA", "CUDA_PATH", "XDG_CACHE_HOME", "CUDA_HOME", "CUDAToolkit_ROOT"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["PATH"] = os.pathsep.join([config.llvm_bindir, os.environ.get("PATH", "")])
config.environment["NO_COLOR"] = "1"

cuda_root = "" if os.environ.get("KCHECK_HIDE_CUDA", "0") not in ("", "0") else config.cuda_root
if cuda_root:
    config.available_features.add("cuda")
if glob.glob("/dev/nvidia[0-9]*"):
    config.available_features.add("gpu")

inputs = os.path.join(config.test_source_root, "Inputs")
driver = [config.python, os.path.join(config.test_source_root, "check_expectations.py"),
          "--kcheck", config.kcheck, "--inputs", inputs]
clang_tidy = os.path.join(config.llvm_bindir, "clang-tidy")
if not os.path.exists(clang_tidy):
    clang_tidy = shutil.which("clang-tidy-22") or ""
if clang_tidy and config.plugin and os.path.exists(config.plugin):
    config.available_features.add("clang-tidy")
    driver += ["--clang-tidy", clang_tidy, "--plugin", config.plugin]
    config.substitutions.append(("%clang_tidy", f"{clang_tidy} --load={config.plugin}"))
if cuda_root:
    driver += ["--cuda-root", cuda_root]
config.substitutions += [
    ("%kcheck_test", " ".join(driver)),
    ("%kcheck", config.kcheck),
    ("%python", config.python),
    ("%inputs", inputs),
    ("%mock_cuda", f"-x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -std=c++17 -nocudainc -nocudalib -Xclang -target-sdk-version=12.8 -isystem {inputs}/mock -include {inputs}/mock_cuda.h"),
]
