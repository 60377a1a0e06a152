#!/usr/bin/env python3
"""Neovim without a screen: its LSP client, kcheck-clangd, a kernel with a fault that has a fix. Usage: BUILD SOURCE."""
import os
import shutil
import subprocess
import sys
import tempfile

KERNEL = """#define SQUARE(x) x * x
__global__ void squares(float *d, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    d[i] = SQUARE(a[i] - b[i]);
}
"""
REPAIRED = "#define SQUARE(x) ((x) * (x))"


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    program = os.path.join(build, "tools", "kcheck-clangd", "kcheck-clangd")
    nvim = shutil.which("nvim")
    if not nvim or not os.path.exists(program):
        print("skipped: no Neovim or no kcheck-clangd here")
        return 77
    script = os.path.join(source, "test", "integration", "nvim_session.lua")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "squares.cu")
        with open(path, "w") as f:
            f.write(KERNEL)
        with open(os.path.join(folder, "compile_flags.txt"), "w") as f:
            mock = os.path.join(source, "test", "lit", "Inputs")
            f.write("\n".join(["-xcuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.8",
                               "-include", f"{mock}/mock_cuda.h"]))
        env = {**os.environ, "KCHECK_CLANGD": program, "KCHECK_FILE": path, "KCHECK_CHECK": "kcheck-macro-macro-unparenthesised",
               "XDG_STATE_HOME": folder + "/state", "XDG_DATA_HOME": folder + "/data", "XDG_CONFIG_HOME": folder + "/config"}
        p = subprocess.run([nvim, "--headless", "-u", "NONE", "-c", f"luafile {script}"], env=env, capture_output=True, text=True, timeout=300)
        with open(path) as f:
            text = f.read()
    print((p.stdout + p.stderr).strip())
    if p.returncode or REPAIRED not in text:
        print(text)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
