// SPDX-License-Identifier: Apache-2.0

// Checks on a real GPU what the stand-in driver only pretends: that kernels reach the object page, scratch memory,
// their parameters, dynamic shared memory and the other CTAs of their cluster, and that every object made by the host
// works. Exit status 77, which CTest reports as skipped, if there is no GPU.
#include "base/error.h"
#include "checks.h"
#include "gpu/buffers.h"

using namespace ptxlat;
using namespace ptxlat::gpu;
using namespace ptxlat::worker;

namespace {

// A kernel, its launch, and the result that it must come to.
struct Probe {
  std::string ptx;
  KernelLaunch kernel;
  std::uint32_t result = 0;
};

// `body` may use %r1 … %r9, %rd4 … %rd9 and %p1 … %p4 and leaves its result in %r9.
Probe probe(const std::string& name, const std::string& body, std::uint32_t result, int threads = 32, int cluster = 1) {
  const std::string directives = cluster > 1 ? " .reqnctapercluster " + std::to_string(cluster) : "";
  const std::string ptx =
      ".visible .entry " + name +
      "(.param .u64 out, .param .u64 in, .param .u64 memory, .param .align 16 .b8 parameters[1024])" + directives +
      "\n{\n"
      "  .reg .b32 %r<40>; .reg .b64 %rd<10>, %memory, %scratch; .reg .pred %p<5>;\n"
      "  .shared .align 128 .b8 tile[128];\n  .shared .align 8 .b64 barrier;\n"
      "  ld.param.u64 %rd1, [out];\n  ld.param.u64 %memory, [memory];\n"
      "  ld.param.u64 %scratch, [parameters];\n"
      "  mov.u32 %r20, %tid.x;\n  mov.u32 %r21, %ctaid.x;\n  mov.u32 %r22, %ntid.x;\n"
      "  mad.lo.u32 %r20, %r21, %r22, %r20;\n  mul.wide.u32 %rd3, %r20, 64;\n  add.u64 %rd1, %rd1, %rd3;\n"
      "  mov.u32 %r10, %clock;\n" +
      body +
      "  mov.u32 %r11, %clock;\n  mov.u32 %r12, %smid;\n  mov.u32 %r13, 0;\n"
      "  st.volatile.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13};\n"
      "  st.volatile.global.v2.u32 [%rd1+16], {%r9, %r13};\nDONE:\n  ret;\n}\n";
  KernelLaunch kernel = launch_of(name);
  kernel.launch.threads = threads;
  kernel.launch.input.resize(static_cast<std::size_t>(threads * cluster) * ptx::operands_per_slot);
  kernel.launch.ctas = cluster;
  kernel.launch.uses_memory = true;
  return {ptx, kernel, result};
}

std::string offset_of(const std::string& name) {
  for (const HostObject& object : host_objects)
    if (object.name == name) return std::to_string(object.offset);
  return "no such object";
}

// Loads a handle and leaves where it is zero.
std::string handle(const std::string& name) {
  return "  ld.volatile.global.b64 %rd4, [%memory+" + offset_of(name) +
         "];\n  setp.eq.b64 %p1, %rd4, 0;\n  @%p1 bra DONE;\n";
}

std::vector<Probe> memory_probes() {
  const std::string last = std::to_string(line_reach - 4);
  return {
      probe("scratch",
            "  ld.volatile.global.u32 %r1, [%scratch];\n  ld.volatile.global.u32 %r2, [%scratch+" + last +
                "];\n  or.b32 %r9, %r1, %r2;\n  mov.u32 %r3, 77;\n  st.volatile.global.u32 [%scratch], %r3;\n"
                "  st.volatile.global.u32 [%scratch+" +
                last + "], %r3;\n",
            0, 1),
      probe("scratch_again", "  ld.volatile.global.u32 %r9, [%scratch];\n", 0),
      probe("struct_by_value", "  ld.param.u32 %r1, [parameters+1020];\n  add.u32 %r9, %r1, 6;\n", 6),
      probe("many_lanes", "  mov.u32 %r9, %ntid.x;\n", 1024, 1024),
      probe("one_lane", "  mov.u32 %r9, %ntid.x;\n", 1, 1),
  };
}

std::vector<Probe> texture_probes() {
  const std::pair<const char*, const char*> coordinates[] = {{"1d", "{%r1}"},
                                                             {"2d", "{%r1, %r1}"},
                                                             {"3d", "{%r1, %r1, %r1, %r1}"},
                                                             {"a1d", "{%r2, %r1}"},
                                                             {"a2d", "{%r2, %r1, %r1, %r1}"},
                                                             {"cube", "{%r1, %r1, %r1, %r1}"},
                                                             {"acube", "{%r2, %r1, %r1, %r1}"}};
  const std::string one = "  mov.b32 %r1, 0f3f800000;\n  mov.u32 %r2, 1;\n";
  // Of a texture that is all zero nothing but zeros come; 9 shows that something was written.
  const std::string sum = "  or.b32 %r9, %r4, %r5;\n  add.u32 %r9, %r9, 9;\n";
  std::vector<Probe> probes;
  const auto add = [&](const std::string& name, const std::string& object, const std::string& text) {
    probes.push_back(probe(name, handle(object) + one + "  mov.u32 %r4, 1;\n  mov.u32 %r5, 1;\n  " + text + sum, 9));
  };
  for (const auto& [shape, at] : coordinates)
    for (const std::string type : {"f32", "s32", "u32"})
      add(std::string("tex_") + shape + "_" + type, std::string("tex_") + shape,
          std::string("tex.") + shape + ".v4." + type + ".f32 {%r4, %r5, %r6, %r7}, [%rd4, " + at + "];\n");
  add("tex_2d_linear", "tex_2d_linear", "tex.2d.v4.f32.f32 {%r4, %r5, %r6, %r7}, [%rd4, {%r1, %r1}];\n");
  add("tex_2d_integer", "tex_2d", "tex.2d.v4.f32.s32 {%r4, %r5, %r6, %r7}, [%rd4, {%r2, %r2}];\n");
  add("tld4_2d", "tex_2d", "tld4.r.2d.v4.f32.f32 {%r4, %r5, %r6, %r7}, [%rd4, {%r1, %r1}];\n");
  probes.push_back(probe("txq", handle("tex_2d") + "  txq.width.b32 %r9, [%rd4];\n", 64));
  return probes;
}

// Stores to a surface come back.
std::vector<Probe> surface_probes() {
  const std::pair<const char*, const char*> coordinates[] = {{"1d", "{%r1}"},
                                                             {"2d", "{%r1, %r2}"},
                                                             {"3d", "{%r1, %r2, %r2, %r2}"},
                                                             {"a1d", "{%r2, %r1}"},
                                                             {"a2d", "{%r2, %r1, %r2, %r2}"}};
  std::vector<Probe> probes;
  for (const auto& [shape, at] : coordinates) {
    const std::string place = std::string("[%rd4, ") + at + "]";
    probes.push_back(probe(std::string("surf_") + shape,
                           handle(std::string("surf_") + shape) +
                               "  mov.u32 %r1, 32;\n  mov.u32 %r2, 1;\n  mov.u32 %r3, 55;\n  sust.b." + shape +
                               ".v4.b32.trap " + place + ", {%r3, %r3, %r3, %r3};\n  suld.b." + shape +
                               ".v4.b32.trap {%r4, %r5, %r6, %r9}, " + place + ";\n",
                           55, 1));
  }
  return probes;
}

// Writes 4321 where the tensor begins, lets the tensor copy fetch the box there, and reads it in shared memory.
Probe tensor_probe(int rank, bool is_im2col) {
  const std::string dimension = std::to_string(rank) + "d";
  const std::string name = std::string("tensormap_") + (is_im2col ? "im2col_" : "") + dimension;
  const std::string at = "[%memory+" + offset_of(name) + "]";
  std::string coordinates = "%r1", offsets;
  for (int i = 1; i < rank; ++i) coordinates += ", %r1";
  for (int i = 2; is_im2col && i < rank; ++i) offsets += i == 2 ? ", {%rs1" : ", %rs1";
  if (is_im2col) offsets += "}";
  return probe(name,
               "  .reg .b16 %rs1;\n  mov.b16 %rs1, 0;\n  mov.u32 %r1, 0;\n  mov.u32 %r2, 4321;\n"
               "  fence.proxy.tensormap::generic.acquire.sys " +
                   at +
                   ", 128;\n"
                   "  st.volatile.global.u32 [%scratch], %r2;\n"
                   "  add.u64 %rd5, %memory, " +
                   offset_of(name) +
                   ";\n"
                   "  mbarrier.init.shared.b64 [barrier], 1;\n  fence.proxy.async;\n"
                   "  mbarrier.arrive.expect_tx.shared.b64 %rd6, [barrier], 64;\n"
                   "  cp.async.bulk.tensor." +
                   dimension + ".shared::cluster.global." + (is_im2col ? "im2col" : "tile") +
                   ".mbarrier::complete_tx::bytes [tile], [%rd5, {" + coordinates + "}], [barrier]" + offsets +
                   ";\n"
                   "WAIT:\n  mbarrier.try_wait.shared.b64 %p2, [barrier], %rd6;\n  @!%p2 bra WAIT;\n"
                   "  ld.shared.u32 %r9, [tile];\n",
               4321, 1);
}

std::vector<Probe> hopper_probes() {
  std::vector<Probe> probes;
  for (int rank = 1; rank <= 5; ++rank) probes.push_back(tensor_probe(rank, false));
  for (int rank = 3; rank <= 5; ++rank) probes.push_back(tensor_probe(rank, true));
  const std::string write_rank_then_meet =
      "  mov.u32 %r1, %cluster_ctarank;\n  add.u32 %r1, %r1, 40;\n  st.volatile.shared.u32 [tile], %r1;\n"
      "  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n";
  // CTA 0 reads what CTA 1 wrote.
  probes.push_back(probe("cluster",
                         write_rank_then_meet +
                             "  mov.u32 %r2, tile;\n  mov.u32 %r3, 1;\n  mapa.shared::cluster.u32 %r4, %r2, %r3;\n"
                             "  ld.shared::cluster.u32 %r9, [%r4];\n"
                             "  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n",
                         41, 32, 2));
  return probes;
}

Probe dynamic_shared_probe() {
  Probe dynamic = probe("dynamic_shared",
                        "  mov.u32 %r1, 66;\n  mov.u32 %r2, dynamic;\n  st.volatile.shared.u32 [%r2+90108], %r1;\n"
                        "  ld.volatile.shared.u32 %r9, [%r2+90108];\n",
                        66, 1);
  dynamic.kernel.launch.dynamic_shared = 90 * 1024;
  dynamic.ptx = ".extern .shared .align 128 .b8 dynamic[];\n" + dynamic.ptx;
  return dynamic;
}

constexpr const char* any_gpu = ".version 7.0\n.target sm_70\n.address_size 64\n";
constexpr const char* hopper = ".version 8.3\n.target sm_90\n.address_size 64\n";

void run(Worker& worker, const DeviceInfo& info, const std::string& header, const std::vector<Probe>& probes) {
  const assemble::Toolchain driver{assemble::ToolchainKind::driver, "driver", info.driver_version, "", 0, 0};
  std::string ptx = header;
  LaunchBatch batch;
  for (const Probe& probe : probes) {
    ptx += probe.ptx;
    batch.kernels.push_back(probe.kernel);
  }
  const assemble::ModuleOutcome module = worker.assemble(driver, ptx, {info.sm, ""}, 3);
  check(module.cubin.has_value(), "the JIT assembles " + std::to_string(probes.size()) + " kernels " + module.log);
  if (!module.cubin) return;
  batch.cubin = *module.cubin;
  const auto outcomes = worker.launch(batch);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const ptx::LaunchOutcome& outcome = outcomes[i];
    const bool has_run = outcome.status == ptx::LaunchStatus::ok;
    const auto seen = has_run ? "result " + std::to_string(result_of(outcome.readout)) : outcome.message;
    // From the first launch: the second finds what the first has written.
    check(has_run && result_of(outcome.readout) == probes[i].result,
          probes[i].kernel.kernel + ": " + seen + ", expected " + std::to_string(probes[i].result));
  }
}

// The object page's first eight bytes are never a handle.
void leave_at_a_zero_handle(Worker& worker, const DeviceInfo& info) {
  const assemble::Toolchain driver{assemble::ToolchainKind::driver, "driver", info.driver_version, "", 0, 0};
  const Probe leaving =
      probe("leaves", "  ld.volatile.global.b64 %rd4, [%memory];\n  setp.eq.b64 %p1, %rd4, 0;\n  @%p1 bra DONE;\n", 0);
  const assemble::ModuleOutcome module = worker.assemble(driver, any_gpu + leaving.ptx, {info.sm, ""}, 3);
  LaunchBatch batch;
  batch.cubin = module.cubin.value_or(Bytes{});
  batch.kernels = {leaving.kernel};
  const ptx::LaunchOutcome outcome = worker.launch(batch)[0];
  check(outcome.status == ptx::LaunchStatus::fault && outcome.message == "the kernel ended without writing its clocks",
        "a zero handle: " + outcome.message);
}

}  // namespace

int main(int, char** argv) {
  WorkerOptions options;
  options.program = argv[1];
  options.kernel_deadline = std::chrono::seconds(2);
  Worker worker(options);
  try {
    const DeviceInfo info = worker.device_info();
    std::printf("%s sm_%d driver %s\n", info.name.c_str(), info.sm, info.driver_version.c_str());
    run(worker, info, any_gpu, memory_probes());
    run(worker, info, any_gpu, {dynamic_shared_probe()});
    run(worker, info, any_gpu, texture_probes());
    run(worker, info, any_gpu, surface_probes());
    if (info.sm >= 90) run(worker, info, hopper, hopper_probes());
    leave_at_a_zero_handle(worker, info);
  } catch (const Error& error) {
    std::printf("%s\n%s\n", error.what(), error.advice.c_str());
    return error.exit_code == ExitCode::no_gpu ? skipped : 1;
  }
  return failures == 0 ? 0 : 1;
}
