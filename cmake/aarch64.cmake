# SPDX-License-Identifier: Apache-2.0

# Cross-compiles for 64-bit Arm (NVIDIA Grace) with Debian's or Ubuntu's g++-aarch64-linux-gnu and the libraries of
# their foreign architecture; CTest runs the tests under qemu-user. CONTRIBUTING.md has the packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
find_program(PTXLAT_QEMU NAMES qemu-aarch64-static qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${PTXLAT_QEMU})
