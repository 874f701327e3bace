// SPDX-License-Identifier: Apache-2.0
// Two lists of forms, or two levels of one, row by row. Spellings that share their rows on both sides are one row.
"use strict";
(() => {
  ptxlat.causes = {
    "different SASS": "The assembler chose different opcodes.",
    "different schedule": "The opcodes are the same, with different stall counts, yields or waits.",
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

  // The rule of `ptxlat compare`. The machine code counts where both rows have windows of the same roles; else the
  // opcodes and the schedule's number stand for it.
  const codeChange = (a, rowA, b, rowB) => {
    if (a.sassNumber[a.rowSass[rowA]] !== b.sassNumber[b.rowSass[rowB]]) return "different SASS";
    if (a.rowRoles[rowA] >= 0 && a.rowRoles[rowA] === b.rowRoles[rowB]) {
      if (a.rowOpcodes[rowA] !== b.rowOpcodes[rowB]) return "different SASS";
      return a.rowSchedule[rowA] !== b.rowSchedule[rowB] ? "different schedule" : "";
    }
    return differs(a, rowA, b, rowB, "static") ? "different schedule" : "";
  };

  const differs = (a, rowA, b, rowB, tag) => {
    const [left, right] = [a.number(rowA, tag), b.number(rowB, tag)];
    return left !== right && !(Number.isNaN(left) && Number.isNaN(right));
  };
  const isOnOneSide = (a, rowA, b, rowB, tag) =>
      Number.isNaN(a.number(rowA, tag)) !== Number.isNaN(b.number(rowB, tag));

  const causeOf = (a, rowA, b, rowB, headline) => {
    const sides = [a, rowA, b, rowB];
    if (isOnOneSide(...sides, headline)) return "different verdict";
    const areOfOneKind = a.table.kind === b.table.kind;
    const verdictsCount = areOfOneKind || Number.isNaN(a.number(rowA, headline));
    if (verdictsCount && a.verdicts[a.rowVerdict[rowA]] !== b.verdicts[b.rowVerdict[rowB]]) return "different verdict";
    const change = codeChange(...sides);
    if (change) return change;
    const haveIssue = a.numbers.issue && b.numbers.issue;
    if (haveIssue && isOnOneSide(...sides, "issue")) return "different verdict";
    const isEqual = !differs(...sides, headline) && !(haveIssue && differs(...sides, "issue")) &&
        (isOnOneSide(...sides, "static") || !differs(...sides, "static"));
    if (isEqual) return "unchanged";
    // Nothing was measured: another number is another schedule.
    return areOfOneKind && a.table.kind === "static" ? "different schedule" : "same code, different cycles";
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
        const missing = rowA < 0 ? a : rowB < 0 ? b : null;
        const isListed = missing && missing.isListedOnly(Number(key.slice(0, space)));
        const cause = !missing ? causeOf(a, rowA, b, rowB, headline)
            : isListed ? "different verdict" : missing === a ? "only in B" : "only in A";
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
