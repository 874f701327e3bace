#include <fmt/format.h>

#include "report/page.h"
#include "report/rows.h"
#include "report/table.h"

namespace ptxlat::report {

namespace {

std::string title(const results::Run& run) {
  const std::string where = run.device ? fmt::format("{}, ", run.device->name) : "";
  return fmt::format("{}{}, {}", where, run.target, run.toolchain);
}

std::string origin(const results::Run& run) {
  std::string text;
  if (run.device) {
    const gpu::DeviceInfo& device = *run.device;
    text = fmt::format("{}: {} SMs, SM clock {} MHz, memory clock {} MHz, driver {}, CUDA {}.{}. ", device.name,
                       device.sm_count, device.sm_clock_khz / 1000, device.memory_clock_khz / 1000,
                       device.driver_version, device.cuda_api_version / 1000, device.cuda_api_version % 1000 / 10);
  }
  return text + fmt::format("Toolchain {}, ptxlat {}, {}. `run.json` has the whole provenance.", run.toolchain,
                            run.tool_version, run.finished_utc);
}

}  // namespace

void write_text(std::ostream& out, const Table& table) {
  const RowLayout layout = layout_of(table, PageFormat::text);
  Grid grid{columns_of(layout), {}};
  for (const Row& row : rows_of(table.cells)) grid.rows.push_back(fields_of(layout, row));
  Page page(out, {});
  page.table(grid);
  page.paragraph({verdict_summary(verdict_counts(table)) + ". " + number_legend(layout)});
}

void write_markdown(std::ostream& out, const Table& table) {
  const RowLayout layout = layout_of(table, PageFormat::markdown);
  Page page(out, {PageFormat::markdown});
  page.heading(1, {"Instruction latency: " + title(table.run)});
  page.paragraph({origin(table.run)});
  page.paragraph({fmt::format("{}. {} A word in place of a number is the verdict: why there is none.",
                              verdict_summary(verdict_counts(table)), number_legend(layout))});
  Grid grid{columns_of(layout), {}};
  const auto rows = rows_of(table.cells);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& chapter = rows[i].highest().record.chapter;
    grid.rows.push_back(fields_of(layout, rows[i]));
    if (i + 1 < rows.size() && rows[i + 1].highest().record.chapter == chapter) continue;
    page.heading(2, {chapter});
    page.table(grid);
    grid.rows.clear();
  }
}

}  // namespace ptxlat::report
