// SPDX-License-Identifier: Apache-2.0
// SASS opcodes of two tables side by side, by the rules of `ptxlat compare` (docs/comparison-format.md).
"use strict";
(() => {
  const areNear = (a, b) => Math.abs(a - b) <= 0.01 * Math.max(Math.abs(a), Math.abs(b));
  const pipesIn = (counters) => counters.split(" ").map((one) => one.split(":")[0]).sort().join(" ");
  // By the name that the column gives its rule.
  const areSame = {
    "exactly": (a, b) => a === b,
    "in pipes": (a, b) => pipesIn(a) === pipesIn(b),
    "within 1 %": (a, b) => areNear(Number(a), Number(b)),
  };

  // What differs, quantity by quantity, and of how many opcodes each quantity is equal. Opcodes are objects whose
  // fields are texts, as in opcodes.csv.
  ptxlat.compareOpcodes = (ofA, ofB, same) => {
    const inB = new Map(ofB.map((one) => [one.opcode, one]));
    const both = ofA.filter((one) => inB.has(one.opcode)).map((one) => [one, inB.get(one.opcode)]);
    const agreements = [], rows = [];
    for (const [quantity, rule] of Object.entries(same)) {
      if (!ofA.some((one) => one[quantity]) || !ofB.some((one) => one[quantity])) continue;
      const compared = both.filter(([a, b]) => a[quantity] && b[quantity]);
      const equal = compared.filter(([a, b]) => areSame[rule](a[quantity], b[quantity]));
      agreements.push({quantity, compared: compared.length, equal: equal.length});
      for (const pair of both) {
        const [a, b] = pair;
        if ((a[quantity] || b[quantity]) && !equal.includes(pair))
          rows.push({opcode: a.opcode, quantity, a: a[quantity], b: b[quantity]});
      }
    }
    return {agreements, rows};
  };

  // For the page that compares; empty if one of the tables has no opcodes.
  ptxlat.opcodesSection = async (a, b) => {
    if (!a.has_opcodes || !b.has_opcodes) return "";
    const {agreements, rows} = ptxlat.compareOpcodes(
        await ptxlat.opcodesIn(a), await ptxlat.opcodesIn(b), (await ptxlat.load(`opcodes-${a.index}`)).opcodes.same);
    const text = agreements.map(({quantity, compared, equal}) => `${quantity} ${equal} of ${compared}`).join(", ");
    return ptxlat.section(
        "SASS opcodes",
        ptxlat.element(
            "p", {class: "faint"}, `Equal are: ${text || "none, as they have no quantity in common"}. Throughputs are `,
            "equal within 1 %."),
        ptxlat.plainTable(
            "Opcodes that differ",
            [{label: "opcode"}, {label: "quantity"}, {label: "A", isNumber: true}, {label: "B", isNumber: true}],
            rows.map((row) => [
              ptxlat.link(row.opcode, ptxlat.address("opcode", row.opcode, {table: a.id}), {class: "code"}), row.quantity,
              row.a, row.b
            ])));
  };
})();
