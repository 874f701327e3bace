// SPDX-License-Identifier: Apache-2.0
// Why two records differ, from their machine code: the rule of `ptxlat compare`. What is arbitrary does not count:
// registers, the numbers of scoreboards, and the stall counts of a window's edges.
"use strict";
(() => {
  const opcodeOf = (text) => text.replace(/^@!?U?P\w+ /, "").split(" ")[0];

  // When each instruction issues: its stall count, its yield hint, and which instructions it waits for.
  const scheduleOf = (code) => {
    const setters = new Map();
    return code.map((instruction, at) => {
      const isEdge = at === 0 || at + 2 >= code.length;
      const waits = at === 0 ? [] : instruction.waits.map((one) => (setters.has(one) ? setters.get(one) : -1));
      for (const one of [instruction.write, instruction.read]) {
        if (one >= 0) setters.set(one, at);
      }
      const distinct = [...new Set(waits)].sort((left, right) => left - right);
      return [isEdge ? 0 : instruction.stall, isEdge ? false : instruction.yields, distinct].join(" ");
    }).join(";");
  };

  const windowChange = (a, b) => {
    if (a === b) return "";
    const [left, right] = [a, b].map((text) => text.split("\n").map(ptxlat.parseInstruction));
    const opcodes = (code) => code.map((one) => opcodeOf(one.text)).join(";");
    if (opcodes(left) !== opcodes(right)) return "different SASS";
    return scheduleOf(left) === scheduleOf(right) ? "" : "different schedule";
  };

  // Texts of the windows of these roles, which both records have.
  const sharedWindows = (a, b) => (a.windows || []).flatMap((window) => {
    const other = (b.windows || []).find((one) => one.role === window.role);
    const texts = other ? [a.code[window.sass], b.code[other.sass]] : [];
    return texts.length === 2 && texts.every((text) => text !== undefined) ? [texts] : [];
  });

  const codeChange = (a, b) => {
    if (ptxlat.sassText(a) !== ptxlat.sassText(b)) return "different SASS";
    const windows = sharedWindows(a, b);
    if (windows.length === 0) return a.static !== b.static ? "different schedule" : "";
    const changes = windows.map(([left, right]) => windowChange(left, right));
    return changes.includes("different SASS") ? "different SASS" : changes.find(Boolean) || "";
  };

  ptxlat.causeOf = (a, b) => {
    const isStatic = (record) => ptxlat.tables[record.table].kind === "static";
    const headline = isStatic(a) || isStatic(b) ? "static" : "cycles";
    const has = (record, tag) => record[tag] !== undefined && record[tag] !== null;
    const isOnOneSide = (tag) => has(a, tag) !== has(b, tag);
    if (isOnOneSide(headline)) return "different verdict";
    const verdictsCount = isStatic(a) === isStatic(b) || !has(a, headline);
    if (verdictsCount && a.verdict !== b.verdict) return "different verdict";
    const change = codeChange(a, b);
    if (change) return change;
    if (isOnOneSide("issue") && isStatic(a) === isStatic(b)) return "different verdict";
    const isEqual = a[headline] === b[headline] && (isOnOneSide("issue") || a.issue === b.issue) &&
        (isOnOneSide("static") || a.static === b.static);
    if (isEqual) return "unchanged";
    return isStatic(a) && isStatic(b) ? "different schedule" : "same code, different cycles";
  };
})();
