// SPDX-License-Identifier: Apache-2.0
// Two lists of forms, or two levels of one, row by row. Spellings that share their rows on both sides are one row.
"use strict";
(() => {
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
        const cause = !missing ? ptxlat.causeOf(a.sideOf(rowA), b.sideOf(rowB))
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

  // Facts by probe, quantity and condition: the rule of `ptxlat compare`. Facts about a card are not compared between two
  // cards; of facts with one key the first is matched with the first.
  ptxlat.compareFacts = (a, b, isOneCard) => {
    const keyOf = (fact) => `${fact.probe} ${fact.quantity} ${fact.condition}`;
    const byKey = (facts) => {
      const found = new Map();
      for (const fact of facts) {
        let number = 0;
        while (found.has(`${keyOf(fact)} ${number}`)) ++number;
        found.set(`${keyOf(fact)} ${number}`, fact);
      }
      return found;
    };
    const isOfCard = (fact) => fact !== undefined && fact.scope === "card";
    const isIn = (value, fact) =>
        value >= (fact.low ?? Number(fact.value)) && value <= (fact.high ?? Number(fact.value));
    const changeOf = (fact, other) => {
      if (!other) return "only in A";
      if (!fact) return "only in B";
      if ((fact.value === "") !== (other.value === "")) return "different verdict";
      const [left, right] = [Number(fact.value), Number(other.value)];
      const areNumbers = fact.value !== "" && !Number.isNaN(left) && !Number.isNaN(right);
      const isEqual = fact.unit === other.unit &&
          (areNumbers ? isIn(left, other) || isIn(right, fact) : fact.value === other.value);
      if (!isEqual) return "different value";
      return fact.verdict === other.verdict ? "equal" : "different verdict";
    };
    const ofA = byKey(a), ofB = byKey(b);
    const keys = new Set([...ofA.keys(), ...ofB.keys()]);
    return [...keys].map((key) => ({a: ofA.get(key), b: ofB.get(key), change: changeOf(ofA.get(key), ofB.get(key))}))
        .filter((row) => isOneCard || !(isOfCard(row.a) || isOfCard(row.b)));
  };
})();
