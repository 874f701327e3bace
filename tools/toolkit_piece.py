# SPDX-License-Identifier: Apache-2.0
"""One program, library or header of a CUDA toolkit: proves that it works, or takes it out of a wheel. For tools/toolkits.sh.

    toolkit_piece.py check FILE LIBRARIES          prints its exact version; else says on stderr why it is unusable.
                                                   A header is compiled by the NVRTC in the folder LIBRARIES
    toolkit_piece.py unpack ARCHIVE PATTERN FOLDER the files of a wheel whose names match, into FOLDER; several patterns
                                                   stand between bars
"""

import ctypes
import fnmatch
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile

BANNER = re.compile(rb"Cuda compilation tools, release \d+\.\d+, V(\d+\.\d+\.\d+)")


def require_whole(path):
    """The table of sections ends an ELF file, so that whatever is missing at the end shows there."""
    with open(path, "rb") as file:
        header = file.read(64)
        size = file.seek(0, os.SEEK_END)
    if len(header) < 64 or header[:4] != b"\x7fELF":
        sys.exit("is no program or library")
    (offset,) = struct.unpack_from("<Q", header, 40)
    entry_size, entries = struct.unpack_from("<HH", header, 58)
    if offset + entry_size * entries > size:
        sys.exit("is cut short")


def version_of_program(path):
    ran = subprocess.run([path, "--version"], capture_output=True, timeout=60)
    if ran.returncode != 0:
        sys.exit(f"does not run here (status {ran.returncode})")
    return BANNER.search(ran.stdout)


def open_library(path):
    """NVRTC asks the loader for its builtins by name alone, which finds what is loaded already (src/assemble/nvrtc.cpp)."""
    if os.path.basename(path).startswith("libnvrtc.so"):
        for builtins in glob.glob(os.path.join(os.path.dirname(path), "libnvrtc-builtins.so.*")):
            ctypes.CDLL(builtins)
    return ctypes.CDLL(path)


def compile_program(nvrtc, source, *options):
    """Returns NVRTC's error number. Only compiling needs the builtins library and shows that it is there and whole."""
    program = ctypes.c_void_p()
    options = (b"--gpu-architecture=compute_80", b"--std=c++17", *options)
    result = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"nothing.cu", 0, None, None)
    if result == 0:
        result = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    return result


def version_of_cupti(library):
    """It has no banner; since CUDA 13.0 its number, 130001, is that of a release of CUDA and an update."""
    number = ctypes.c_uint32()
    if library.cuptiGetVersion(ctypes.byref(number)) != 0 or number.value < 130000:
        sys.exit("is older than CUDA 13.0")
    version = f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"
    return re.match(rb"(.*)", version.encode())


def version_of_library(path):
    try:
        library = open_library(path)
    except OSError as error:
        sys.exit(f"cannot be loaded: {error}")
    if os.path.basename(path).startswith("libnvrtc.so"):
        result = compile_program(library, b'extern "C" __global__ void nothing(float* x) { *x = __sinf(*x); }')
        if result != 0:
            sys.exit(f"cannot compile an empty kernel (error {result}); its builtins library may be missing or broken")
    if os.path.basename(path).startswith("libcupti.so"):
        return version_of_cupti(library)
    # nvJitLinkVersion was introduced in CUDA 12.1 and returns no third number; the banner is in every library.
    with open(path, "rb") as file:
        return BANNER.search(file.read())


def version_of_header(path, libraries):
    nvrtc = sorted(glob.glob(os.path.join(libraries, "libnvrtc.so.*")))
    if not nvrtc:
        sys.exit("has no NVRTC that could compile it")
    source = f"#include <{os.path.basename(path)}>\n".encode()
    result = compile_program(open_library(nvrtc[0]), source, b"--include-path=" + os.path.dirname(path).encode())
    if result != 0:
        sys.exit(f"cannot be compiled (error {result}): it, or one that it includes, is not whole")
    with open(nvrtc[0], "rb") as file:
        return BANNER.search(file.read())


def check(path, libraries):
    if path.endswith(".h"):
        print(version_of_header(path, libraries).group(1).decode())
        return
    require_whole(path)
    is_library = ".so" in os.path.basename(path)
    found = version_of_library(path) if is_library else version_of_program(path)
    if not found:
        sys.exit("does not say which CUDA version it is from")
    print(found.group(1).decode())


def unpack(archive, pattern, folder):
    wheel = zipfile.ZipFile(archive)
    patterns = pattern.split("|")
    names = [n for n in wheel.namelist() if any(fnmatch.fnmatch(os.path.basename(n), one) for one in patterns)]
    if not names:
        sys.exit(f"has no {pattern}")
    for name in names:
        path = os.path.join(folder, os.path.basename(name))
        with wheel.open(name) as source, open(path, "wb") as target:
            shutil.copyfileobj(source, target)  # to the end, where zipfile compares the checksum
        os.chmod(path, 0o755)  # a wheel opened with zipfile loses the mode


if __name__ == "__main__":
    {"check": check, "unpack": unpack}[sys.argv[1]](*sys.argv[2:])
