// SPDX-License-Identifier: Apache-2.0
// The forms of a table, as columns of numbers: tens of thousands of items must be searched between two key presses.
// An item is a spelling with one of its lines: operands and input, and the row of each level.
"use strict";
(() => {
  const withGaps = (values) => Float64Array.from(values, (value) => (value === null ? NaN : value));

  let names;
  ptxlat.names = () => {
    if (!names) names = ptxlat.load("names").then(({names: text}) => (text === "" ? [] : text.split("\n")));
    return names;
  };

  class FormList {
    constructor(table, names, data) {
      this.table = table;
      this.names = names;
      this.levels = data.levels;
      const {spellings, lines, rows} = data;
      this.spellingName = ptxlat.summed(spellings.name);
      this.spellingGroup = ptxlat.summed(spellings.group);
      Object.assign(this, {
        chapters: spellings.chapters,
        spellingChapter: spellings.chapter,
        reasons: spellings.reasons,
        spellingReason: spellings.reason
      });
      Object.assign(
          this, {lineOperand: lines.operand, operands: lines.operands, lineInput: lines.input, inputs: lines.inputs});
      this.lineRows = {};
      for (const level of data.levels) this.lineRows[level] = ptxlat.summed(lines.rows[level]);
      this.rowName = ptxlat.summed(rows.name);
      this.rowSass = ptxlat.summed(rows.sass);
      Object.assign(this, {
        rowMeasure: rows.measure,
        measures: rows.measures,
        rowConsumer: rows.consumer,
        consumers: rows.consumers,
        rowCount: rows.count,
        rowVerdict: rows.verdict,
        verdicts: rows.verdicts,
        rowNote: rows.note,
        notes: rows.notes,
        rowBound: rows.bound
      });
      Object.assign(this, {rowWindows: rows.windows, windowSets: rows.window_sets});
      this.windowCodes = rows.codes.map(ptxlat.summed);
      this.codeNumbers = ptxlat.summed(rows.code_numbers);
      this.codeOpcodes = ptxlat.summed(rows.code_opcodes);
      this.numbers = {};
      for (const [tag, values] of Object.entries(rows.numbers)) this.numbers[tag] = withGaps(values);
      this.sassText = rows.code.text;
      this.sassNumber = ptxlat.summed(rows.code.number);
      this.sassPipes = rows.code.pipes;
      this.pipes = rows.pipes;
      this.pipesFrom = rows.pipes_from;
      this.expand(lines.count);
    }

    // Spellings times the lines of their groups.
    expand(counts) {
      const start = new Int32Array(counts.length + 1);
      counts.forEach((count, group) => {
        start[group + 1] = start[group] + count;
      });
      let size = 0;
      for (const group of this.spellingGroup) size += group < 0 ? 1 : counts[group];
      this.spelling = new Int32Array(size);
      this.line = new Int32Array(size).fill(-1);
      let item = 0;
      for (let spelling = 0; spelling < this.spellingGroup.length; ++spelling) {
        const group = this.spellingGroup[spelling];
        const end = group < 0 ? 1 : counts[group];
        for (let i = 0; i < end; ++i) {
          this.spelling[item] = spelling;
          if (group >= 0) this.line[item] = start[group] + i;
          ++item;
        }
      }
      this.size = size;
    }

    nameOf(item) { return this.names[this.spellingName[this.spelling[item]]]; }
    rowAt(item, level) { return this.line[item] < 0 ? -1 : this.lineRows[level][this.line[item]]; }
    operandOf(item) { return this.line[item] < 0 ? "" : this.operands[this.lineOperand[this.line[item]]]; }
    inputOf(item) { return this.line[item] < 0 ? "" : this.inputs[this.lineInput[this.line[item]]]; }
    chapterOf(item) { return this.chapters[this.spellingChapter[this.spelling[item]]]; }
    reasonOf(item) { return this.reasons[this.spellingReason[this.spelling[item]]]; }

    // Of the level, or of the highest one below it that has a row.
    rowNear(item, level) {
      const row = this.rowAt(item, level);
      if (row >= 0) return row;
      for (let i = this.levels.length - 1; i >= 0; --i) {
        const other = this.rowAt(item, this.levels[i]);
        if (other >= 0) return other;
      }
      return -1;
    }

    number(row, tag) {
      const values = this.numbers[tag];
      return row < 0 || !values ? NaN : values[row];
    }

    // What cause.js compares.
    sideOf(row) {
      return {
        table: this.table,
        sass: this.sassNumber[this.rowSass[row]],
        consumer: this.consumers[this.rowConsumer[row]],
        verdict: this.verdicts[this.rowVerdict[row]],
        number: (tag) => this.number(row, tag),
        windows: this.windowSets[this.rowWindows[row]].map((window, i) => {
          const code = this.windowCodes[i][row];
          return {...window, code: this.codeNumbers[code], opcodes: this.codeOpcodes[code]};
        })
      };
    }

    verdictAt(item, level) {
      const row = this.rowNear(item, level);
      return row < 0 ? this.reasonOf(item).split(":")[0] : this.verdicts[this.rowVerdict[row]];
    }

    // "4", "≥17" for a schedule that is a lower bound, "(2)" for an issue cost where there is no latency, else why not.
    cellText(row) {
      if (row < 0) return "";
      const headline = ptxlat.headlineOf(this.table);
      const value = this.number(row, headline);
      if (!Number.isNaN(value))
        return (headline === "static" && this.rowBound[row] ? "≥" : "") + ptxlat.numberText(value);
      const issue = this.number(row, "issue");
      const verdict = this.verdicts[this.rowVerdict[row]];
      return verdict === "proven" && !Number.isNaN(issue) ? `(${ptxlat.numberText(issue)})` : verdict;
    }

    // Whether the table only lists the spelling, because the target does not have it.
    isListedOnly(name) {
      if (!this.listedOnly) {
        this.listedOnly = new Set();
        this.spellingGroup.forEach((group, i) => {
          if (group < 0) this.listedOnly.add(this.spellingName[i]);
        });
      }
      return this.listedOnly.has(name);
    }

    pipesOf(row) { return row < 0 ? [] : this.sassPipes[this.rowSass[row]].map((pipe) => this.pipes[pipe]); }
  }

  const lists = new Map();
  ptxlat.formList = (table) => {
    if (!lists.has(table.index)) {
      lists.set(
          table.index,
          Promise.all([ptxlat.names(), ptxlat.load(`list-${table.index}`)])
              .then(([all, data]) => new FormList(table, all, data)));
    }
    return lists.get(table.index);
  };
})();
