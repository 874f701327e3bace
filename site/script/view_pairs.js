// SPDX-License-Identifier: Apache-2.0
// Producers and consumers: how far apart two SASS opcodes must be, as a heat map. Opcodes of one family (the name up to
// the first point) share a row or a column until the reader chooses the family.
"use strict";
(() => {
  const read = async (table) => {
    const {pairs, runs} = await ptxlat.load(`pairs-${table.index}`);
    return {pairs: ptxlat.rowsIn(pairs), runs};
  };
  const has = (table) => table.has_pairs;
  const familyOf = (opcode) => opcode.split(".")[0];

  const verdicts = {
    exact: "the schedule is the lowest right distance",
    late: "the schedule is longer than the values need",
    early: "the schedule is shorter than the values need",
    waits: "the result comes under a scoreboard",
    scheduled: "the lowest right distance is not known",
    measured: "the registers are overwritten in the right order from there on",
    undetermined: "no order of the two shows a difference",
  };
  const latenessOf = (pair) => (pair.hazard === "" || pair.schedule === "" ? NaN : pair.schedule - pair.hazard);
  const numberOf = (name) => (pair) => (pair[name] === "" ? NaN : Number(pair[name]));
  const metrics = {
    hazard: {label: "lowest right distance", of: numberOf("hazard")},
    late: {label: "schedule − lowest right distance", of: latenessOf},
    schedule: {label: "schedule", of: numberOf("schedule")},
    measured: {label: "measured, issue to issue", of: numberOf("measured")},
  };

  const slotWords = (slot) => {
    if (slot === "waw") return "which overwrites its result";
    if (slot === "war") return "which overwrites its source";
    if (["predicate", "carry", "guard"].includes(slot)) return `as its ${slot}`;
    return `as source ${slot.replace(/\+/g, " and ")}`;
  };
  const wordsOfPair = (pair) => {
    const numbers = [
      pair.schedule && `the assembler leaves ${pair.schedule} cycles`,
      pair.measured && `it issues ${pair.measured} cycles after its producer`,
      pair.hazard && `all values are right from ${pair.hazard} cycles on`
    ].filter(Boolean);
    return `${pair.producer} → ${pair.consumer}, ${slotWords(pair.slot)}: ${
        numbers.join(", ") || "no distance is known"}. Verdict ${pair.verdict}: ${verdicts[pair.verdict] || "?"}.${
        pair.note ? ` Note: ${pair.note}.` : ""}`;
  };

  const rangeOf = (pairs, name) => {
    const values = pairs.map(metrics[name].of).filter((value) => !Number.isNaN(value));
    if (values.length === 0) return "";
    const [least, most] = [Math.min(...values), Math.max(...values)].map(ptxlat.numberText);
    return least === most ? least : `${least} to ${most}`;
  };
  const verdictCounts = (pairs) => Object.keys(verdicts)
                                       .map((verdict) => [pairs.filter((pair) => pair.verdict === verdict).length, verdict])
                                       .filter(([count]) => count > 0)
                                       .map(([count, verdict]) => `${count.toLocaleString("en")} ${verdict}`)
                                       .join(", ");
  const wordsOfMany = (cell) => {
    const ranges = ["schedule", "measured", "hazard"]
                       .map((name) => [metrics[name].label, rangeOf(cell.pairs, name)])
                       .filter(([, range]) => range)
                       .map(([label, range]) => `${label} ${range} cycles`);
    return `${cell.row} → ${cell.column}: ${ptxlat.counted(cell.pairs.length, "pair")}; ${
        [...ranges, verdictCounts(cell.pairs)].join("; ")}.`;
  };
  // What a cell says: its one pair, its few slots, or a summary.
  const wordsOf = (cell) =>
      (cell.pairs.length <= 2 ? cell.pairs.map(wordsOfPair).join(" ") : wordsOfMany(cell));

  // The cells of the heat map, sparse, with the names of its rows and columns.
  const cellsOf = (pairs, query) => {
    const cells = new Map();
    for (const pair of pairs) {
      const row = query.producer ? pair.producer : familyOf(pair.producer);
      const column = query.consumer ? pair.consumer : familyOf(pair.consumer);
      const key = `${row},${column}`;
      if (!cells.has(key)) cells.set(key, {key, row, column, pairs: []});
      cells.get(key).pairs.push(pair);
    }
    const of = (side) => [...new Set([...cells.values()].map((cell) => cell[side]))].sort();
    return {cells, rows: of("row"), columns: of("column")};
  };

  // Of several numbers in a cell the largest, for which a schedule must allow; of differences, the furthest from 0.
  const valueOf = (cell, metric) => {
    const values = cell.pairs.map(metric.of).filter((value) => !Number.isNaN(value));
    return values.length ? values.reduce((best, one) => (Math.abs(one) > Math.abs(best) ? one : best)) : NaN;
  };
  // 0 … 9: every 1.4 times as many cycles are a shade darker.
  const shadeOf = (value, show) => {
    const shade = show === "late" ? 2 * Math.log2(1 + 2 * Math.abs(value)) : 2 * Math.log2(value) - 1;
    return Math.max(0, Math.min(9, Math.round(shade)));
  };

  const width = 26, height = 16;

  const stateOf = (cell, value, show) => {
    if (Number.isNaN(value)) return cell.pairs.every((pair) => pair.verdict === "waits") ? "waits" : "none";
    return show === "late" && value < 0 ? "early" : "";
  };

  // The names of rows and columns stay in sight: `names` follow the box that the drawing is scrolled in.
  const drawingOf = ({cells, rows, columns}, show, label) => {
    const longest = (list) => 6 + 6.1 * Math.max(...list.map((name) => name.length));
    const left = longest(rows), top = longest(columns);
    const placeOf = (list) => new Map(list.map((name, i) => [name, i]));
    const rowAt = placeOf(rows), columnAt = placeOf(columns);
    const size = [left + columns.length * width + 4, top + rows.length * height + 4].map(Math.ceil);
    const rowNames = ptxlat.drawing(
        "g", {class: "names"}, ptxlat.drawing("rect", {width: left, height: size[1]}),
        rows.map(
            (name, i) => ptxlat.drawing(
                "text", {x: left - 5, y: top + (i + 0.72) * height, "text-anchor": "end", "data-row": name}, name)));
    const columnNames = ptxlat.drawing(
        "g", {class: "names"}, ptxlat.drawing("rect", {width: size[0], height: top}),
        columns.map((name, i) => ptxlat.drawing(
                        "text", {
                          transform: `translate(${left + (i + 0.66) * width},${top - 5}) rotate(-90)`,
                          "data-column": name
                        },
                        name)));
    const nodes = [...cells.values()].map((cell) => {
      const value = valueOf(cell, metrics[show]);
      const x = left + columnAt.get(cell.column) * width, y = top + rowAt.get(cell.row) * height;
      const state = stateOf(cell, value, show);
      Object.assign(cell, {x, y});
      cell.node = ptxlat.drawing(
          "g", {class: `cell ${state}`, "data-cell": cell.key}, ptxlat.drawing("title", {}, wordsOf(cell)),
          ptxlat.drawing("rect", {
            x,
            y,
            width: width - 1,
            height: height - 1,
            "fill-opacity": Number.isNaN(value) ? undefined : 0.06 + 0.05 * shadeOf(value, show)
          }),
          Number.isNaN(value) ? null : ptxlat.drawing("text", {x: x + (width - 1) / 2, y: y + 11.5}, ptxlat.numberText(value)));
      return cell.node;
    });
    const corner = ptxlat.drawing("rect", {class: "corner", width: left, height: top});
    const drawing = ptxlat.drawing(
        "svg", {
          class: "matrix",
          viewBox: `0 0 ${size[0]} ${size[1]}`,
          width: size[0],
          height: size[1],
          tabindex: "0",
          role: "img",
          "aria-label": label,
          "aria-describedby": "pair-words"
        },
        nodes, rowNames, columnNames, corner);
    const box = ptxlat.element("div", {class: "wide matrix-box"}, drawing);
    box.addEventListener("scroll", () => {
      rowNames.setAttribute("transform", `translate(${box.scrollLeft},0)`);
      columnNames.setAttribute("transform", `translate(0,${box.scrollTop})`);
      corner.setAttribute("transform", `translate(${box.scrollLeft},${box.scrollTop})`);
    });
    // Only the box: the words about the cell must stay in sight.
    const reveal = ({x, y}) => {
      const isSeen = x >= box.scrollLeft + left && x + width <= box.scrollLeft + box.clientWidth &&
          y >= box.scrollTop + top && y + height <= box.scrollTop + box.clientHeight;
      if (!isSeen) box.scrollTo(x - (box.clientWidth + left) / 2, y - (box.clientHeight + top) / 2);
    };
    return {drawing, box, reveal};
  };

  // The next cell in the direction of an arrow: in the same row or column, else the nearest in that direction.
  const neighbour = (matrix, from, key) => {
    const place = (cell) => [matrix.rows.indexOf(cell.row), matrix.columns.indexOf(cell.column)];
    const [axis, step] = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [1, -1], ArrowRight: [1, 1]}[key];
    const start = place(from);
    let best = null, least = Infinity;
    for (const cell of matrix.cells.values()) {
      const at = place(cell);
      const ahead = (at[axis] - start[axis]) * step;
      if (ahead <= 0) continue;
      const distance = ahead + 1000 * Math.abs(at[1 - axis] - start[1 - axis]);
      if (distance < least) [best, least] = [cell, distance];
    }
    return best;
  };

  const section = (matrix, table, query, show) => {
    const words = ptxlat.element("p", {class: "pair-words", id: "pair-words", role: "status", tabindex: "0"});
    const isWhole = Boolean(query.producer && query.consumer);
    const label = `${metrics[show].label}, ${matrix.rows.length} producers by ${
        matrix.columns.length} consumers; arrow keys go from cell to cell, and the table below has them all`;
    const {drawing, box, reveal} = drawingOf(matrix, show, label);
    const inside = (cell) => ptxlat.address(
        "pairs", "", {...query, table: table.id, producer: familyOf(cell.row), consumer: familyOf(cell.column), cell: ""});
    let chosen = null;
    const explain = (cell) => {
      for (const node of drawing.querySelectorAll(".here")) node.classList.remove("here");
      if (!cell) {
        ptxlat.fill(words, "Point at a cell, or go through them with the arrow keys.");
        return;
      }
      for (const node of drawing.querySelectorAll("[data-row], [data-column]"))
        node.classList.toggle("here", node.dataset.row === cell.row || node.dataset.column === cell.column);
      cell.node.classList.add("here");
      ptxlat.fill(
          words, wordsOf(cell), " ",
          isWhole ? null : ptxlat.link(`The opcodes of ${familyOf(cell.row)} and ${familyOf(cell.column)}`, inside(cell)));
    };
    const choose = (cell) => {
      chosen = cell;
      for (const node of drawing.querySelectorAll(".chosen")) node.classList.remove("chosen");
      cell.node.classList.add("chosen");
      explain(cell);
      ptxlat.replaceAddress("pairs", "", {...query, table: table.id, cell: cell.key});
    };
    const cellAt = (event) => {
      const node = event.target.closest("[data-cell]");
      return node && matrix.cells.get(node.dataset.cell);
    };
    drawing.addEventListener("pointerover", (event) => explain(cellAt(event) || chosen));
    drawing.addEventListener("pointerleave", () => explain(chosen));
    drawing.addEventListener("click", (event) => {
      const cell = cellAt(event);
      if (cell) choose(cell);
    });
    drawing.addEventListener("focus", () => {
      if (!chosen) choose(matrix.cells.values().next().value);
    });
    drawing.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && chosen && !isWhole) return ptxlat.go(inside(chosen));
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      const next = neighbour(matrix, chosen, event.key);
      if (!next) return;
      choose(next);
      reveal(next);
    });
    const named = matrix.cells.get(query.cell);
    if (named) {
      chosen = named;
      named.node.classList.add("chosen");
      window.addEventListener("viewshown", () => reveal(named), {once: true});
    }
    explain(chosen);
    return [words, box];
  };

  const pairColumns = [
    {label: "producer", isCode: true}, {label: "consumer", isCode: true}, {label: "slot"},
    {label: "schedule", isNumber: true, title: "cycles that the assembler leaves between them at least"},
    {label: "measured", isNumber: true, title: "cycles from issue to issue"},
    {label: "hazard", isNumber: true, title: "the lowest distance at which all values are right"}, {label: "verdict"},
    {label: "note", isLong: true}
  ];
  const pairTable = (pairs) => ptxlat.plainTable(
      "Pairs of opcodes", pairColumns, pairs.map((pair) => pairColumns.map(({label}) => pair[label])));

  const familyTable = (matrix, table, query) => ptxlat.plainTable(
      "Families of opcodes",
      [
        {label: "producer", isCode: true}, {label: "consumer", isCode: true}, {label: "pairs", isNumber: true},
        {label: "schedule", isNumber: true}, {label: "measured", isNumber: true}, {label: "hazard", isNumber: true},
        {label: "verdicts", isLong: true}
      ],
      [...matrix.cells.values()]
          .sort((a, b) => a.row.localeCompare(b.row) || a.column.localeCompare(b.column))
          .map((cell) => [
            ptxlat.link(cell.row, ptxlat.address("pairs", "", {
              ...query,
              table: table.id,
              producer: familyOf(cell.row),
              consumer: familyOf(cell.column),
              cell: ""
            })),
            cell.column, cell.pairs.length, rangeOf(cell.pairs, "schedule"), rangeOf(cell.pairs, "measured"),
            rangeOf(cell.pairs, "hazard"), verdictCounts(cell.pairs)
          ]));

  const choices = (all, query, to) => {
    const families = (side) => [...new Set(all.map((pair) => familyOf(pair[side])))].sort();
    const withAll = (list) => [["", "all"], ...list.map((one) => [one, one])];
    return ptxlat.element(
        "div", {class: "choices"},
        ptxlat.choice("Number", Object.entries(metrics).map(([name, {label}]) => [name, label]), query.show || "hazard",
                      (show) => to({show: show === "hazard" ? "" : show})),
        ptxlat.choice("Producer", withAll(families("producer")), query.producer || "",
                      (producer) => to({producer, cell: ""})),
        ptxlat.choice("Consumer", withAll(families("consumer")), query.consumer || "",
                      (consumer) => to({consumer, cell: ""})),
        ptxlat.choice("Slot", withAll([...new Set(all.map((pair) => pair.slot))].sort()), query.slot || "",
                      (slot) => to({slot, cell: ""})),
        ptxlat.choice("Verdict", withAll(Object.keys(verdicts)), query.verdict || "",
                      (verdict) => to({verdict, cell: ""})));
  };

  const origin = (runs) => {
    const last = runs[runs.length - 1];
    if (!last) return ptxlat.element("p", {class: "count"}, "From schedules alone: no distance was patched.");
    return [
      last.is_finished ? null : ptxlat.element("p", {class: "notice"}, "The run was interrupted: pairs are missing."),
      ptxlat.element(
          "p", {class: "count"}, `Measured ${last.date.slice(0, 10)} by `, ptxlat.element("code", {}, last.command), ".")
    ];
  };

  ptxlat.views.pairs = async ({query}, main) => {
    const table = ptxlat.tableOf(query.table, has);
    if (!table) {
      ptxlat.showNotice(main, "Pairs", "No table of this site has pairs. `ptxlat pairs` measures them.");
      return "Pairs";
    }
    const {pairs: all, runs} = await read(table);
    const pairs = all.filter(
        (pair) => (!query.producer || familyOf(pair.producer) === query.producer) &&
            (!query.consumer || familyOf(pair.consumer) === query.consumer) &&
            (!query.slot || pair.slot === query.slot) && (!query.verdict || pair.verdict === query.verdict));
    const matrix = cellsOf(pairs, query);
    const show = Object.hasOwn(metrics, query.show || "") ? query.show : "hazard";
    const isSplit = Boolean(query.producer || query.consumer);
    ptxlat.fill(
        main,
        ptxlat.headline(
            ptxlat.element("h1", {}, "How far apart two opcodes must be"), table, has,
            (id) => ptxlat.address("pairs", "", {...query, table: id})),
        ptxlat.element(
            "p", {class: "lead"},
            "A row makes a value, a column needs it. The stronger the colour, the more cycles; of several pairs the largest. ",
            "The lowest right distance was found by patching the distance down until a value was wrong. ",
            "Grey: this number is not known. A frame: the result comes under a scoreboard."),
        choices(all, query, (more) => ptxlat.go(ptxlat.address("pairs", "", {...query, table: table.id, ...more}))),
        ptxlat.element("p", {class: "count"}, `${ptxlat.counted(pairs.length, "pair")}${pairs.length ? ": " : ""}${verdictCounts(pairs)}`),
        origin(runs), pairs.length ? section(matrix, table, query, show) : "",
        pairs.length
            ? ptxlat.section("As a table", isSplit ? pairTable(pairs) : familyTable(matrix, table, query)) : "");
    return `Pairs of ${table.title}`;
  };

  // What waits for an opcode's result, for the opcode's own page; empty if no table of its architecture has pairs.
  ptxlat.pairsOf = async (opcode, table) => {
    const source = ptxlat.tableLike(table, has);
    if (!source) return "";
    const nearest = (pair) => Number(pair.hazard || pair.schedule || pair.measured || Infinity);
    const pairs = (await read(source))
                      .pairs.filter((pair) => pair.producer === opcode)
                      .sort((a, b) => nearest(a) - nearest(b));
    if (pairs.length === 0) return "";
    return ptxlat.section(
        "What waits for its result",
        ptxlat.element(
            "p", {class: "faint"}, `${source.title}, the nearest consumer first. `,
            ptxlat.link(
                "As a heat map",
                ptxlat.address("pairs", "", {table: source.id, producer: familyOf(opcode)})),
            "."),
        pairTable(pairs));
  };
})();
