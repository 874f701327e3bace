// SPDX-License-Identifier: Apache-2.0
// A table of any number of rows, of which only those in sight exist. Rows are equally high; two empty rows stand for
// those above and below.
"use strict";
(() => {
  const margin = 4;      // rows beyond the edges, so that scrolling shows no gaps
  const rowHeight = 30;  // as in tables.css

  class VirtualTable {
    // label; columns() → [{key, label, title, width, isNumber}]; cells(row) → nodes or texts; open(row);
    // sort: {key, isDescending, change(key)}.
    constructor(options) {
      Object.assign(this, options);
      this.count = 0;
      this.chosen = -1;
      this.head = ptxlat.element("thead");
      this.body = ptxlat.element("tbody");
      this.group = ptxlat.element("colgroup");
      this.table =
          ptxlat.element("table", {class: "virtual", "aria-label": this.label}, this.group, this.head, this.body);
      this.node = ptxlat.element(
          "div", {
            class: "scroll",
            tabindex: "0",
            role: "region",
            "aria-label": this.label,
            onscroll: () => {
              this.top = this.node.scrollTop;
              this.later();
            },
            onkeydown: (event) => this.key(event)
          },
          this.table);
      // Asking for sizes while the page changes would lay it out twice.
      this.top = 0;
      this.sight = 0;
      this.observer = new ResizeObserver(() => {
        this.sight = this.node.clientHeight;
        this.later();
      });
      this.observer.observe(this.node);
    }

    later() {
      if (this.waiting || this.isOnPaper) return;
      this.waiting = requestAnimationFrame(() => {
        this.waiting = 0;
        this.draw();
      });
    }

    heads() {
      const columns = this.columns();
      const widths = columns.map((column) => column.width).join();
      if (widths !== this.widths) {
        this.widths = widths;
        this.group.replaceChildren(...columns.map((column) => {
          const node = ptxlat.element("col");
          node.style.width = `${column.width + 2}ch`;
          return node;
        }));
        this.table.style.minWidth = `${columns.reduce((sum, column) => sum + column.width + 2, 0)}ch`;
      }
      const state =
          JSON.stringify([columns.map((column) => column.key), this.sort && [this.sort.key, this.sort.isDescending]]);
      if (state === this.state) return;
      this.state = state;
      this.rows = [];
      this.above = this.gap(columns.length);
      this.below = this.gap(columns.length);
      this.body.replaceChildren();
      this.head.replaceChildren(ptxlat.element("tr", {}, columns.map((column) => {
        const isSorted = this.sort && this.sort.key === column.key;
        const direction = isSorted ? (this.sort.isDescending ? "descending" : "ascending") : undefined;
        const arrow = isSorted ? (this.sort.isDescending ? " ▾" : " ▴") : "";
        const button = this.sort && !column.isFixed
            ? ptxlat.element(
                  "button", {type: "button", title: column.title, onclick: () => this.sort.change(column.key)},
                  column.label + arrow)
            : column.label;
        return ptxlat.element(
            "th", {scope: "col", class: column.isNumber ? "number" : "", "aria-sort": direction}, button);
      })));
    }

    show(count) {
      this.count = count;
      this.chosen = -1;
      if (this.top !== 0) this.node.scrollTop = this.top = 0;
      this.table.setAttribute("aria-rowcount", count + 1);
      this.heads();
      this.draw();
    }

    // Rows stay in the page and are written anew: making and laying out new ones takes half as long again.
    draw(all) {
      const inSight = Math.ceil(this.sight / rowHeight);
      const first = Math.floor(this.top / rowHeight);
      const from = all ? 0 : Math.max(0, Math.min(first - margin, this.count - inSight - 2 * margin));
      const to = Math.min(this.count, all || first + 1 + inSight + margin);
      const columns = this.columns();
      while (this.rows.length < to - from) this.rows.push(this.newRow(columns));
      for (let row = from; row < to; ++row) this.write(this.rows[row - from], row, columns);
      this.above.firstChild.style.height = `${from * rowHeight}px`;
      this.below.firstChild.style.height = `${(this.count - to) * rowHeight}px`;
      const nodes = this.rows.slice(0, to - from).map((row) => row.node);
      if (this.body.childElementCount !== nodes.length + 2) this.body.replaceChildren(this.above, ...nodes, this.below);
    }

    gap(width) {
      return ptxlat.element("tr", {class: "gap", "aria-hidden": "true"}, ptxlat.element("td", {colspan: width}));
    }

    newRow(columns) {
      const row = {number: 0, texts: []};
      row.cells = columns.map(
          (column) => ptxlat.element("td", {class: `${column.isNumber ? "number" : ""} ${column.isCode ? "code" : ""}`}));
      row.node = ptxlat.element(
          "tr", {
            onclick: (event) => {
              if (!event.target.closest("a, button") && String(getSelection()) === "") this.open(row.number);
            }
          },
          row.cells);
      return row;
    }

    write(row, number, columns) {
      row.number = number;
      row.node.setAttribute("aria-rowindex", number + 2);
      row.node.classList.toggle("chosen", number === this.chosen);
      if (number === this.chosen)
        row.node.setAttribute("aria-selected", "true");
      else
        row.node.removeAttribute("aria-selected");
      this.cells(number).forEach((content, i) => {
        const text = typeof content === "string" ? content : null;
        if (text !== null && text === row.texts[i]) return;
        row.texts[i] = text;
        const cell = row.cells[i];
        ptxlat.fill(cell, content);
        if (text !== null && text.length > columns[i].width)
          cell.title = text;
        else
          cell.removeAttribute("title");
      });
    }

    choose(row) {
      this.chosen = Math.max(0, Math.min(this.count - 1, row));
      const top = this.chosen * rowHeight;
      const sight = this.sight - 2 * rowHeight;
      if (top < this.top)
        this.node.scrollTop = this.top = top;
      else if (top > this.top + sight)
        this.node.scrollTop = this.top = top - sight;
      this.draw();
      if (this.describe) ptxlat.say(this.describe(this.chosen));
    }

    key(event) {
      const page = Math.max(1, Math.floor(this.node.clientHeight / rowHeight) - 2);
      const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
      if (event.target.closest("button, a") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in steps && this.count > 0) {
        event.preventDefault();
        if (event.key === "ArrowUp" && this.chosen <= 0 && this.leave)
          this.leave();
        else
          this.choose(this.chosen + steps[event.key]);
      } else if (event.key === "Enter" && this.chosen >= 0) {
        event.preventDefault();
        this.open(this.chosen);
      }
    }

    // On paper there is no scrolling.
    print(most) {
      this.isOnPaper = true;
      this.draw(Math.min(most, this.count));
    }
    printed() {
      this.isOnPaper = false;
      this.draw();
    }
  }

  ptxlat.VirtualTable = VirtualTable;
})();
