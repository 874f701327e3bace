// SPDX-License-Identifier: Apache-2.0
// The SM and the memory hierarchy as a drawing. Every figure is a fact and leads to its evidence.
"use strict";
(() => {
  const has = (table) => table.has_probes;
  const places = {
    sm: {title: "In each SM: memory", boxes: ["l1", "texture", "shared", "constant"]},
    beyond: {title: "Between SM and memory", boxes: ["remote", "constant2", "l2", "near", "far"]},
    translation: {title: "Address translation", boxes: ["tlb1", "tlb2", "pages"]},
    memory: {title: "Memory", boxes: ["memory"]},
  };

  const figure = (value, quantity, table) =>
      ptxlat.link(value, ptxlat.address("fact", quantity, {table: table.id}), {title: `${quantity}: the evidence`});

  const boxNode = (box, table) => ptxlat.element(
      "div", {class: `memory-box ${box.name}`}, ptxlat.element("h3", {}, box.title),
      box.latency ? ptxlat.element("p", {class: "latency"}, figure(box.latency, box.latency_of, table)) : "",
      ptxlat.element(
          "dl", {},
          box.lines.map(
              (line) =>
                  [ptxlat.element(
                       "dt", {}, line.label, line.over ? ptxlat.element("small", {}, ` over ${line.over}`) : ""),
                   ptxlat.element("dd", {}, figure(line.value, line.quantity, table))])));

  // Latencies as bars.
  const ladder = (boxes, table) => {
    const known = boxes.map((box) => ({box, cycles: parseFloat(box.latency)}))
                      .filter(({cycles}) => cycles > 0)
                      .sort((a, b) => a.cycles - b.cycles);
    if (known.length < 2) return "";
    const most = Math.max(...known.map(({cycles}) => cycles));
    return ptxlat.section("How far away it is", ptxlat.element("div", {class: "ladder"}, known.map(({box, cycles}) => {
      const bar = ptxlat.element("span", {class: "rung", "aria-hidden": "true"});
      bar.style.width = `${Math.max(2, 100 * cycles / most)}%`;
      return ptxlat.element(
          "div", {}, ptxlat.element("span", {}, box.title), ptxlat.element("span", {class: "track"}, bar),
          figure(box.latency, box.latency_of, table));
    })));
  };

  ptxlat.views.memory = async ({query}, main) => {
    const table = ptxlat.tableOf(query.table, has);
    if (!table) {
      ptxlat.showNotice(main, "The SM and its memory", "No table of this site has probes. `ptxlat probe` runs them.");
      return "Memory";
    }
    const {facts, memory} = await ptxlat.load(`facts-${table.index}`);
    const byName = new Map(memory.map((box) => [box.name, box]));
    const group = ({title, boxes}) => {
      const shown = boxes.map((name) => byName.get(name)).filter(Boolean);
      return shown.length
          ? ptxlat.element(
                "section", {class: "memory-group", "aria-label": title}, ptxlat.element("h2", {}, title),
                ptxlat.element("div", {class: "memory-boxes"}, shown.map((box) => boxNode(box, table))))
          : "";
    };
    ptxlat.fill(
        main,
        ptxlat.headline(
            ptxlat.element("h1", {}, "The SM and its memory"), table, has,
            (id) => ptxlat.address("memory", "", {table: id})),
        ptxlat.element(
            "p", {class: "lead"},
            "Sizes, latencies and rates as they were inferred. Each figure leads to its evidence. A range is over the ",
            "condition that is named, such as the carve-out of shared memory."),
        ptxlat.element(
            "div", {class: "hierarchy"}, await ptxlat.smDrawing(table, facts),
            ptxlat.element("div", {class: "down", "aria-hidden": "true"}), group(places.sm),
            ptxlat.element("div", {class: "down", "aria-hidden": "true"}), group(places.beyond),
            ptxlat.element("div", {class: "down", "aria-hidden": "true"}),
            ptxlat.element("div", {class: "pair"}, group(places.translation), group(places.memory))),
        ladder(memory, table));
    return `Memory of ${table.title}`;
  };
})();
