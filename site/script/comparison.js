// SPDX-License-Identifier: Apache-2.0
// Two lists of forms, or two levels of one, row by row. Spellings that share their rows on both sides are one row; causes are
// those of `ptxlat compare` for tables without machine code: the opcodes, then the schedule's number.
"use strict";
(() => {
  ptxlat.causes = {
    "different SASS": "The assembler chose different opcodes.",
    "different schedule": "The opcodes are the same, but the schedule takes a different time.",
    "same code, different cycles": "Opcodes and schedule are the same: the hardware, its clocks or noise.",
    "different verdict": "One side has a number and the other does not, or their verdicts differ.",
    "only in A": "B does not have it.",
    "only in B": "A does not have it.",
    "unchanged": "Equal in numbers, opcodes and schedule.",
  };

  // Items of a list at a level by spelling, operand and input.
  const placesOf = (list, level) => {
    const places = new Map();
    for (let item = 0; item < list.size; ++item) {
      const row = list.rowAt(item, level);
      if (row < 0) continue;
      const name = list.spellingName[list.spelling[item]];
      const input = list.inputOf(item);
      for (const operand of list.operandOf(item).split(" ")) places.set(`${name} ${operand}\t${input}`, row);
    }
    return places;
  };

  const causeOf = (a, rowA, b, rowB, headline) => {
    const equal = (tag) => {
      const [left, right] = [a.number(rowA, tag), b.number(rowB, tag)];
      return left === right || (Number.isNaN(left) && Number.isNaN(right));
    };
    const has = (list, row) => !Number.isNaN(list.number(row, headline));
    if (a.verdicts[a.rowVerdict[rowA]] !== b.verdicts[b.rowVerdict[rowB]] || has(a, rowA) !== has(b, rowB))
      return "different verdict";
    if (a.sassNumber[a.rowSass[rowA]] !== b.sassNumber[b.rowSass[rowB]]) return "different SASS";
    if (!equal("static")) return "different schedule";
    return equal(headline) && equal("issue") ? "unchanged" : "same code, different cycles";
  };

  const changeOf = (row) => (row.numberA > 0 && row.numberB > 0 ? Math.abs(Math.log(row.numberB / row.numberA)) : -1);

  ptxlat.compare = (a, b, levelA, levelB) => {
    const headline = a.table.kind === "static" || b.table.kind === "static" ? "static" : "cycles";
    const ofA = placesOf(a, levelA), ofB = placesOf(b, levelB);
    const names = a.names;
    const rows = new Map();
    const add = (key, rowA, rowB) => {
      const pair = `${rowA} ${rowB}`;
      const space = key.indexOf(" "), tab = key.indexOf("\t");
      const name = names[Number(key.slice(0, space))], operand = key.slice(space + 1, tab);
      let row = rows.get(pair);
      if (!row) {
        const cause = rowA < 0 ? "only in B" : rowB < 0 ? "only in A" : causeOf(a, rowA, b, rowB, headline);
        row = {
          name,
          input: key.slice(tab + 1),
          operands: new Set(),
          spellings: new Set(),
          rowA,
          rowB,
          cause,
          numberA: a.number(rowA, headline),
          numberB: b.number(rowB, headline)
        };
        rows.set(pair, row);
      }
      if (name.length < row.name.length) row.name = name;
      row.operands.add(operand);
      row.spellings.add(name);
    };
    for (const [key, rowA] of ofA) add(key, rowA, ofB.has(key) ? ofB.get(key) : -1);
    for (const [key, rowB] of ofB) {
      if (!ofA.has(key)) add(key, -1, rowB);
    }
    // What only one side has is left out if its row has a counterpart under a different spelling.
    const metA = new Set(), metB = new Set();
    for (const row of rows.values()) {
      if (row.rowA < 0 || row.rowB < 0) continue;
      metA.add(row.rowA);
      metB.add(row.rowB);
    }
    const kept = [...rows.values()].filter(
        (row) => !(row.rowB < 0 && metA.has(row.rowA)) && !(row.rowA < 0 && metB.has(row.rowB)));
    kept.sort((left, right) => changeOf(right) - changeOf(left) || (left.name < right.name ? -1 : 1));
    return {rows: kept, headline};
  };

  // Facts by probe, quantity and condition: equal if one value is in the other's range.
  ptxlat.compareFacts = (a, b) => {
    const keyOf = (fact) => `${fact.probe} ${fact.quantity} ${fact.condition}`;
    const ofB = new Map(b.map((fact) => [keyOf(fact), fact]));
    const isIn = (value, fact) =>
        value >= (fact.low ?? Number(fact.value)) && value <= (fact.high ?? Number(fact.value));
    const rows = [];
    for (const fact of a) {
      const other = ofB.get(keyOf(fact));
      ofB.delete(keyOf(fact));
      if (!other) {
        rows.push({a: fact, change: "only in A"});
        continue;
      }
      const [left, right] = [Number(fact.value), Number(other.value)];
      const areNumbers = fact.value !== "" && other.value !== "" && !Number.isNaN(left) && !Number.isNaN(right);
      const isEqual = areNumbers ? isIn(left, other) || isIn(right, fact) : fact.value === other.value;
      rows.push({a: fact, b: other, change: isEqual ? "equal" : "different value"});
    }
    for (const fact of ofB.values()) rows.push({b: fact, change: "only in B"});
    return rows;
  };
})();
