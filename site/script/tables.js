// SPDX-License-Identifier: Apache-2.0
// The tables of the site, and how their numbers are written.
"use strict";
(() => {
  ptxlat.start = async () => {
    ptxlat.site = await ptxlat.load("site");
    ptxlat.tables = ptxlat.site.tables;
    ptxlat.tables.forEach((table, index) => {
      table.index = index;
    });
  };

  // The rows of a file as objects, by the names of its columns.
  ptxlat.rowsIn = ({columns, rows}) =>
      rows.map((line) => Object.fromEntries(columns.map((name, i) => [name, line[i]])));

  // The table that a link names, else the site's first choice among those that `has` accepts.
  ptxlat.tableOf = (id, has) => {
    const fits = has || (() => true);
    const named = ptxlat.tables.find((table) => table.id === id);
    if (named && fits(named)) return named;
    const usual = ptxlat.tables[ptxlat.site.default_table];
    return usual && fits(usual) ? usual : ptxlat.tables.find(fits);
  };
  const architecture = (table) => (table.run.target || "").replace(/[a-z]+$/, "");
  // The table itself, or another of its architecture that `has` accepts; undefined if there is none.
  ptxlat.tableLike = (table, has) =>
      (has(table) ? table : ptxlat.tables.find((one) => has(one) && architecture(one) === architecture(table)));
  // The vendor's figure for a form: {throughput, unit, source}; undefined if there is none.
  ptxlat.documentedThroughput = async (form, table) => {
    const {throughput} = await ptxlat.load("published");
    return (Object.hasOwn(throughput, form) ? throughput[form] : []).find((one) => one.sm === architecture(table));
  };
  ptxlat.isDefault = (table) => table.index === ptxlat.site.default_table;
  // For addresses: the site's first choice needs no name only where the reader has not chosen one.
  ptxlat.tableChoice = (label, table, has, onchange) => ptxlat.choice(
      label, ptxlat.tables.filter(has || (() => true)).map((one) => [one.id, one.title]), table.id, onchange);

  // A page's heading, with a choice of the table that it is about. `addressOf` makes the page's address of a table's id.
  ptxlat.headline = (heading, table, has, addressOf) => ptxlat.element(
      "div", {class: "headline"}, heading, ptxlat.tableChoice("Table", table, has, (id) => ptxlat.go(addressOf(id))));

  // A page that has nothing to show but why.
  ptxlat.showNotice = (main, title, text) =>
      ptxlat.fill(main, ptxlat.element("h1", {}, title), ptxlat.element("p", {class: "notice"}, text));

  ptxlat.headlineOf = (table) => (table.kind === "static" ? "static" : "cycles");
  ptxlat.highestLevel = (table) => table.levels[table.levels.length - 1];

  // At most three decimals: the csv has them all.
  ptxlat.numberText = (value) =>
      (value === null || value === undefined || Number.isNaN(value) ? "" : String(Math.round(value * 1000) / 1000));
  // Results of threads that an SM makes in a cycle: each of its four sub-partitions makes 32 in each interval.
  ptxlat.resultsOf = (interval) => (Number(interval) > 0 ? 128 / Number(interval) : 0);
  ptxlat.signedText = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + ptxlat.numberText(Math.abs(value));

  ptxlat.counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  ptxlat.bytesText = (value) => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      ++unit;
    }
    return `${Math.round(value * 100) / 100} ${units[unit]}`;
  };

  // "carveout=102400" says more as "carveout=102400 (100 KiB)".
  ptxlat.conditionText = (condition) =>
      condition.split(" ")
          .map((pair) => {
            const value = Number(pair.slice(pair.indexOf("=") + 1));
            return value >= 4096 && value % 1024 === 0 ? `${pair} (${ptxlat.bytesText(value)})` : pair;
          })
          .join(" ");

  ptxlat.verdicts = {
    proven: "The machine code proves the number.",
    fused: "Steps, or the instruction and its consumer, became one machine instruction.",
    elided: "The compiler removed the instruction, or a part of it.",
    contaminated: "Something foreign is between the clocks.",
    unstable: "No value was measured in a majority of the launches.",
    unsupported: "The target or the PTX version does not have the form.",
    rejected: "The assembler rejected it.",
    fault: "The kernel faulted.",
    timeout: "The kernel did not finish in time.",
    no_dependency: "Nothing can be measured: there is no result to wait for.",
  };

  ptxlat.formAddress = (name, table, more) => ptxlat.address("form", name, {table: table.id, ...more});

  // The shard that has a form: the last whose first form is not after it, in the order of UTF-8.
  ptxlat.formShard = (name) => {
    const first = ptxlat.site.first_forms;
    if (first.length === 0) return Promise.resolve({spellings: {}, rows: {}, code: []});
    let low = 0, high = first.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (first[middle] <= name)
        low = middle;
      else
        high = middle - 1;
    }
    return ptxlat.load(`forms-${low}`);
  };
})();
