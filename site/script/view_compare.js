// SPDX-License-Identifier: Apache-2.0
// Two tables, or two levels of one, side by side: what changed, and why.
"use strict";
(() => {
  const columns = [
    {key: "form", label: "form", width: 34},
    {key: "operand", label: "operand", width: 9},
    {key: "input", label: "input", width: 13},
    {key: "a", label: "A", width: 8, isNumber: true},
    {key: "b", label: "B", width: 8, isNumber: true},
    {key: "change", label: "B − A", width: 8, isNumber: true},
    {key: "ratio", label: "B / A", width: 7, isNumber: true},
    {key: "cause", label: "cause", width: 24},
    {key: "sass_a", label: "machine code of A", width: 26, isCode: true},
    {key: "sass_b", label: "machine code of B", width: 26, isCode: true},
    {key: "also", label: "also", width: 16},
  ];

  class Changes {
    constructor(a, b, levels, query) {
      Object.assign(this, {a, b, levels, query});
      const {rows, headline} = ptxlat.compare(a, b, levels.a, levels.b);
      Object.assign(this, {all: rows, headline});
      this.table = new ptxlat.VirtualTable({
        label: "Differences",
        columns: () => columns,
        cells: (row) => this.cells(this.rows[row]),
        open: (row) => {
          ptxlat.go(this.addressOf(this.rows[row]));
        },
        describe: (row) => `${this.rows[row].name}: ${this.rows[row].cause}`,
        sort: {key: query.sort || "", isDescending: query.order === "down", change: (key) => this.sortBy(key)}
      });
      this.causes = ptxlat.element("div", {class: "causes", role: "group", "aria-label": "Causes"});
      this.filter = ptxlat.element("input", {
        type: "search",
        value: query.q || "",
        placeholder: "Only forms with …",
        "aria-label": "Only forms with these words",
        oninput: (event) => this.set({q: event.target.value})
      });
      this.node = ptxlat.element("div", {class: "changes"}, this.causes, this.filter, this.table.node);
      this.update();
    }

    set(changes) {
      this.query = {...this.query, ...changes};
      ptxlat.replaceAddress("compare", "", this.query);
      this.update();
    }

    sortBy(key) {
      const isSame = this.query.sort === key;
      this.set(
          isSame && this.query.order === "down" ? {sort: "", order: ""} : {sort: key, order: isSame ? "down" : ""});
    }

    keyOf(key, row) {
      if (key === "a") return row.numberA;
      if (key === "b") return row.numberB;
      if (key === "change") return row.numberB - row.numberA;
      if (key === "ratio") return row.numberB / row.numberA;
      return {
        form: row.name,
        operand: [...row.operands].join(" "),
        input: row.input,
        cause: row.cause,
        also: row.spellings.size,
        sass_a: this.sassOf(this.a, row.rowA),
        sass_b: this.sassOf(this.b, row.rowB)
      }[key];
    }

    update() {
      const {query} = this;
      const counts = new Map();
      for (const row of this.all) counts.set(row.cause, (counts.get(row.cause) || 0) + 1);
      const chosen = query.cause || "";
      const words = (query.q || "").toLowerCase().split(/\s+/).filter(Boolean);
      this.rows = this.all.filter(
          (row) => (chosen ? row.cause === chosen : row.cause !== "unchanged") &&
              words.every((word) => row.name.toLowerCase().includes(word)));
      if (query.sort) {
        const sign = query.order === "down" ? -1 : 1;
        this.rows.sort((left, right) => {
          const [x, y] = [this.keyOf(query.sort, left), this.keyOf(query.sort, right)];
          if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
          return sign * (x < y ? -1 : x > y ? 1 : 0);
        });
      }
      const button = (cause, count, title) => ptxlat.element(
          "button", {type: "button", "aria-pressed": String(cause === chosen), title, onclick: () => this.set({cause})},
          ptxlat.element("b", {}, count.toLocaleString("en")), ` ${cause || "changed"}`);
      const changed = this.all.length - (counts.get("unchanged") || 0);
      ptxlat.fill(
          this.causes, button("", changed, "Everything that is not the same"),
          ...ptxlat.site.comparison.causes.filter(([cause]) => counts.has(cause))
              .map(([cause, title]) => button(cause, counts.get(cause), title)));
      Object.assign(this.table.sort, {key: query.sort || "", isDescending: query.order === "down"});
      this.table.show(this.rows.length);
      ptxlat.say(`${this.rows.length} rows`);
    }

    sassOf(list, row) { return row < 0 ? "" : list.sassText[list.rowSass[row]]; }
    textOf(list, row) {
      if (row < 0) return "";
      const value = list.number(row, this.headline);
      return Number.isNaN(value)
          ? list.cellText(row)
          : (this.headline === "static" && list.rowBound[row] ? "≥" : "") + ptxlat.numberText(value);
    }
    addressOf(row) {
      const isOnlyInB = row.rowA < 0;
      const [own, other] = isOnlyInB ? [this.b, this.a] : [this.a, this.b];
      return ptxlat.formAddress(row.name, own.table, {
        with: other === own ? "" : other.table.id,
        level: isOnlyInB ? this.levels.b : this.levels.a,
        operand: [...row.operands][0],
        input: row.input
      });
    }

    cells(row) {
      const difference = row.numberB - row.numberA;
      const hasBoth = !Number.isNaN(difference);
      return [
        ptxlat.link(row.name, this.addressOf(row), {class: "code", tabindex: "-1"}), [...row.operands].join(" "),
        row.input, this.textOf(this.a, row.rowA), this.textOf(this.b, row.rowB),
        ptxlat.element(
            "span",
            {class: difference > 0 ? "slower"
                 : difference < 0  ? "faster"
                                   : ""},
            hasBoth ? ptxlat.signedText(difference) : ""),
        hasBoth && row.numberA > 0 ? (row.numberB / row.numberA).toFixed(2) : "", row.cause,
        this.sassOf(this.a, row.rowA), this.sassOf(this.b, row.rowB),
        row.spellings.size > 1 ? `${row.spellings.size - 1} more forms` : ""
      ];
    }
  }

  const factsSection = async (a, b) => {
    if (!a.has_probes || !b.has_probes) return "";
    const [ofA, ofB] = await Promise.all([ptxlat.load(`facts-${a.index}`), ptxlat.load(`facts-${b.index}`)]);
    const cardOf = (table) => (table.run.device || {}).uuid;
    const rows = ptxlat.compareFacts(ofA.facts, ofB.facts, cardOf(a) === cardOf(b));
    const changed = rows.filter((row) => row.change !== "equal");
    const valueOf = (fact) => (fact ? ptxlat.factValue(fact) : "");
    return ptxlat.section(
        "Facts about the machine",
        ptxlat.element(
            "p", {class: "faint"},
            `${rows.length - changed.length} facts are equal within their ranges, ${
                changed.length} are not. Facts about one card are not compared with another's.`),
        ptxlat.plainTable(
            "Facts that differ",
            [
              {label: "quantity"}, {label: "condition"}, {label: "A", isNumber: true}, {label: "B", isNumber: true},
              {label: "scope"}, {label: "change"}
            ],
            changed.map((row) => {
              const any = row.a || row.b;
              return [
                ptxlat.link(
                    any.quantity, ptxlat.address("fact", any.quantity, {table: (row.a ? a : b).id}), {class: "code"}),
                ptxlat.conditionText(any.condition), valueOf(row.a), valueOf(row.b), any.scope, row.change
              ];
            })));
  };

  // B, if a link does not say: the same toolchain on another GPU, else the same GPU with another toolchain.
  const counterpart = (a, has) => {
    const others = ptxlat.tables.filter((table) => table !== a && has(table));
    const alike = others.filter((table) => table.kind === a.kind);
    return alike.find((table) => table.run.toolchain === a.run.toolchain) ||
        alike.find((table) => (table.run.device || {}).name === (a.run.device || {}).name) || others[0];
  };

  // The level that a link names, else the highest.
  const levelOf = (table, wanted) =>
      (wanted && table.levels.includes(Number(wanted)) ? Number(wanted) : ptxlat.highestLevel(table));
  const levelChoice = (label, table, level, onchange) => (table.levels.length > 1
      ? ptxlat.choice(label, table.levels.map((one) => [String(one), `O${one}`]), String(level), onchange) : "");

  ptxlat.views.compare = async ({query}, main) => {
    const has = (table) => table.rows > 0;
    const a = ptxlat.tableOf(query.a, has);
    const b = (query.b && ptxlat.tables.find((table) => table.id === query.b && has(table))) ||
        (a && (counterpart(a, has) || a));
    if (!a) {
      ptxlat.showNotice(main, "Compare", "No table of this site has instructions.");
      return "Compare";
    }
    // One table is compared level by level: its lowest against its highest.
    const isOne = a === b;
    const levels = {a: isOne && !query.level ? a.levels[0] : levelOf(a, query.level), b: levelOf(b, query.level_b)};
    if (!isOne && query.level && !query.level_b && b.levels.includes(levels.a)) levels.b = levels.a;
    let changes = null;
    const go = (wanted) => {
      const own = {a: a.id, b: b.id, level: levels.a, level_b: levels.b};
      ptxlat.go(ptxlat.address("compare", "", {...(changes ? changes.query : query), ...own, ...wanted}));
    };
    const [listA, listB] = await Promise.all([ptxlat.formList(a), ptxlat.formList(b)]);
    changes = new Changes(
        listA, listB, levels, {...query, a: a.id, b: b.id, level: String(levels.a), level_b: String(levels.b)});
    const sides = `-O${levels.a}${levels.a === levels.b ? "" : ` and -O${levels.b}`}`;
    ptxlat.fill(
        main, ptxlat.element("h1", {}, "Compare two tables, or two levels of one"),
        ptxlat.element(
            "div", {class: "choices"}, ptxlat.tableChoice("A", a, has, (id) => go({a: id})),
            levelChoice("Level of A", a, levels.a, (level) => go({level})),
            ptxlat.tableChoice("B", b, has, (id) => go({b: id})),
            levelChoice("Level of B", b, levels.b, (level) => go({level_b: level})),
            ptxlat.element(
                "button",
                {type: "button", onclick: () => go({a: b.id, b: a.id, level: levels.b, level_b: levels.a})}, "Swap")),
        ptxlat.element(
            "p", {class: "lead"}, changes.headline === "static" ? "Schedules" : "Cycles",
            ` at ${sides}, largest change first. The causes are those of \`ptxlat compare\`; a row leads to both machine `,
            "codes side by side."),
        changes.node, isOne ? "" : await ptxlat.opcodesSection(a, b),
        isOne ? "" : await factsSection(a, b));
    return `Compare ${a.title} with ${b.title}`;
  };
})();
