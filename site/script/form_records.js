// SPDX-License-Identifier: Apache-2.0
// What every table says of one form, from the shard of the form and those of the forms whose rows it shares.
"use strict";
(() => {
  // The form whose rows a spelling has at a level; null if it has none.
  const formAt = (rows, name, level) => {
    const form = rows !== null && typeof rows === "object" ? rows[level] : rows;
    return form === 0 ? name : form || null;
  };

  // Of one table: levels → {form, records}, and the reason where there are none.
  const ofTable = (table, entry, name, rowsOf) => {
    const levels = {};
    for (const level of table.levels) {
      const form = formAt(entry.rows, name, level);
      levels[level] = {
        form,
        records: form
            ? (rowsOf.get(form) || []).filter((row) => row.table === table.index && row.levels.includes(level))
            : []
      };
    }
    return {table, levels, reason: entry.reason || "", note: entry.note || ""};
  };

  // Null if no table knows the form; else a list, a table each. A record's `code` has the texts that its windows refer
  // to by number.
  ptxlat.formRecords = async (name) => {
    const shard = await ptxlat.formShard(name);
    const entries = shard.spellings[name];
    if (!Object.hasOwn(shard.spellings, name)) return null;
    const forms = new Set();
    for (const entry of entries) {
      for (const level of [0, 1, 2, 3, 4]) forms.add(formAt(entry.rows, name, level));
    }
    forms.delete(null);
    const rowsOf = new Map();
    for (const form of forms) {
      const home = await ptxlat.formShard(form);
      const rows = Object.hasOwn(home.rows, form) ? home.rows[form] : [];
      const codes = {
        code: home.code,
        codeNumbers: ptxlat.summed(home.code_numbers),
        codeOpcodes: ptxlat.summed(home.code_opcodes)
      };
      for (const row of rows) Object.assign(row, codes);
      rowsOf.set(form, rows);
    }
    const tables =
        entries.flatMap((entry) => entry.tables.map((index) => ofTable(ptxlat.tables[index], entry, name, rowsOf)))
            .sort((a, b) => a.table.index - b.table.index);
    return {tables};
  };

  // Operand and input, as a key and as words.
  const keysOf = (record) => (record.operand || "").split(" ").map((operand) => `${operand}\t${record.input || ""}`);
  ptxlat.pathText = (key) => {
    const [operand, input] = key.split("\t");
    return [operand && `from ${operand}`, input].filter(Boolean).join(", ") || "the whole instruction";
  };
  // All of them, of all levels, the highest first.
  ptxlat.pathsOf = ({table, levels}) => {
    const keys = new Set();
    for (const level of [...table.levels].reverse()) {
      for (const record of levels[level].records) keysOf(record).forEach((key) => keys.add(key));
    }
    return [...keys];
  };
  ptxlat.recordAt = ({levels}, level, key) =>
      (levels[level] ? levels[level].records.find((record) => keysOf(record).includes(key)) : undefined);

  // As in the list: "4", "≥17", "(2)", or the verdict.
  ptxlat.recordText = (record, table) => {
    if (!record) return "";
    const headline = ptxlat.headlineOf(table);
    if (record[headline] !== undefined && record[headline] !== null) {
      return (headline === "static" && record.is_bound ? "≥" : "") + ptxlat.numberText(record[headline]);
    }
    if (record.verdict === "proven" && record.issue !== undefined) return `(${ptxlat.numberText(record.issue)})`;
    return record.verdict;
  };

  ptxlat.sassText = (record) => (Array.isArray(record.sass) ? record.sass : []).join(";");
})();
