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
      // Short names first among equally good matches; PTX before CUDA C. Without a query, what has no row is last.
      this.natural =
          this.byKey(Array.from(this.lower, (name, spelling) => (isFunction(spelling) ? 1000 : 0) + name.length));
      this.alphabetical = this.byKey(Array.from(
          this.lower, (name, spelling) => (list.spellingGroup[spelling] < 0 ? 2 : 0) + (isFunction(spelling) ? 1 : 0)));
      const types = new Set();
      this.spellingTypes = this.lower.map((name) => {
        const found = typesIn(name);
        for (const type of found) types.add(type);
        return found;
      });
      setTimeout(() => this.prepareCode(), 300);  // not before the list is shown, but before it is asked for
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
      // A longer query matches nothing that a shorter one did not; capital letters are a different question.
      const {last} = this;
      const isLonger = last && last.query && query.startsWith(last.query) && query === query.toLowerCase();
      const scores =
          isLonger ? last.scores.map((score) => Math.min(score, 1)) : new Uint8Array(this.lower.length).fill(1);
      this.last = {query, scores};
      if (words.length === 0) return scores;
      const whole = query.trim().toLowerCase();
      for (const word of words) this.require(word, scores);
      for (let i = 0; i < scores.length; ++i) {
        if (scores[i] === 0) continue;
        const name = this.lower[i];
        if (name === whole)
          scores[i] = 4;
        else if (name.startsWith(whole + "."))
          scores[i] = 3;
        else if (name.startsWith(whole))
          scores[i] = 2;
      }
      return scores;
    }

    require(word, scores) {
      const lower = word.toLowerCase();
      const withCode = word !== lower ? this.spellingsWith(word) : null;
      for (let i = 0; i < scores.length; ++i) {
        if (scores[i] !== 0 && !this.lower[i].includes(lower) && !(withCode && withCode[i])) scores[i] = 0;
      }
    }

    // The machine code of each item, at its highest level.
    prepareCode() {
      if (this.itemSass) return;
      const {list} = this;
      const level = ptxlat.highestLevel(list.table);
      this.itemSass = new Int32Array(list.size);
      for (let item = 0; item < list.size; ++item) {
        const row = list.rowNear(item, level);
        this.itemSass[item] = row < 0 ? -1 : list.rowSass[row];
      }
    }

    // Which spellings have this text in their machine code.
    spellingsWith(text) {
      const {list} = this;
      this.prepareCode();
      const upper = text.toUpperCase();
      const wanted = Uint8Array.from(list.sassText, (sass) => (sass.includes(upper) ? 1 : 0));
      const spellings = new Uint8Array(list.spellingName.length);
      for (let item = 0; item < list.size; ++item) {
        if (this.itemSass[item] >= 0 && wanted[this.itemSass[item]]) spellings[list.spelling[item]] = 1;
      }
      return spellings;
    }

    // Items that pass the filters, in order. `filters` has the values of an address: chapter, type, pipe, verdict, min,
    // max; `level` is what verdict, pipe, range and order are about.
    find({query, filters, level, sort, isDescending}) {
      const {list} = this;
      const scores = this.scores(query);
      const tests = this.tests(filters, level);
      const items = sort ? this.sorted(sort, level, isDescending) : query ? this.natural : this.alphabetical;
      const found = new Int32Array(items.length);
      let count = 0;
      for (const item of items) {
        if (scores[list.spelling[item]] !== 0 && (tests.length === 0 || tests.every((test) => test(item))))
          found[count++] = item;
      }
      const kept = found.subarray(0, count);
      return sort || !query ? kept : this.ranked(kept, scores);
    }

    // How many spellings have these items.
    spellingsOf(items) {
      const {spelling, spellingName} = this.list;
      const met = new Uint8Array(spellingName.length);
      let count = 0;
      for (let i = 0; i < items.length; ++i) {
        count += 1 - met[spelling[items[i]]];
        met[spelling[items[i]]] = 1;
      }
      return count;
    }

    // The best matches first, in the same order otherwise.
    ranked(items, scores) {
      const {spelling} = this.list;
      const starts = new Int32Array(5);
      for (const item of items) ++starts[4 - scores[spelling[item]]];
      for (let rank = 0, sum = 0; rank < 5; ++rank) [starts[rank], sum] = [sum, sum + starts[rank]];
      const sorted = new Int32Array(items.length);
      for (const item of items) sorted[starts[4 - scores[spelling[item]]]++] = item;
      return sorted;
    }

    tests({chapter, type, pipe, verdict, min, max}, level) {
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
      return tests;
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
      if (column === "count")
        return (item) => {
          const row = list.rowNear(item, level);
          return row < 0 ? NaN : list.rowCount[row];
        };
      const text = ptxlat.formColumns[column];
      return text ? (item) => text.text(list, item, level) : () => NaN;
    }

    // An order is made once for each column and level; a key press only walks it.
    sorted(column, level, isDescending) {
      const name = `${column} ${level} ${isDescending}`;
      if (!this.orders.has(name)) {
        const {list} = this;
        const key = this.keyOf(column, level);
        const keys = Array.from({length: list.size}, (_, item) => key(item));
        // What has no value is last in either direction.
        const isMissing = (value) => value === "" || Number.isNaN(value);
        const sign = isDescending ? -1 : 1;
        const compare = (a, b) => isMissing(keys[a]) - isMissing(keys[b]) ||
            (keys[a] < keys[b]       ? -sign
                 : keys[a] > keys[b] ? sign
                                     : 0);
        this.orders.set(name, Uint32Array.from(this.alphabetical).sort((a, b) => compare(a, b) || a - b));
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
