// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace CLI {
class App;
}

namespace ptxlat::cli {

// Each adds one subcommand with its options to the program. The subcommand's callback does the work, writes data to
// standard output and everything else to standard error, and throws an Error that ends it.
void add_run(CLI::App& program);       // run.cpp
void add_static(CLI::App& program);    // run.cpp: the same line without its GPU station
void add_probe(CLI::App& program);     // probe.cpp
void add_opcodes(CLI::App& program);   // opcodes.cpp
void add_pairs(CLI::App& program);     // pairs.cpp
void add_assemble(CLI::App& program);  // assemble.cpp: a bundle for run
void add_merge(CLI::App& program);     // merge.cpp: the stores of several machines
void add_list(CLI::App& program);      // list.cpp
void add_check(CLI::App& program);     // check.cpp
void add_show(CLI::App& program);      // show.cpp
void add_measure(CLI::App& program);   // measure.cpp
void add_compare(CLI::App& program);   // compare.cpp
void add_report(CLI::App& program);    // report.cpp: a web site of tables
void add_export(CLI::App& program);    // export.cpp: a simulator's configuration
void add_doctor(CLI::App& program);    // doctor.cpp
void add_toolkits(CLI::App& program);  // toolkits.cpp
void add_worker(CLI::App& program);    // main.cpp, hidden: the process that worker/worker.h talks to

// For someone who doubts a number (reproduce.cpp, replay.cpp).
void add_reproduce(CLI::App& program);
void add_replay(CLI::App& program);
// Hidden: man page and completions of shells (interface.cpp).
void add_interface(CLI::App& program);

// For long work that keeps its finished results: from now on Ctrl-C and SIGTERM set this flag, and only a second one
// ends the program immediately.
const std::atomic<bool>& heed_interrupts();  // main.cpp

}  // namespace ptxlat::cli
