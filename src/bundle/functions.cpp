// SPDX-License-Identifier: Apache-2.0
#include "bundle/functions.h"

#include "base/error.h"
#include "results/json.h"

namespace ptxlat::bundle {

namespace {

std::string file_of(const std::string& toolchain) { return toolchain + "/functions.json"; }

}  // namespace

void add_functions(Files& files, const std::string& toolchain, const cuda::CudaFunctions& functions) {
  results::Json json;
  json["compiler"] = functions.compiler;
  json["functions"] = results::Json::array();
  for (const auto& [form, text, module, problem, compiler_failed] : functions.functions)  // which is final here
    json["functions"].push_back({{"form", form}, {"text", text}, {"module", module}, {"problem", problem}});
  files[file_of(toolchain)] = results::to_line(json);
}

cuda::CudaFunctions functions_in(const Files& files, const std::string& toolchain) {
  const auto found = files.find(file_of(toolchain));
  if (found == files.end()) return {};
  try {
    const auto json = results::parse_json(found->second);
    cuda::CudaFunctions functions{json.at("compiler").get<std::string>(), {}};
    for (const auto& entry : json.at("functions")) {
      functions.functions.push_back({entry.at("form").get<std::string>(), entry.at("text").get<std::string>(),
                                     entry.at("module").get<std::vector<std::string>>(),
                                     entry.at("problem").get<std::string>()});
    }
    return functions;
  } catch (const std::exception& error) {
    throw Error(ExitCode::storage,
                "the bundle has a " + found->first + " that cannot be read: " + std::string(error.what()),
                "make it again with `ptxlat assemble`, or copy it again");
  }
}

}  // namespace ptxlat::bundle
