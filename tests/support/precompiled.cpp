// Only here to be compiled with the headers that the tests have precompiled (tests/CMakeLists.txt).
