// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// What reads the bytes of strangers, each reader as a function of any bytes. It must return: an input that is wrong
// ends inside in an Error, and whatever else escapes is a bug of the reader. The same functions are run by libFuzzer
// (tools/fuzz.sh) and, on its earlier findings, by an ordinary test (replay_test.cpp).
namespace ptxlat::fuzz {

struct Target {
  const char* name;
  void (*run)(std::string_view input);
};

// One line for each file of this folder that is named after its target.
void bundle(std::string_view input);
void catalogue(std::string_view input);
void command_line(std::string_view input);
void csv(std::string_view input);
void cubin(std::string_view input);
void expression(std::string_view input);
void jsonl(std::string_view input);
void nvdisasm(std::string_view input);
void opcodes(std::string_view input);
void oracle(std::string_view input);
void packed(std::string_view input);
void predict(std::string_view input);
void probe(std::string_view input);
void ptx_module(std::string_view input);
void ptxas_log(std::string_view input);
void records(std::string_view input);
void run_json(std::string_view input);
void section(std::string_view input);
void simulator(std::string_view input);
void site(std::string_view input);
void snippet(std::string_view input);
void store(std::string_view input);
void words(std::string_view input);
void worker(std::string_view input);

const std::vector<Target>& targets();

// Calls `read`; an Error is a proper end.
void expect_end_or_error(void (*read)(std::string_view), std::string_view input);

// A file in a private folder of this process, on a memory disk if there is one; removed at its end.
std::filesystem::path scratch_folder();
std::filesystem::path scratch_file(const std::string& name, std::string_view content);

// The parts of an input that consists of several: up to `count`, separated by lines of "====".
std::vector<std::string> parts_of(std::string_view input, std::size_t count);

}  // namespace ptxlat::fuzz
