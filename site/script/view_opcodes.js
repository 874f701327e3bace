// SPDX-License-Identifier: Apache-2.0
// SASS opcodes: throughput, pipe, and which opcodes contend.
"use strict";
(() => {
  const arrivals = {fixed: "after a fixed number of cycles", scoreboard: "when the hardware says so (scoreboard)"};
  const read = async (table) => {
    const {opcodes, contention} = await ptxlat.load(`opcodes-${table.index}`);
    return {opcodes: ptxlat.rowsIn(opcodes), contention: ptxlat.rowsIn(contention)};
  };
  ptxlat.opcodesIn = async (table) => (await read(table)).opcodes;
  const has = (table) => table.has_opcodes;
  // The distinct opcodes of a row, each with its pipe and a link, where a table of this architecture has opcodes.
  ptxlat.opcodesOf = async (record, table) => {
    const source = ptxlat.tableLike(table, has);
    const names = [...new Set(Array.isArray(record.sass) ? record.sass : [])];
    if (!source || names.length === 0) return "";
    const known = new Map((await read(source)).opcodes.map((one) => [one.opcode, one]));
    const nodes = names.flatMap((name) => {
      const one = known.get(name);
      if (!one) return [ptxlat.element("code", {}, name), ", "];
      const link = ptxlat.link(name, ptxlat.address("opcode", name, {table: source.id}), {class: "code"});
      return [link, one.pipe ? ` (${one.pipe})` : "", ", "];
    });
    return ptxlat.element("p", {}, "Opcodes, with their pipes: ", nodes.slice(0, -1));
  };

  const formsOf = (opcode, table) => ptxlat.address("forms", "", {table: table.id, q: opcode.split(".")[0]});

  // The pipes of the SM as boxes, each with its opcodes.
  const map = (opcodes, table, chosen) => {
    const pipes = new Map();
    for (const opcode of opcodes) {
      const pipe = opcode.pipe || "unknown";
      if (!pipes.has(pipe)) pipes.set(pipe, []);
      pipes.get(pipe).push(opcode);
    }
    const fastest = (list) => Math.max(...list.map((one) => ptxlat.resultsOf(one.interval)));
    return ptxlat.element(
        "div", {class: "pipes"},
        [...pipes]
            .sort((a, b) => b[1].length - a[1].length)
            .map(
                ([pipe, list]) => ptxlat.element(
                    "a", {
                      class: `pipe ${pipe === chosen ? "chosen" : ""}`,
                      "aria-current": pipe === chosen ? "true" : undefined,
                      href: ptxlat.address("opcodes", "", {table: table.id, pipe: pipe === chosen ? "" : pipe})
                    },
                    ptxlat.element("b", {}, pipe),
                    ptxlat.element(
                        "span", {}, `${list.length} opcodes, up to ${ptxlat.numberText(fastest(list))} results a cycle`),
                    ptxlat.element(
                        "small", {},
                        [...new Set(list.map((one) => one.opcode.split(".")[0]))].slice(0, 14).join(" ")))));
  };

  const rowsOf = (opcodes, table) => opcodes.map(
      (one) =>
          [ptxlat.link(one.opcode, ptxlat.address("opcode", one.opcode, {table: table.id}), {class: "code"}), one.pipe,
           one.throughput, one.unit, one.interval, one.saturates_at, one.latency, one.forms,
           one.example ? ptxlat.link(one.example, ptxlat.formAddress(one.example, table), {class: "code"}) : "",
           one.note]);
  const columns = [
    {label: "opcode"}, {label: "pipe"},
    {label: "a cycle", isNumber: true, title: "of one SM, in the unit"}, {label: "unit"},
    {label: "interval", isNumber: true, title: "cycles between two instructions in a sub-partition"},
    {label: "warps", isNumber: true, title: "the fewest that reach it"}, {label: "latency", isNumber: true},
    {label: "forms", isNumber: true, title: "PTX spellings that become this opcode alone"}, {label: "for example"},
    {label: "note"}
  ];

  // Who contends with whom, as colours; a cell says its pair and what its score means.
  const heatMap = (contention, opcodes) => {
    const pipeOf = new Map(opcodes.map((one) => [one.opcode, one.pipe]));
    const order = [...new Set(contention.flatMap(({a, b}) => [a, b]))].sort(
        (a, b) => (pipeOf.get(a) || "~").localeCompare(pipeOf.get(b) || "~") || a.localeCompare(b));
    const place = new Map(order.map((name, i) => [name, i]));
    const size = 12;
    const text = ptxlat.element("p", {class: "count", role: "status"}, "Point at a cell.");
    const cells = contention.flatMap(({a, b, score, verdict, note}) => [[a, b], [b, a]].map(([row, column]) => {
      const value = Number(score);
      const words = score === ""
          ? `${a} and ${b}: ${note || verdict || "cannot be told apart: issuing them takes as long as one pipe would"}`
          : `${a} (${pipeOf.get(a) || "?"}) and ${b} (${pipeOf.get(b) || "?"}): score ${score}. ${
                value >= 0.8       ? "Together they take the sum of their times: they share a pipe."
                    : value >= 0.4 ? "They contend for something, such as register ports, but not for a pipe."
                                   : "Together they take as long as the slower one alone."}`;
      return ptxlat.drawing(
          "rect", {
            x: place.get(column) * size,
            y: place.get(row) * size,
            width: size - 1,
            height: size - 1,
            class: score === "" ? "none" : `heat${Math.max(0, Math.min(9, Math.floor(value * 10)))}`,
            onmouseenter: () => {
              text.textContent = words;
            }
          },
          ptxlat.drawing("title", {}, words));
    }));
    const labels = order.flatMap(
        (name, i) => [ptxlat.drawing(
            "text", {x: -4, y: (i + 0.8) * size, "text-anchor": "end"}, `${name} ${pipeOf.get(name) || ""}`)]);
    const drawing = ptxlat.drawing(
        "svg", {
          class: "heat",
          viewBox: `-150 -4 ${order.length * size + 160} ${order.length * size + 8}`,
          role: "img",
          "aria-label": "Contention of opcodes; contention.csv has it as a table"
        },
        labels, cells);
    return ptxlat.section(
        "Who contends with whom",
        ptxlat.element(
            "p", {class: "faint"},
            "Dark: two opcodes together take the sum of their times. Light: as long as the slower one alone."),
        text,
        ptxlat.element("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "Contention"}, drawing));
  };

  const none = (main) => {
    ptxlat.showNotice(main, "Opcodes", "No table of this site has opcodes. `ptxlat opcodes` measures them.");
    return "Opcodes";
  };

  ptxlat.views.opcodes = async ({query}, main) => {
    const table = ptxlat.tableOf(query.table, has);
    if (!table) return none(main);
    const {opcodes, contention} = await read(table);
    const shown = opcodes.filter((one) => !query.pipe || (one.pipe || "unknown") === query.pipe);
    ptxlat.fill(
        main,
        ptxlat.headline(
            ptxlat.element("h1", {}, "SASS opcodes and their pipes"), table, has,
            (id) => ptxlat.address("opcodes", "", {table: id})),
        ptxlat.element(
            "p", {class: "lead"},
            "A pipe is a group of opcodes that contend with each other, found by timing pairs and named after its ",
            "members. A click shows its opcodes alone.",
            ptxlat.tableLike(table, (one) => one.has_pairs) ? [
              " How far apart two opcodes must be: ",
              ptxlat.link("pairs", ptxlat.address("pairs", "", {table: ptxlat.tableLike(table, (one) => one.has_pairs).id})), "."
            ] : ""),
        map(opcodes, table, query.pipe),
        ptxlat.section(
            query.pipe ? `Pipe ${query.pipe}` : "All opcodes",
            ptxlat.plainTable("Opcodes", columns, rowsOf(shown, table))),
        contention.length && !query.pipe ? heatMap(contention, opcodes) : "");
    return `Opcodes of ${table.title}`;
  };

  const beside = (pairs, opcodes, table) => {
    const pipeOf = new Map(opcodes.map((opcode) => [opcode.opcode, opcode.pipe]));
    return ptxlat.section(
        "Beside other opcodes",
        ptxlat.element("p", {class: "faint"},
                       "Score 1: together they take the sum of their times. 0: as long as the slower one alone."),
        ptxlat.plainTable(
            "Contention",
            [{label: "opcode"}, {label: "pipe"}, {label: "score", isNumber: true}, {label: "floor", isNumber: true}],
            pairs.map(([other, score, floor]) => [
              ptxlat.link(other, ptxlat.address("opcode", other, {table: table.id}), {class: "code"}),
              pipeOf.get(other) || "", score, floor
            ])));
  };

  ptxlat.views.opcode = async ({name, query}, main) => {
    const table = ptxlat.tableOf(query.table, has);
    if (!table) return none(main);
    const {opcodes, contention} = await read(table);
    const one = opcodes.find((opcode) => opcode.opcode === name);
    const back = ptxlat.element(
        "p", {class: "back"}, ptxlat.link("← Opcodes", ptxlat.address("opcodes", "", {table: table.id})));
    if (!one) {
      ptxlat.fill(
          main, back, ptxlat.element("h1", {class: "code"}, name),
          ptxlat.element("p", {class: "notice"}, `${table.title} has no such opcode.`));
      return name;
    }
    const pairs = contention.filter(({a, b, score}) => (a === one.paired_as || b === one.paired_as) && score !== "")
                      .map(({a, b, score, floor}) => [a === one.paired_as ? b : a, score, floor])
                      .sort((a, b) => Number(b[1]) - Number(a[1]));
    const documented = one.example && await ptxlat.documentedThroughput(one.example, table);
    const example = one.example ? [
      "For example ", ptxlat.link(one.example, ptxlat.formAddress(one.example, table), {class: "code"}), ". "
    ] : "";
    ptxlat.fill(
        main, back, ptxlat.element("h1", {class: "code"}, name), ptxlat.definitions([
          ["pipe", one.pipe || "unknown"],
          ["a cycle of an SM", one.throughput && `${one.throughput} ${one.unit}`],
          ["documented by the vendor", documented && `${documented.throughput} ${documented.unit} (${documented.source})`],
          ["multiply-adds a cycle of an SM", one.multiply_adds],
          ["cycles between two in a sub-partition", one.interval],
          ["fewest warps that reach it", one.saturates_at],
          ["fewest instructions in flight that reach it", one.in_flight],
          ["latency", one.latency && `${one.latency} cycles`],
          ["the result is known to be there", arrivals[one.arrival]],
          ["cycles to consumers on each pipe", one.latencies],
          ["lowest right distance to a consumer", one.hazard && `${one.hazard} cycles`],
          ["counted by", one.counters],
          ["cycles that operands add", one.operand_costs],
          ["levels", one.levels],
          ["versions of ptxas", one.versions],
          ["paired as", one.paired_as],
          ["note", one.note],
        ]),
        ptxlat.element("p", {}, example,
                       ptxlat.link(`All instructions that use ${name.split(".")[0]}`, formsOf(name, table))),
        await ptxlat.pairsOf(name, table), pairs.length ? beside(pairs, opcodes, table) : "");
    return name;
  };
})();
