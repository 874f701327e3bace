#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "isa/form.h"
#include "measure/kernel_assembler.h"
#include "measure/worker.h"
#include "ptx/skeleton.h"

namespace CLI {
class App;
}

namespace ptxlat {

// Which forms, at which levels: options that several subcommands share.
struct Selection {
  std::vector<std::string> filters;
  std::vector<std::string> chapters;
  std::vector<std::string> types;
  std::string ptx_version;
  bool all_forms = false;
  std::vector<int> levels{0, 1, 2, 3};
  std::vector<std::string> catalogues;
  std::string toolchain;
  std::string target;
};
// --filter, --chapter, --type, --ptx: which forms.
void add_form_filters(CLI::App& command, Selection& selection);
void add_selection(CLI::App& command, Selection& selection);
void add_levels(CLI::App& command, std::vector<int>& levels, const std::string& by_default);
void add_catalogue(CLI::App& command, Selection& selection);

// Catalogue and skeletons, the shipped ones and the user's.
struct Workbench {
  Catalogue catalogue;
  Skeletons skeletons;
};
Workbench load_workbench(const Selection& selection);

// The forms that the options leave. Error{unknown_name} for what names nothing.
std::vector<const Form*> selected_forms(const Catalogue& catalogue, const Selection& selection, bool core_only,
                                        const std::optional<Target>& target);

// "sm_90a" → {90, "a"}. Error{unknown_name} for anything else.
Target target_from(const std::string& name);

// The driver as a toolchain, once the device has told its version.
Toolchain driver_toolchain(const DeviceInfo& device);

// The assemblers that `--toolchain` asks for, several separated by commas, out of those found here and the driver if
// there is one; the newest ptxas if it names none.
std::vector<Toolchain> chosen_toolchains(const std::string& wanted, const std::optional<Toolchain>& driver);

// The target that this toolchain has for the one wanted: an older ptxas may know sm_90 and not sm_90a. Says so on
// standard error. Error{unknown_name} where a ptxas knows neither.
Target target_of(const Toolchain& toolchain, const Target& wanted);

WorkerOptions worker_options(int device);

// One assembler of this toolchain for each of `threads`; the second for the line.
std::vector<std::unique_ptr<Assembler>> make_assemblers(const Toolchain& toolchain, const WorkerOptions& options,
                                                        int threads);
std::vector<std::unique_ptr<KernelAssembler>> make_kernel_assemblers(const Toolchain& toolchain, const Target& target,
                                                                     const WorkerOptions& options, int threads);

// Error{unknown_name} for a level that toolchains of this kind do not have.
void require_levels(const std::vector<int>& levels, ToolchainKind kind);

std::string utc_now();
// As typed, but for the folder in which the program lies.
std::string command_line();

}  // namespace ptxlat
