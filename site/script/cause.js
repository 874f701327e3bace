// SPDX-License-Identifier: Apache-2.0
// Why two rows differ: the rule of `ptxlat compare` (docs/comparison-format.md), on what it wrote of both.
"use strict";
(() => {
  // Of site.js: {causes: [[cause, what it says], …], compared: the numbers besides the headline, tolerance_of_medians}.
  const rule = () => ptxlat.site.comparison;

  // A side is {table, sass, consumer, verdict, number(tag), windows: [{role, behind, code, opcodes}]}; a number that is
  // missing is NaN. `behind` has "headline" and those of `compared` that the window is behind.
  const has = (side, tag) => !Number.isNaN(side.number(tag));

  const codeChange = (a, b) => {
    if (a.sass !== b.sass) return "different SASS";
    const roles = [a, b].map((side) => new Map(side.windows.map((window) => [window.role, window])));
    const pairs = (leading, tag) => leading.windows.filter((window) => window.behind.includes(tag))
                                        .map(({role}) => roles.map((of) => of.get(role)))
                                        .filter((pair) => pair.every(Boolean));
    let windows = pairs(a, "headline");
    if (windows.length === 0) windows = pairs(b, "headline");
    windows = windows.concat(rule().compared.filter((tag) => has(b, tag)).flatMap((tag) => pairs(a, tag)));
    if (windows.length === 0) {
      const isEqual = a.number("static") === b.number("static") || (!has(a, "static") && !has(b, "static"));
      return isEqual ? "" : "different schedule";
    }
    if (windows.some(([left, right]) => left.opcodes !== right.opcodes)) return "different SASS";
    return windows.some(([left, right]) => left.code !== right.code) ? "different schedule" : "";
  };

  ptxlat.causeOf = (a, b) => {
    const headline = a.table.kind === "static" || b.table.kind === "static" ? "static" : "cycles";
    const others = rule().compared.filter((tag) => [a, b].every((side) => side.table.numbers.includes(tag)));
    const isOnOneSide = (tag) => has(a, tag) !== has(b, tag);
    const tolerance = has(a, "median") && has(b, "median") ? rule().tolerance_of_medians : 0;
    const differs = (tag) => {
      const [x, y] = [a.number(tag), b.number(tag)];
      return isOnOneSide(tag) || (has(a, tag) && Math.abs(x - y) > tolerance * Math.max(Math.abs(x), Math.abs(y)));
    };
    if (isOnOneSide(headline)) return "different verdict";
    const verdictsCount = !has(a, headline) || a.table.kind === b.table.kind;
    if (verdictsCount && a.verdict !== b.verdict) return "different verdict";
    if (a.sass === b.sass && a.consumer && b.consumer && a.consumer !== b.consumer) return "different consumer";
    const change = codeChange(a, b);
    if (change) return change;
    if (others.some(isOnOneSide)) return "different verdict";
    const isScheduled = has(a, "static") && has(b, "static") && a.number("static") !== b.number("static");
    if (!differs(headline) && !others.some(differs) && !isScheduled) return "unchanged";
    return a.table.kind === "static" && b.table.kind === "static" ? "different schedule" : "same code";
  };

  // A record of a form's page as a side.
  ptxlat.sideOfRecord = (record) => {
    const headline = record.cycles === undefined ? "static" : "cycles";
    const isBehind = (tag, role) => ((record.from || {})[tag] || []).includes(role);
    return {
      table: ptxlat.tables[record.table],
      sass: ptxlat.sassText(record),
      consumer: record.consumer,
      verdict: record.verdict,
      number: (tag) => record[tag] ?? NaN,
      windows: (record.windows || []).filter(({sass}) => record.code[sass] !== undefined).map(({role, sass}) => ({
        role,
        behind: [...(isBehind(headline, role) ? ["headline"] : []),
                 ...rule().compared.filter((tag) => isBehind(tag, role))],
        code: record.codeNumbers[sass],
        opcodes: record.codeOpcodes[sass]
      }))
    };
  };
})();
