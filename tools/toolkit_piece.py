"""One program or library of a CUDA toolkit: proves that it works, or takes it out of a wheel. For tools/toolkits.sh.

    toolkit_piece.py check FILE                    prints its exact version; else says on stderr why it is unusable
    toolkit_piece.py unpack ARCHIVE PATTERN FOLDER the files of a wheel whose names match, into FOLDER
"""

import ctypes
import fnmatch
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


def compile_kernel(nvrtc):
    """Only compiling needs the builtins library, so only compiling shows that it is there and whole."""
    program = ctypes.c_void_p()
    source = b'extern "C" __global__ void nothing(float* x) { *x = __sinf(*x); }'
    options = (ctypes.c_char_p * 1)(b"--gpu-architecture=compute_80")
    result = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"nothing.cu", 0, None, None)
    if result == 0:
        result = nvrtc.nvrtcCompileProgram(program, 1, options)
    if result != 0:
        sys.exit(f"cannot compile an empty kernel (error {result}); its builtins library may be missing or broken")


def version_of_library(path):
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        sys.exit(f"cannot be loaded: {error}")
    if os.path.basename(path).startswith("libnvrtc.so"):
        compile_kernel(library)
    # nvJitLinkVersion came with CUDA 12.1 and gives no third number; the banner is in every library.
    with open(path, "rb") as file:
        return BANNER.search(file.read())


def check(path):
    require_whole(path)
    is_library = ".so" in os.path.basename(path)
    found = version_of_library(path) if is_library else version_of_program(path)
    if not found:
        sys.exit("does not say of which CUDA version it is")
    print(found.group(1).decode())


def unpack(archive, pattern, folder):
    wheel = zipfile.ZipFile(archive)
    names = [name for name in wheel.namelist() if fnmatch.fnmatch(os.path.basename(name), pattern)]
    if not names:
        sys.exit(f"has no {pattern}")
    for name in names:
        path = os.path.join(folder, os.path.basename(name))
        with wheel.open(name) as source, open(path, "wb") as target:
            shutil.copyfileobj(source, target)  # to the end, where zipfile compares the checksum
        os.chmod(path, 0o755)  # a wheel opened with zipfile loses the mode


if __name__ == "__main__":
    {"check": check, "unpack": unpack}[sys.argv[1]](*sys.argv[2:])
