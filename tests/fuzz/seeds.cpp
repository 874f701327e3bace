// SPDX-License-Identifier: Apache-2.0
#include "seeds.h"

#include <fstream>

#include "bundle/bundle.h"
#include "bundle/bytes.h"
#include "bundle/cells.h"
#include "fuzz.h"
#include "latency/plan.h"
#include "results/store.h"
#include "tables/compression.h"
#include "tiny_cubin.h"
#include "worker/protocol.h"

namespace ptxlat::fuzz {

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, std::string_view content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Bytes cubin_of(const std::string& kernel) {
  return standin::tiny_cubin({{kernel, {standin::read_clock(4), standin::op(0x210, 5), standin::read_clock(4)}}});
}

std::vector<bundle::ConfigurationCode> configurations() {
  bundle::ConfigurationCode one;
  one.cubins = {cubin_of(bundle::symbol_of(7))};
  one.rejections = {"ptxas rejects {{name}}"};
  one.answers[7] = {0, 0};
  one.answers[9] = {std::nullopt, 0};
  return {one, one};
}

bundle::Manifest manifest() {
  bundle::Manifest made;
  made.tool_version = "1.2.3";
  made.git_commit = "abc";
  made.method_version = latency::method_version;
  made.target = {90, "a"};
  made.levels = {0, 3};
  made.toolchains = {{{assemble::ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", {}, 9, 0}, {90, "a"}}};
  made.created_utc = "2026-01-01T00:00:00Z";
  made.command_line = "ptxlat assemble";
  return made;
}

void write_bundle(const fs::path& folder) {
  bundle::Files files{{"ptx_templates/isa/x.toml", "chapter = \"x\"\n"}};
  bundle::add_functions(files, "ptxas-13.0.88", {"nvrtc-13.0.88", {{"f", "mov.b32 {d}, {a};", {}, {}}}});
  const std::vector<bundle::BundledCell> cells{{"add.u32", "a", "default", "0123"}};
  const bundle::Words words{{{0x7918, 0}, {"NOP", false, 0}}, {{0x7947, 0}, {"BRA ", true, -16}}};
  fs::create_directories(folder / "bundle");
  const auto file = folder / "bundle/little";
  {
    bundle::BundleWriter writer(file);
    writer.begin(0);
    writer.add(bundle::SectionKind::manifest, bundle::manifest_to_json(manifest()));
    writer.add(bundle::SectionKind::files, bundle::encode_files(files));
    writer.add(bundle::SectionKind::cells, bundle::encode_cells(cells));
    writer.add(bundle::SectionKind::words, bundle::encode_words(words));
    writer.add(bundle::SectionKind::code, bundle::encode_code(configurations()));
    writer.finish();
  }
  // Uncompressed, for the target that compresses them.
  const auto content = [](const Bytes& section) { return bundle::decompress(section.data(), section.size()); };
  write(folder / "section/files", "f" + std::string(text_of(content(bundle::encode_files(files)))));
  write(folder / "section/cells", "c" + std::string(text_of(content(bundle::encode_cells(cells)))));
  write(folder / "section/words", "w" + std::string(text_of(content(bundle::encode_words(words)))));
  const auto whole = bundle::encode_code(configurations());
  const auto frame = bundle::decompress(whole.data() + 20, whole.size() - 20);
  write(folder / "section/code", "k" + std::string(text_of(whole).substr(0, 20)) + std::string(text_of(frame)));
}

void write_frames(const fs::path& folder) {
  using worker::Kind;
  const auto add = [&](const char* name, const Bytes& frame) {
    write(folder / "worker" / name, text_of(frame).substr(sizeof(std::uint32_t)));
  };
  worker::LaunchBatch batch{cubin_of("k"), {{"k", {}, 3}}};
  batch.kernels.front().launch.buffers = {{4096, ptx::Buffer::Contents::ring, 8, 1, 2}};
  batch.kernels.front().launch.output_words = {0, 1};
  add("launch", worker::frame(Kind::launch, batch));
  worker::Outcome outcome;
  outcome.launch.readout = {1, 1, 2, true, {1, 2}, {3}};
  add("outcome", worker::frame(Kind::outcome, outcome));
  add("assemble", worker::frame(Kind::assemble, worker::AssembleRequest{{}, "lib", ".version 8.0", {90, "a"}, 3}));
  add("compile", worker::frame(Kind::compile, worker::CompileRequest{"lib", "int f();", {"-x"}}));
  add("error", worker::frame(Kind::error, worker::ErrorReply{1, "message", "advice"}));
  add("module", worker::frame(Kind::module, assemble::ModuleOutcome{cubin_of("k"), "log"}));
  add("compiled", worker::frame(Kind::compiled, assemble::CompileOutcome{std::string("ptx"), "log"}));
  gpu::DeviceInfo device;
  device.name = "NVIDIA H200";
  add("device", worker::frame(Kind::device, device));
  add("counts", worker::frame(Kind::counts, counters::Counts{}));
  add("offer", worker::frame(Kind::counters, counters::Offer{}));
  nvml::Condition condition;
  condition.processes = {{1, "x"}};
  add("condition", worker::frame(Kind::condition, condition));
}

void write_store(const fs::path& folder) {
  fs::create_directories(folder / "store");
  const auto file = folder / "store/little";
  fs::remove(file);
  {
    results::Store store(file);
    results::Run run;
    run.table = "t";
    run.kind = "measured";
    run.id = 0;
    store.save_run(run);
    results::Record record;
    record.ptx = "add.u32";
    record.set(results::metric::cycles, 4);
    record.windows = {{}};
    record.windows.front().role = "chain";
    store.save_records("t", {record});
  }
  for (const char* side : {"-wal", "-shm"}) fs::remove(file.string() + side);
}

// Whole, because a checksum refuses any part.
void write_packed(const fs::path& folder) {
  const std::string lines = R"({"window":0,"sass":["IADD3 R4, R4, R5, RZ"]})"
                            "\n"
                            R"({"ptx":"add.u32","cycles":4})"
                            "\n";
  write(folder / "packed/lines.jsonl.zst", tables::zstd(lines));
}

}  // namespace

void write_seeds(const fs::path& folder) {
  write(folder / "cubin/tiny", text_of(cubin_of("k0")));
  write_bundle(folder);
  write_frames(folder);
  write_store(folder);
  write_packed(folder);
}

}  // namespace ptxlat::fuzz
