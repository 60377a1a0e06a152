#!/usr/bin/env python3
"""Neovim without a screen: its LSP client, kcheck-clangd, a kernel with a fault that has a fix; then the settings of docs/editors.md and of
`kcheck init` as they stand there. Usage: BUILD SOURCE."""
import os
import re
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
# The first diagnostic, or nothing in two minutes.
WAIT = """vim.wait(120000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, d in ipairs(vim.diagnostic.get(0)) do io.stdout:write("found " .. (d.code or d.user_data.lsp.code) .. "\\n") end
vim.cmd("qall!")
"""
REPAIRED = "#define SQUARE(x) ((x) * (x))"


def settings(nvim, build, source, folder, env):
    """What a user copies: the lines for this version of Neovim, on a file that is opened afterwards."""
    with open(os.path.join(source, "docs", "editors.md"), encoding="utf-8") as f:
        older = re.search(r"Older versions.*?```lua\n(.*?)```", f.read(), re.S)[1]
    subprocess.run([os.path.join(build, "tools/kcheck/kcheck"), "init", folder, "--editor", "neovim", "--force"], check=True, capture_output=True)
    with open(os.path.join(folder, "older.lua"), "w") as f:
        f.write(older)
    with open(os.path.join(folder, "wait.lua"), "w") as f:
        f.write(WAIT)
    env = {**env, "PATH": os.path.join(build, "tools", "kcheck-clangd") + ":" + env["PATH"]}
    new = subprocess.run([nvim, "--headless", "-u", "NONE", "-c", "lua if not vim.lsp.start then vim.cmd('cquit') end", "-c", "qall"], env=env).returncode == 0
    for name in (".nvim.lua", "older.lua") if new else ("older.lua",):
        p = subprocess.run([nvim, "--headless", "-u", "NONE", "-c", "filetype on", "-c", f"luafile {name}", "-c", "edit squares.cu", "-c", "luafile wait.lua"],
                           env=env, cwd=folder, capture_output=True, text=True, timeout=300)
        if "found kcheck-macro-macro-unparenthesised" not in p.stdout:
            raise SystemExit(f"{name}: no finding\n{p.stdout}{p.stderr}")
    if not new:  # this version has no vim.lsp.start: the file must be read all the same
        p = subprocess.run([nvim, "--headless", "-u", "NONE", "-c", "luafile .nvim.lua", "-c", "qall!"], env=env, cwd=folder, capture_output=True, text=True)
        if "Error" in p.stderr:
            raise SystemExit(f".nvim.lua: {p.stderr}")


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
        with open(path, "w") as f:
            f.write(KERNEL)
        os.remove(os.path.join(folder, "compile_flags.txt"))
        settings(nvim, build, source, folder, env)
    print((p.stdout + p.stderr).strip())
    if p.returncode or REPAIRED not in text:
        print(text)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
