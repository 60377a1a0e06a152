#!/usr/bin/env python3
"""Packs header folders into one blob for .incbin and a sorted table of its members.

usage: embed-headers.py OUT.bin OUT.inc VIRTUAL=FOLDER ...

Every member is followed by a zero byte, so that the program can hand it to the front end as it lies.
"""
import fnmatch
import hashlib
import os
import sys

# The compiler's own headers for processors that no CUDA host has.
FOREIGN = ("arm*", "riscv*", "sifive*", "andes*", "hexagon*", "hvx*", "opencl*", "msa.h", "altivec.h", "vecintrin.h", "s390*",
           "htm*", "wasm*", "velintrin*", "larch*", "lasx*", "lsx*", "amdgpu*", "spirv*", "__clang_hip*", "__clang_spirv*",
           "ISO_Fortran*", "amo.h", "intrin.h", "intrin0.h", "module.modulemap", "yvals_core.h", "ppc_wrappers", "openmp_wrappers",
           "zos_wrappers", "llvm_libc_wrappers", "llvm_offload_wrappers", "profile", "xray", "orc", "sanitizer", "fuzzer")


def members(virtual, folder):
    for path, dirs, files in os.walk(folder):
        dirs[:] = sorted(d for d in dirs if not any(fnmatch.fnmatch(d, f) for f in FOREIGN))
        for name in sorted(files):
            if any(fnmatch.fnmatch(name, f) for f in FOREIGN):
                continue
            full = os.path.join(path, name)
            yield os.path.join(virtual, os.path.relpath(full, folder)), full


def main():
    out_bin, out_inc, *folders = sys.argv[1:]
    found = sorted(m for f in folders for m in members(*f.split("=", 1)))
    digest = hashlib.sha256()
    rows, offset = [], 0
    with open(out_bin, "wb") as blob:
        for name, full in found:
            with open(full, "rb") as f:
                data = f.read()
            digest.update(name.encode() + b"\0" + data)
            blob.write(data + b"\0")
            rows.append(f'{{"{name}", {offset}, {len(data)}}},')
            offset += len(data) + 1
    with open(out_inc, "w") as inc:
        inc.write("\n".join(rows) + "\n")
        inc.write(f'#define KCHECK_HEADERS_DIGEST "{digest.hexdigest()[:16]}"\n')


main()
