// SPDX-License-Identifier: Apache-2.0
// The windows of one record: what was between the clocks, what the GPU measured, and which number follows from it.
"use strict";
(() => {
  const meanings = {
    "overhead": "the skeleton without the instruction",
    "bracket": "clock, instruction, clock",
    "differential": "the instruction and its consumer",
    "differential base": "the same without the instruction",
    "chain": "each instruction needs the result of the one before",
    "chain twice": "the same with twice the steps",
    "bridge": "what turns a result into the next operand",
    "completion": "what waits for the effect, without the instruction",
    "stream": "independent copies",
    "stream twice": "twice as many copies",
  };

  // Launches by their cycles, as bars.
  const samplesOf = (samples) => {
    const counts = new Map();
    for (const sample of samples) counts.set(sample, (counts.get(sample) || 0) + 1);
    const sorted = [...counts].sort((a, b) => a[0] - b[0]);
    const most = Math.max(...counts.values());
    const width = 300, height = 56, bar = Math.max(2, Math.min(24, width / sorted.length - 1));
    const least = sorted[0][0], span = Math.max(1, sorted[sorted.length - 1][0] - least);
    const text = `${samples.length} launches took ${least} to ${sorted[sorted.length - 1][0]} cycles`;
    return ptxlat.element(
        "figure", {class: "samples"},
        ptxlat.drawing(
            "svg", {width: width + bar, height, role: "img", "aria-label": text},
            sorted.map(
                ([cycles, count]) => ptxlat.drawing(
                    "rect", {
                      x: (cycles - least) / span * width,
                      y: height - count / most * height,
                      width: bar,
                      height: count / most * height
                    },
                    ptxlat.drawing("title", {}, `${cycles} cycles: ${count} launches`)))),
        ptxlat.element("figcaption", {}, text));
  };

  const numbersFrom = (record, role) =>
      Object.entries(record.from || {}).filter(([, roles]) => roles.includes(role)).map(([tag]) => tag);

  const measuredText = (window) => {
    if (window.cycles === undefined) return "";
    const cycles = `${ptxlat.numberText(window.cycles)} cycles`;
    if (window.launches) return `${cycles} in all ${window.launches} launches`;
    return window.mode_share ? `${cycles} in ${Math.round(100 * window.mode_share)} % of the launches` : cycles;
  };

  const scheduleText = (window) => {
    if (window.static === undefined) return "";
    return `${window.static_is_lower_bound ? "at least " : ""}${window.static} cycles`;
  };

  const originOf = (form) => [
    "the same machine code of ", ptxlat.link(form, ptxlat.address("form", form), {class: "code"})
  ];

  const factsOf = (window, record) => ptxlat.definitions([
    ["for", numbersFrom(record, window.role).join(", ")],
    ["operand", window.operand],
    ["verdict", window.verdict + (window.reason ? `: ${window.reason}` : "")],
    ["measured", measuredText(window)],
    ["schedule", scheduleText(window)],
    ["run as", window.measured_as ? originOf(window.measured_as) : ""],
  ]);

  const windowNode = (window, record, code) => ptxlat.element(
      "article", {class: "window"},
      ptxlat.element(
          "h4", {}, window.role, ptxlat.element("span", {class: "faint"}, ` ${meanings[window.role] || ""}`)),
      factsOf(window, record), Array.isArray(window.samples) && window.samples.length ? samplesOf(window.samples) : "",
      code === undefined ? ptxlat.element("p", {class: "faint"}, "No window was found.")
                         : ptxlat.machineCode(code, `Machine code: ${window.role}`));

  ptxlat.windowsOf = (record) => {
    const windows = (record.windows || []).map((window) => windowNode(window, record, record.code[window.sass]));
    if (windows.length) return windows;
    return [ptxlat.element(
        "p", {class: "notice"}, "This table has only columns, no machine code. Its opcodes: ",
        ptxlat.element("code", {}, ptxlat.sassText(record) || "none"))];
  };
})();
