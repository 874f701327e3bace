// SPDX-License-Identifier: Apache-2.0
// The first screen: what an engineer asks first, for one table.
"use strict";
(() => {
  // What all forms of an opcode have in common says nothing here; the whole name is in the title.
  const shortName = (name) =>
      (name.length < 30 ? name
                        : name.replace(".sync.aligned", "…")
                              .replace(".row.col", "…")
                              .replace(".mma_async", "")
                              .replace(/…\./g, "…"));

  // The lowest and the highest level, and the issue cost.
  const groupTable = (group, table) => {
    const levels = table.levels.length > 1 ? [table.levels[0], ptxlat.highestLevel(table)] : table.levels;
    const columns = [
      {label: group.name},
      ...levels.map((level) => ({label: `O${level}`, isNumber: true, title: `cycles at -O${level}`})),
      {label: "issue", isNumber: true, title: "cycles that one more independent copy takes"},
      {label: "code", isCode: true, title: "machine code"}
    ];
    return ptxlat.plainTable(
        group.name, columns,
        group.rows.map(
            (row) => [
                [
                  ptxlat.link(
                      shortName(row.ptx), ptxlat.formAddress(row.ptx, table),
                      {class: "code", title: row.ptx, "aria-label": row.ptx}),
                  row.input ? ptxlat.element("span", {class: "input"}, ` ${row.input}`) : null
                ],
                ...levels.map(
                    (level) => ptxlat.element(
                        "span", {class: level === levels[levels.length - 1] ? "strong" : ""}, row.levels[level] || "")),
                ptxlat.numberText(row.issue), ptxlat.element("span", {title: row.sass}, row.sass)]),
        {class: "plain glance"});
  };

  const shortTitles = {near: "L2, near part", far: "L2, far part", l1: "L1", memory: "DRAM"};

  const memoryLine = async (table) => {
    if (!table.has_probes) return null;
    const {memory} = await ptxlat.load(`facts-${table.index}`);
    const figures = memory.filter((box) => box.latency)
                        .map(
                            (box) => ptxlat.link(
                                [
                                  ptxlat.element("span", {class: "faint"}, shortTitles[box.name] || box.title),
                                  ptxlat.element("b", {}, box.latency)
                                ],
                                ptxlat.address("fact", box.latency_of, {table: table.id}), {class: "figure"}));
    return ptxlat.element(
        "section", {"aria-label": "Memory at a glance"},
        ptxlat.element(
            "div", {class: "figures"}, figures,
            ptxlat.link(
                "The hierarchy as a drawing →", ptxlat.address("memory", "", {table: table.id}),
                {class: "figure more"})));
  };

  // Three columns of about the same height, so that all groups fit on a screen: the tallest group first, each to the
  // column that is the shortest by then.
  const columnsOf = (groups, table) => {
    const columns = [0, 1, 2].map(() => ({height: 0, groups: []}));
    const heightOf = (group) => group.rows.reduce((height, row) => height + (row.ptx.length < 30 ? 1 : 1.8), 2);
    for (const group of [...groups].sort((a, b) => heightOf(b) - heightOf(a))) {
      const column = columns.reduce((best, one) => (one.height < best.height ? one : best));
      column.height += heightOf(group);
      column.groups.push(group);
    }
    const firstOf = (column) => Math.min(...column.groups.map((group) => groups.indexOf(group)));
    return columns.filter((column) => column.groups.length)
        .sort((a, b) => firstOf(a) - firstOf(b))
        .map(
            (column) => ptxlat.element(
                "div", {},
                groups.filter((group) => column.groups.includes(group)).map((group) => groupTable(group, table))));
  };

  ptxlat.views[""] = async ({query}, main) => {
    const has = (table) => table.overview.length > 0;
    const table = ptxlat.tableOf(query.table, has);
    if (!table) {
      ptxlat.fill(
          main, ptxlat.element("h1", {}, "ptxlat"),
          ptxlat.element(
              "p", {}, "None of the most wanted instructions is in the tables of this site. It has ",
              ptxlat.link("instructions", "#/forms"), ", ", ptxlat.link("probes", "#/probes"), " and ",
              ptxlat.link("tables", "#/tables"), "."));
      return;
    }
    const {run} = table;
    const what = table.kind === "static"
        ? "Cycles from the assembler's schedule; nothing was measured."
        : `Cycles of the SM, measured ${
              run.finished_utc ? run.finished_utc.slice(0, 10)
                               : ""}, each proven by the machine code between the clocks.`;
    ptxlat.fill(
        main,
        ptxlat.headline(
            ptxlat.element("h1", {}, `Instruction latency: ${table.title}`), table, has,
            (id) => ptxlat.address("", "", {table: id})),
        ptxlat.element(
            "p", {class: "lead"}, `${what} `,
            ptxlat.link(
                `All ${table.forms.toLocaleString("en")} instructions`, ptxlat.address("forms", "", {table: table.id})),
            " of PTX and CUDA C; type anywhere to search. ",
            ptxlat.tables.some((one) => one.has_opcodes) ? [ptxlat.link("Opcodes and pipes", "#/opcodes"), ", "] : "",
            ptxlat.tables.some((one) => one.has_pairs) ? [ptxlat.link("pairs and hazards", "#/pairs"), ", "] : "",
            ptxlat.link("how to read a number", "#/about"), "."),
        await memoryLine(table) || "",
        ptxlat.element(
            "section", {"aria-label": "The most wanted instructions", class: "columns"},
            columnsOf(table.overview, table)));
    return "ptxlat: instruction latencies";
  };

  const rows = [
    [
      "cycles",
      "From the issue of the instruction to the issue of the one that waits for it (its measure says what that is). " +
          "Only compare numbers of one measure."
    ],
    ["≥ 17", "From a schedule, in a static table: the code waits for something, so it takes at least this long."],
    ["(2)", "Nothing can depend on the instruction; the number is its issue cost."],
    ["issue", "The cycles that one more independent copy takes, in one warp that does not wait for the result."],
    ["operand", "The source on the dependence path: a and c of an fma need not be equally fast."],
    ["input", "The class of the input values; empty for ordinary ones."],
    ["row of", "A spelling whose machine code is that of a different form shares that form's row."],
    ["pipe", "The group of opcodes that contend with each other, found by timing pairs."],
    [
      "stall, W, R, B",
      "The control word that the assembler wrote: cycles until the next instruction may issue; scoreboards that are " +
          "set until the result is there (W) or the operands are read (R); scoreboards waited for (B)."
    ],
  ];
  ptxlat.views.about = (_, main) => {
    ptxlat.fill(
        main, ptxlat.element("h1", {}, "How to read a number"),
        ptxlat.plainTable("Words", [{label: "word"}, {label: "meaning"}], rows),
        ptxlat.section(
            "Verdicts",
            ptxlat.plainTable("Verdicts", [{label: "verdict"}, {label: "meaning"}], Object.entries(ptxlat.verdicts))),
        ptxlat.section("Keys", ptxlat.plainTable("Keys", [{label: "key"}, {label: "what it does"}], [
          ["/", "search"], ["↑ ↓ Page Up Page Down", "go through the rows of a list"],
          ["Enter", "open the chosen row; in the search, the first one"],
          ["Esc", "clear the search; from a form, back to the list"], ["← →", "in a plot, from point to point"]
        ])));
    return "How to read a number";
  };
})();
