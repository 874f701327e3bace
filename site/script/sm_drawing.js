// SPDX-License-Identifier: Apache-2.0
// The SM without its memory, from facts: how warps are issued, what is on the way, and the pipes.
"use strict";
(() => {
  // Label, quantity, words after the value.
  const specs = [
    {title: "Scheduler", lines: [
      ["chooses", "scheduler.policy"], ["warps 0, n, 2n … share one: n", "scheduler.warp_modulus"],
      ["instructions a cycle", "issue.per_clock"], ["two at once", "issue.dual"],
    ]},
    {title: "Instructions on the way", lines: [
      ["buffered for a warp", "ibuffer.entries"], ["scoreboards of a warp", "scoreboard.count"],
      ["loads before one waits", "scoreboard.outstanding_max"], ["memory queue", "queue.mio"],
      ["special functions' queue", "queue.xu"], ["complete out of order", "issue.out_of_order_completion"],
    ]},
    {title: "Branches", lines: [
      ["taken", "branch.taken"], ["not taken", "branch.not_taken"], ["lanes meet again", "branch.bssy_bsync"],
      ["predication is as slow from", "branch.predication_crossover"],
    ]},
  ];
  const yesOrNo = new Set(["issue.dual", "issue.out_of_order_completion"]);

  const valueOf = (fact) => {
    if (yesOrNo.has(fact.quantity)) return fact.value === "0" ? "no" : "yes";
    if (fact.unit === "text" || Number.isNaN(Number(fact.value))) return fact.value.replace(/_/g, " ");
    return ptxlat.factValue(fact);
  };

  const boxOf = ({title, lines}, facts, table) => {
    const known = lines.map(([label, quantity]) => [label, facts.find((fact) => fact.quantity === quantity)])
                      .filter(([, fact]) => fact && fact.value !== "");
    if (known.length === 0) return "";
    return ptxlat.element(
        "div", {class: "memory-box"}, ptxlat.element("h3", {}, title),
        ptxlat.element("dl", {}, known.map(([label, fact]) => [
          ptxlat.element("dt", {}, label),
          ptxlat.element("dd", {}, ptxlat.link(
              valueOf(fact), ptxlat.address("fact", fact.quantity, {table: table.id}),
              {title: `${fact.quantity}: the evidence`})),
        ])));
  };

  // Each pipe with the greatest throughput of its opcodes.
  const pipesOf = async (table) => {
    if (!table.has_opcodes) return "";
    const {opcodes} = await ptxlat.load(`opcodes-${table.index}`);
    const best = new Map();
    for (const {pipe, interval} of ptxlat.rowsIn(opcodes)) {
      if (pipe) best.set(pipe, Math.max(best.get(pipe) || 0, ptxlat.resultsOf(interval)));
    }
    return ptxlat.element(
        "div", {class: "memory-box"}, ptxlat.element("h3", {}, "Pipes, results a cycle"),
        ptxlat.element("dl", {}, [...best].sort((a, b) => b[1] - a[1]).map(([pipe, throughput]) => [
          ptxlat.element("dt", {}, pipe),
          ptxlat.element("dd", {}, ptxlat.link(
              String(Math.round(throughput)), ptxlat.address("opcodes", "", {table: table.id, pipe}),
              {title: `${pipe}: its opcodes`})),
        ])));
  };

  ptxlat.smDrawing = async (table, facts) => {
    const boxes = [...specs.map((spec) => boxOf(spec, facts, table)), await pipesOf(table)].filter(Boolean);
    if (boxes.length === 0) return "";
    return ptxlat.element(
        "section", {class: "memory-group", "aria-label": "Issue"}, ptxlat.element("h2", {}, "In each SM: issue"),
        ptxlat.element("div", {class: "memory-boxes"}, boxes));
  };
})();
