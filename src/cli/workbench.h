#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "isa/form.h"
#include "measure/worker.h"
#include "ptx/skeleton.h"

namespace CLI {
class App;
}

namespace ptxlat {

// Which forms, at which levels: options that several subcommands share.
struct Selection {
  std::vector<std::string> filters;
  std::vector<int> levels{0, 1, 2, 3};
  std::vector<std::string> catalogues;
  std::string toolchain;
  std::string target;
};
void add_selection(CLI::App& command, Selection& selection);
void add_levels(CLI::App& command, Selection& selection);
void add_catalogue(CLI::App& command, Selection& selection);

// Catalogue and skeletons, the shipped ones and the user's.
struct Workbench {
  Catalogue catalogue;
  Skeletons skeletons;
};
Workbench load_workbench(const Selection& selection);

// "sm_90a" → {90, "a"}. Error{unknown_name} for anything else.
Target target_from(const std::string& name);

// The driver as a toolchain, once the device has told its version.
Toolchain driver_toolchain(const DeviceInfo& device);

// The assembler that `--toolchain` asks for out of those found here, the newest ptxas if it names none.
Toolchain installed_toolchain(const std::string& wanted);

// Error{missing_tool} if there is none.
std::filesystem::path required_nvdisasm();

WorkerOptions worker_options(int device);

// One assembler of this toolchain for each of `threads`.
std::vector<std::unique_ptr<Assembler>> make_assemblers(const Toolchain& toolchain, const WorkerOptions& options,
                                                        int threads);

std::string utc_now();

}  // namespace ptxlat
