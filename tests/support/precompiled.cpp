// SPDX-License-Identifier: Apache-2.0

// Only here to be compiled with the headers that the tests have precompiled (tests/CMakeLists.txt).
