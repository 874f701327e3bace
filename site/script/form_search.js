// SPDX-License-Identifier: Apache-2.0
// Search, filters and order of a list of forms. Everything that one key press needs is a walk over arrays; what is the
// same for all of them (orders, types, texts in lower case) is made once.
"use strict";
(() => {
  // The data types in a name: "fma.rn.f32" has f32.
  const typePattern = /^(?:[usfb]\d+(?:x\d+)?|bf16(?:x2)?|tf32|e\dm\d(?:x\d)?|ue\dm\d(?:x\d)?|pred)$/;
  const typesIn = (name) => name.split(/[.:]+/).filter((part) => typePattern.test(part));

  class Search {
    constructor(list) {
      this.list = list;
      this.lower = Array.from(list.spellingName, (name) => list.names[name].toLowerCase());
      this.orders = new Map();
      const isFunction = (spelling) => list.chapters[list.spellingChapter[spelling]].startsWith("CUDA C");
      // Short names first among equally good matches; PTX before CUDA C.
      this.natural = this.byKey(Array.from(this.lower, (name, spelling) => (isFunction(spelling) ? 1000 : 0) + name.length));
      this.alphabetical = this.byKey(Array.from(this.lower, (name, spelling) => (isFunction(spelling) ? 1 : 0)));
      const types = new Set();
      this.spellingTypes = this.lower.map((name) => {
        const found = typesIn(name);
        for (const type of found) types.add(type);
        return found;
      });
      this.types = [...types].sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
    }

    // All items in the order of a number of their spelling.
    byKey(keys) {
      const {list} = this;
      const items = Uint32Array.from({length: list.size}, (_, item) => item);
      return items.sort((a, b) => keys[list.spelling[a]] - keys[list.spelling[b]] || a - b);
    }

    // How well each spelling matches all words: 0 not at all, 4 it is the query.
    scores(query) {
      const words = query.trim().split(/\s+/).filter(Boolean);
      const scores = new Uint8Array(this.lower.length).fill(1);
      if (words.length === 0) return scores;
      const whole = query.trim().toLowerCase();
      for (const word of words) this.require(word, scores);
      for (let i = 0; i < scores.length; ++i) {
        if (scores[i] === 0) continue;
        const name = this.lower[i];
        if (name === whole) scores[i] = 4;
        else if (name.startsWith(whole + ".")) scores[i] = 3;
        else if (name.startsWith(whole)) scores[i] = 2;
      }
      return scores;
    }

    require(word, scores) {
      const lower = word.toLowerCase();
      const groups = word !== lower ? this.groupsWith(word) : null;
      for (let i = 0; i < scores.length; ++i) {
        if (scores[i] === 0 || this.lower[i].includes(lower)) continue;
        if (!groups || !groups.has(this.list.spellingGroup[i])) scores[i] = 0;
      }
    }

    // The groups of lines whose machine code has this text.
    groupsWith(text) {
      const {list} = this;
      const wanted = list.sassText.map((sass) => sass.includes(text.toUpperCase()));
      const groups = new Set();
      for (let item = 0; item < list.size; ++item) {
        const row = list.rowNear(item, ptxlat.highestLevel(list.table));
        if (row >= 0 && wanted[list.rowSass[row]]) groups.add(list.spellingGroup[list.spelling[item]]);
      }
      groups.delete(-1);
      return groups;
    }

    // Items that pass the filters, in order. `filters` has the values of an address: chapter, type, pipe, verdict, min,
    // max; `level` is what verdict, pipe, range and order are about.
    find({query, filters, level, sort, isDescending}) {
      const {list} = this;
      const scores = this.scores(query);
      const passes = this.filter(filters, level);
      const items = sort ? this.sorted(sort, level) : query ? this.natural : this.alphabetical;
      const kept = sort || !query ? [[]] : [[], [], [], []];
      for (let i = 0; i < items.length; ++i) {
        const item = items[isDescending ? items.length - 1 - i : i];
        const score = scores[list.spelling[item]];
        if (score === 0 || !passes(item)) continue;
        kept[kept.length === 1 ? 0 : 4 - score].push(item);
      }
      const found = kept.flat();
      if (!sort || !isDescending) return found;
      // What has no value is last in either direction.
      const key = this.keyOf(sort, level);
      const isMissing = (item) => Number.isNaN(key(item));
      return typeof key(0) === "number" ? [...found.filter((item) => !isMissing(item)), ...found.filter(isMissing)] : found;
    }

    filter({chapter, type, pipe, verdict, min, max}, level) {
      const {list} = this;
      const tests = [];
      if (chapter) {
        const wanted = list.chapters.indexOf(chapter);
        tests.push((item) => list.spellingChapter[list.spelling[item]] === wanted);
      }
      if (type) tests.push((item) => this.spellingTypes[list.spelling[item]].includes(type));
      if (pipe) {
        const wanted = list.pipes.indexOf(pipe);
        tests.push((item) => {
          const row = list.rowNear(item, level);
          return row >= 0 && list.sassPipes[list.rowSass[row]].includes(wanted);
        });
      }
      if (verdict) tests.push((item) => list.verdictAt(item, level) === verdict);
      const least = parseFloat(min), most = parseFloat(max);
      const number = this.keyOf("cycles", level);
      if (!Number.isNaN(least)) tests.push((item) => number(item) >= least);
      if (!Number.isNaN(most)) tests.push((item) => number(item) <= most);
      return (item) => tests.every((test) => test(item));
    }

    // What a column is sorted by.
    keyOf(column, level) {
      const {list} = this;
      const ofLevel = /^O(\d)$/.exec(column);
      if (column === "cycles" || ofLevel) {
        const headline = ptxlat.headlineOf(list.table);
        const at = ofLevel ? Number(ofLevel[1]) : level;
        return (item) => list.number(list.levels.includes(at) ? list.rowAt(item, at) : -1, headline);
      }
      if (list.numbers[column]) return (item) => list.number(list.rowNear(item, level), column);
      if (column === "count") return (item) => { const row = list.rowNear(item, level); return row < 0 ? NaN : list.rowCount[row]; };
      const text = ptxlat.formColumns[column];
      return text ? (item) => text.text(list, item, level) : () => NaN;
    }

    // An order is made once for each column and level; a key press only walks it.
    sorted(column, level) {
      const name = `${column} ${level}`;
      if (!this.orders.has(name)) {
        const {list} = this;
        const key = this.keyOf(column, level);
        const keys = Array.from({length: list.size}, (_, item) => key(item));
        const items = Uint32Array.from(this.alphabetical);
        const compare = typeof keys[0] === "string"
          ? (a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0)
          : (a, b) => (Number.isNaN(keys[a]) ? Infinity : keys[a]) - (Number.isNaN(keys[b]) ? Infinity : keys[b]) || 0;
        this.orders.set(name, items.sort((a, b) => compare(a, b) || a - b));
      }
      return this.orders.get(name);
    }
  }

  const searches = new WeakMap();
  ptxlat.searchOf = (list) => {
    if (!searches.has(list)) searches.set(list, new Search(list));
    return searches.get(list);
  };
})();
