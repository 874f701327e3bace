// SPDX-License-Identifier: Apache-2.0
// The page of a form: its numbers at every level and in every table, and the machine code behind them.
"use strict";
(() => {
  const numericColumns = ["issue", "static", "chain", "differential", "bracket", "overhead", "min", "p95", "max"];

  // The vendor's figure beside ours, and how far they are apart.
  const documented = async (name, table, {record}) => {
    const known = await ptxlat.documentedThroughput(name, table);
    if (!known || known.unit !== record.unit) return "";
    const percent = Math.round(100 * (record.throughput / Number(known.throughput) - 1));
    const difference = percent === 0 ? "the same" : `${Math.abs(percent)} % ${percent > 0 ? "less" : "more"}`;
    return ` The vendor documents ${difference}: ${known.throughput} (${known.source}).`;
  };

  // What an SM does in a cycle, at the levels that it is known of.
  const throughputs = async (name, own) => {
    const sentences = [];
    for (const level of own.table.levels) {
      const record = own.levels[level].records.find((one) => one.throughput !== undefined);
      if (!record) continue;
      const warps = record.saturates_at ? `, from ${ptxlat.counted(record.saturates_at, "warp")} on` : "";
      const text = `${ptxlat.numberText(record.throughput)} ${record.unit} a cycle of an SM${warps}`;
      const same = sentences.find((sentence) => sentence.text === text);
      if (same)
        same.levels.push(`O${level}`);
      else
        sentences.push({text, record, levels: [`O${level}`]});
    }
    if (sentences.length === 0) return "";
    const vendor = await documented(name, own.table, sentences[sentences.length - 1]);
    return sentences.map(({text, levels}, i) => ptxlat.element(
                             "p", {}, `Throughput at ${levels.join(", ")}: ${text}.`,
                             i === sentences.length - 1 ? vendor : ""));
  };

  const mostRows = 12;

  // The numbers of the chosen table: a row for each operand and input at each level.
  const numbersTable = (own, choose) => {
    const used = numericColumns.filter(
        (tag) =>
            own.table.levels.some((level) => own.levels[level].records.some((record) => record[tag] !== undefined)));
    const headline = ptxlat.headlineOf(own.table);
    const columns = [
      {label: "operand, input"}, {label: "level"},
      {label: headline === "static" ? "schedule" : "cycles", isNumber: true},
      ...used.filter((tag) => tag !== headline)
          .map((tag) => ({label: tag, isNumber: true, title: (ptxlat.formColumns[tag] || {}).title})),
      {label: "measure"}, {label: "waits"}, {label: "verdict"}, {label: "machine code", isCode: true},
      {label: "note", isLong: true}
    ];
    const rows = new Map();  // by everything but the operand: equal ones are one
    const seen = new Set();
    for (const key of ptxlat.pathsOf(own)) {
      for (const level of own.table.levels) {
        const record = ptxlat.recordAt(own, level, key);
        if (!record || seen.has(record)) continue;
        seen.add(record);
        const levels =
            record.levels.filter((one) => own.levels[one].records.includes(record)).map((one) => `O${one}`).join(" ");
        const same = JSON.stringify([
          levels, record.input, used.map((tag) => record[tag]), record.measure, record.consumer, record.verdict,
          record.sass, record.note
        ]);
        if (rows.has(same)) {
          rows.get(same).button.firstChild.data =
              rows.get(same).button.firstChild.data.replace(/(,|$)/, ` ${record.operand}$1`);
          continue;
        }
        const text = [record.operand, record.input].filter(Boolean).join(", ") || "–";
        const button = ptxlat.element(
            "button",
            {type: "button", class: "plainly", title: "Show its machine code", onclick: () => choose(key, level)},
            text);
        const cells = [
          button, ptxlat.element("span", {class: "together"}, levels),
          ptxlat.element("span", {class: "strong"}, ptxlat.recordText(record, own.table)),
          ...used.filter((tag) => tag !== headline).map((tag) => ptxlat.numberText(record[tag])), record.measure || "",
          record.consumer || "", ptxlat.element("span", {title: ptxlat.verdicts[record.verdict]}, record.verdict),
          ptxlat.element("span", {class: "clipped", title: ptxlat.sassText(record)}, ptxlat.sassText(record)),
          record.note || ""
        ];
        rows.set(same, {button, cells});
      }
    }
    // The first are of ordinary inputs; with many, the rest are a click away.
    const all = [...rows.values()].map((row) => row.cells);
    if (all.length <= mostRows) return ptxlat.plainTable("Numbers", columns, all);
    const few = mostRows - 4;
    return [
      ptxlat.plainTable("Numbers", columns, all.slice(0, few)),
      ptxlat.element(
          "details", {}, ptxlat.element("summary", {}, `${all.length - few} more rows: other inputs, operands and levels`),
          ptxlat.plainTable("More numbers", columns, all.slice(few)))
    ];
  };

  const sharing = (own, name) => {
    const forms =
        [...new Set(own.table.levels.map((level) => own.levels[level].form))].filter((form) => form && form !== name);
    if (forms.length === 0) return "";
    const at = (form) =>
        own.table.levels.filter((level) => own.levels[level].form === form).map((level) => `O${level}`).join(", ");
    return ptxlat.element(
        "p", {class: "notice"}, "Its machine code is that of ",
        forms.map(
            (form, i) =>
                [i ? " and " : "", ptxlat.link(form, ptxlat.formAddress(form, own.table), {class: "code"}),
                 ` (${at(form)})`]),
        ", whose row it shares.");
  };

  // Every table, for one operand and input. What differs from the table above is marked, with its cause.
  const everywhere = (records, key, own) => {
    const levels = [0, 1, 2, 3, 4].filter((level) => records.tables.some((one) => one.table.levels.includes(level)));
    const columns = [
      {label: "table"}, ...levels.map((level) => ({label: `O${level}`, isNumber: true})),
      {label: "issue", isNumber: true}, {label: "machine code", isCode: true},
      {label: "against the one above, at the highest level"}, {label: ""}
    ];
    let above = null;
    const rows = records.tables.map((one) => {
      const highest = [...one.table.levels].reverse().map((level) => ptxlat.recordAt(one, level, key)).find(Boolean);
      const isKind = above && above.kind === one.table.kind && above.gpu === (one.table.run.device || {}).name;
      const cause =
          highest && above && isKind ? ptxlat.causeOf(ptxlat.sideOfRecord(above.record), ptxlat.sideOfRecord(highest)) : "";
      if (highest) above = {record: highest, kind: one.table.kind, gpu: (one.table.run.device || {}).name};
      const row = [
        ptxlat.link(one.table.title, ptxlat.formAddress(records.name, one.table)),
        ...levels.map((level) => ptxlat.recordText(ptxlat.recordAt(one, level, key), one.table)),
        highest ? ptxlat.numberText(highest.issue) : "",
        ptxlat.element(
            "span", {class: "clipped", title: highest ? ptxlat.sassText(highest) : ""},
            highest ? ptxlat.sassText(highest) : one.note || one.reason),
        cause === "unchanged" ? "" : cause,
        one === own || !highest ? ""
                                : ptxlat.link(
                                      "side by side",
                                      ptxlat.formAddress(
                                          records.name, own.table,
                                          {with: one.table.id, operand: key.split("\t")[0], input: key.split("\t")[1]}))
      ];
      row.className = one === own ? "own" : cause && cause !== "unchanged" ? "changed" : "";
      return row;
    });
    const isMeasured = (_, i) => records.tables[i].table.kind !== "static";
    const measured = rows.filter(isMeasured), schedules = rows.filter((row, i) => !isMeasured(row, i));
    return [
      measured.length ? ptxlat.plainTable("In every measured table", columns, measured) : "",
      schedules.length
          ? ptxlat.element(
                "details", {open: measured.length === 0 || own.table.kind === "static"},
                ptxlat.element("summary", {}, `The assembler's schedule in ${schedules.length} static tables`),
                ptxlat.plainTable("In every static table", columns, schedules))
          : ""
    ];
  };

  const publishedTable = async (name) => {
    const {forms: published} = await ptxlat.load("published");
    if (!Object.hasOwn(published, name)) return "";
    return ptxlat.section(
        "Published figures",
        ptxlat.plainTable(
            "Published figures",
            [
              {label: "GPU"}, {label: "input"}, {label: "O0", isNumber: true}, {label: "O3", isNumber: true},
              {label: "source"}
            ],
            published[name].map((one) => [one.gpu, one.input, one.O0, one.O3, one.source])));
  };

  class FormPage {
    constructor(name, records, query) {
      Object.assign(this, {name, records, query});
      const has = (one) => one.table.levels.some((level) => one.levels[level].records.length);
      this.known = records.tables.filter(has);
      const table = query.table ? ptxlat.tables.find((one) => one.id === query.table) : ptxlat.tableOf("");
      this.own = records.tables.find((one) => one.table === table) || this.known[0] || records.tables[0];
      this.paths = ptxlat.pathsOf(this.own);
      const wanted = `${query.operand || ""}\t${query.input || ""}`;
      this.key = this.paths.includes(wanted) ? wanted : this.paths[0];
      const levels = this.own.table.levels.filter((level) => ptxlat.recordAt(this.own, level, this.key));
      this.level =
          levels.includes(Number(query.level)) && query.level ? Number(query.level) : levels[levels.length - 1];
      this.code = ptxlat.element("div", {id: "code"});
    }

    choose(key, level) {
      Object.assign(this, {key, level});
      this.query =
          {...this.query, table: this.own.table.id, operand: key.split("\t")[0], input: key.split("\t")[1], level};
      ptxlat.replaceAddress("form", this.name, this.query);
      this.showCode();
      if (this.rest) ptxlat.fill(this.rest, everywhere(this.records, this.key, this.own));
      this.code.scrollIntoView({block: "nearest"});
    }

    showCode() {
      const {own, key, level, records} = this;
      const record = ptxlat.recordAt(own, level, key);
      if (!record) {
        ptxlat.fill(this.code);
        return;
      }
      const other = records.tables.find((one) => one.table.id === this.query.with);
      const sides = [own, other].filter(Boolean);
      const choices = ptxlat.element(
          "div", {class: "choices"},
          ptxlat.choice(
              "Operand, input", this.paths.map((path) => [path, ptxlat.pathText(path)]), key,
              (path) => {
                const levels = own.table.levels.filter((one) => ptxlat.recordAt(own, one, path));
                this.choose(path, levels.includes(level) ? level : levels[levels.length - 1]);
              }),
          ptxlat.choice(
              "Level",
              own.table.levels.filter((one) => ptxlat.recordAt(own, one, key)).map((one) => [String(one), `O${one}`]),
              String(level), (one) => this.choose(key, Number(one))),
          ptxlat.choice(
              "Beside it",
              [
                ["", "nothing"],
                ...this.known.filter((one) => one !== own).map((one) => [one.table.id, one.table.title])
              ],
              other ? other.table.id : "", (id) => {
                this.query = {...this.query, with: id};
                this.choose(key, level);
              }));
      const opcodes = ptxlat.element("div");
      ptxlat.opcodesOf(record, own.table).then((node) => ptxlat.fill(opcodes, node));
      ptxlat.fill(
          this.code, choices, opcodes, ptxlat.codeLegend(),
          ptxlat.element("div", {class: sides.length > 1 ? "sides" : ""}, sides.map((side) => this.side(side))));
    }

    side(side) {
      const record = ptxlat.recordAt(side, this.level, this.key);
      const title = ptxlat.element(
          "h3", {}, `${side.table.title}, O${this.level}: `, record ? ptxlat.recordText(record, side.table) : "no row",
          record && /\d/.test(ptxlat.recordText(record, side.table)) ? " cycles" : "");
      if (!record) return ptxlat.element("div", {}, title);
      const mine = ptxlat.recordAt(this.own, this.level, this.key);
      const cause = side === this.own
          ? ""
          : ptxlat.element(
                "p", {class: "cause"},
                `Against ${this.own.table.title}: ${ptxlat.causeOf(ptxlat.sideOfRecord(mine), ptxlat.sideOfRecord(record))}`);
      return ptxlat.element(
          "div", {}, title, cause, ptxlat.windowsOf(record));
    }

    async show(main) {
      const {name, own, records} = this;
      const folder = `tables/${own.table.id}`;
      this.rest = ptxlat.element("div", {}, this.key === undefined ? "" : everywhere(records, this.key, own));
      const reason = this.key === undefined
          ? ptxlat.element(
                "p", {class: "notice"}, `${own.table.title} has no number for it: ${own.reason || "none"}`,
                own.note ? `, ${own.note}` : "", ptxlat.verdicts[own.reason] ? `. ${ptxlat.verdicts[own.reason]}` : "")
                                                                             : "";
      ptxlat.fill(
          main,
          ptxlat.element(
              "p", {class: "back"},
              ptxlat.link("← Instructions", ptxlat.address("forms", "", {table: own.table.id, q: name.split(".")[0]}))),
          ptxlat.element(
              "div", {class: "headline"}, ptxlat.element("h1", {class: "code"}, name),
              ptxlat.choice(
                  "Table", records.tables.map((one) => [one.table.id, one.table.title]), own.table.id,
                  (id) => {
                    ptxlat.go(ptxlat.address("form", name, {...this.query, table: id, with: ""}));
                  })),
          reason, sharing(own, name), await throughputs(name, own),
          this.key === undefined
              ? ""
              : ptxlat.section(
                    "Numbers",
                    ptxlat.element(
                        "p", {class: "faint"}, "In SM cycles. A click on an operand shows its machine code. ",
                        ptxlat.link("What the words mean", "#/about"), "."),
                    numbersTable(own, (key, level) => this.choose(key, level))),
          ptxlat.section(
              "In every table",
              ptxlat.element(
                  "p", {class: "faint"},
                  this.key === undefined
                      ? ""
                      : `${ptxlat.pathText(this.key)}; GPUs and CUDA versions, measured ones first.`),
              this.rest),
          this.key === undefined ? "" : ptxlat.section("Machine code", this.code), await publishedTable(name),
          ptxlat.section(
              "Check it yourself",
              ptxlat.element(
                  "pre", {tabindex: "0"},
                  ptxlat.element(
                      "code", {}, `ptxlat show '${name}' -O ${own.table.levels.join(",")} --table ${folder}\n`,
                      own.table.kind === "static"
                          ? ""
                          : `ptxlat reproduce '${name}' -O ${this.level === undefined ? 3 : this.level} --table ${
                                folder} -o reproduction\n`))));
      if (this.key !== undefined) this.showCode();
    }
  }

  ptxlat.views.form = async ({name, query}, main) => {
    const records = await ptxlat.formRecords(name);
    if (!records) {
      ptxlat.fill(
          main, ptxlat.element("h1", {class: "code"}, name),
          ptxlat.element(
              "p", {class: "notice"}, "No table of this site has this form. ",
              ptxlat.link(
                  "Search for a similar one",
                  ptxlat.address("forms", "", {q: name.split(".").slice(0, 2).join(" ")}))));
      return name;
    }
    records.name = name;
    await new FormPage(name, records, query).show(main);
    return name;
  };
})();
