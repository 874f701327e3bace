# SPDX-License-Identifier: Apache-2.0

# The compile options of every target of the project.
add_library(ptxlat_options INTERFACE)
target_include_directories(ptxlat_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(ptxlat_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # GCC 12 warns about overlaps and overruns in its own std::string (GCC bug 105651 and similar ones).
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow>"
  # From GCC 13 on it takes a reference into one argument for one into another that is temporary.
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>"
  # Newer Clangs warn about std::get_temporary_buffer in libstdc++'s own std::stable_sort.
  "$<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>")
target_link_libraries(ptxlat_options INTERFACE fmt::fmt-header-only)
if(PTXLAT_WARNINGS_AS_ERRORS)
  target_compile_options(ptxlat_options INTERFACE -Werror)
endif()
if(PTXLAT_SANITIZE)
  # By default UndefinedBehaviorSanitizer only prints what it finds, and the test passes.
  target_compile_options(ptxlat_options INTERFACE -fsanitize=${PTXLAT_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(ptxlat_options INTERFACE -fsanitize=${PTXLAT_SANITIZE})
elseif(PTXLAT_STATIC)
  target_link_options(ptxlat_options INTERFACE -static-libstdc++)
  # libgcc's unwinder needs a newer libc than anything else here, and every system has a libgcc_s of its own.
  if(NOT PTXLAT_WHEEL)
    target_link_options(ptxlat_options INTERFACE -static-libgcc)
  endif()
endif()
# With AddressSanitizer, the code of every room reports what it runs, so that the same build can be fuzzed (tests/fuzz).
if(PTXLAT_SANITIZE MATCHES address)
  set(ptxlat_coverage_options -fsanitize-coverage=trace-pc,trace-cmp)
  add_library(ptxlat_coverage STATIC ${CMAKE_SOURCE_DIR}/tests/fuzz/coverage.cpp)
  target_compile_options(ptxlat_coverage PRIVATE -O2)
  target_link_libraries(ptxlat_options INTERFACE ptxlat_coverage)
endif()

# Most of a build's time used to go into parsing these headers in every file. Each file still includes what it uses: the
# static analysis of .ci/run compiles the program without precompiled headers.
set(ptxlat_precompiled
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <mutex>
  <optional> <regex> <set> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <vector>
  <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp> ${CMAKE_SOURCE_DIR}/cmake/instantiated_once.h)
add_library(ptxlat_headers STATIC ${CMAKE_SOURCE_DIR}/cmake/instantiated_once.cpp)
target_link_libraries(ptxlat_headers PUBLIC ptxlat_options nlohmann_json::nlohmann_json)
target_precompile_headers(ptxlat_headers PRIVATE ${ptxlat_precompiled})

# ptxlat_room(NAME LIBRARIES...): one room (a folder of src/) as the static library ptxlat_NAME.
function(ptxlat_room name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    add_library(ptxlat_${name} INTERFACE)
    target_link_libraries(ptxlat_${name} INTERFACE ptxlat_headers ${ARGN})
    return()
  endif()
  add_library(ptxlat_${name} STATIC ${sources})
  target_link_libraries(ptxlat_${name} PUBLIC ${ARGN} ptxlat_headers)
  target_compile_options(ptxlat_${name} PRIVATE ${ptxlat_coverage_options})
  target_precompile_headers(ptxlat_${name} REUSE_FROM ptxlat_headers)
  # Half of the time that is left goes into the other headers: six files at a time pay it once. So names in unnamed
  # namespaces must be unique in a room.
  set_target_properties(ptxlat_${name} PROPERTIES UNITY_BUILD ${PTXLAT_UNITY} UNITY_BUILD_BATCH_SIZE 6)
endfunction()

# ptxlat_label(LABEL BUDGET FILES...): a label of the tests and its budget: how many seconds all of its tests may take
# on two cores. FILES are "program/file", for the program that ptxlat_test names; files in no label are fast.
function(ptxlat_label label budget)
  set_property(GLOBAL PROPERTY ptxlat_budget_${label} ${budget})
  foreach(file ${ARGN})
    set_property(GLOBAL PROPERTY ptxlat_label_${file} ${label})
  endforeach()
endfunction()

# ptxlat_labelled(TEST FOLDER/FILE): gives a test the label of its file, and the properties that all tests have.
function(ptxlat_labelled test file)
  get_property(label GLOBAL PROPERTY ptxlat_label_${file})
  if(NOT label)
    set(label fast)
  endif()
  # For hangs. A busy machine or a sanitizer takes several times as long, and that is not a failure.
  get_property(budget GLOBAL PROPERTY ptxlat_budget_${label})
  math(EXPR timeout "10 * ${budget}")
  set_tests_properties("${test}" PROPERTIES LABELS ${label} TIMEOUT ${timeout})
  set(label ${label} PARENT_SCOPE)
endfunction()

# ptxlat_test(NAME ROOMS... [FOLDER folder]): tests/FOLDER/*_test.cpp, by default tests/NAME, as the program test_NAME.
# Each file is one CTest test: its cases share slow setup. The target fast_tests builds the programs that
# have a file labelled fast. Files are compiled six at a time, as a room's are, so names must be unique in a folder.
function(ptxlat_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" FOLDER "")
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}/*_test.cpp)
  add_executable(test_${name} ${sources})
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ptxlat_ OUTPUT_VARIABLE rooms)
  target_link_libraries(test_${name} PRIVATE ${rooms} ptxlat_catch)
  target_precompile_headers(test_${name} REUSE_FROM ptxlat_catch)
  set_target_properties(test_${name} PROPERTIES UNITY_BUILD ${PTXLAT_UNITY_TESTS} UNITY_BUILD_BATCH_SIZE 6)
  target_compile_definitions(test_${name} PRIVATE PTXLAT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  foreach(source ${sources})
    cmake_path(GET source STEM file)
    set(test "${name}: ${file}")
    add_test(NAME "${test}" COMMAND test_${name} --filenames-as-tags "[#${file}]~[.]" ${ptxlat_catch_arguments})
    ptxlat_labelled("${test}" ${name}/${file})
    set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 4)
    if(label STREQUAL fast)
      add_dependencies(fast_tests test_${name})
    endif()
  endforeach()
endfunction()
