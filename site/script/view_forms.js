// SPDX-License-Identifier: Apache-2.0
// The list of a table's forms: search, filters, columns, order. All of it is in the address.
"use strict";
(() => {
  const filters = ["chapter", "type", "pipe", "verdict", "min", "max"];
  let current = null;  // the list that is shown, so that typing does not build it again

  class FormsView {
    constructor(list, query) {
      this.list = list;
      this.query = query;
      this.search = ptxlat.searchOf(list);
      this.all = {...ptxlat.formColumns, ...ptxlat.levelColumns(list)};
      this.count = ptxlat.element("p", {class: "count", id: "count"});
      this.rows = new ptxlat.VirtualTable({
        label: `Instructions of ${list.table.title}`,
        columns: () => this.columns,
        cells: (row) => this.cells(row),
        open: (row) => this.open(row),
        describe: (row) => `${list.nameOf(this.items[row])} ${
            this.columns.slice(1)
                .map((column) => `${column.label} ${this.textOf(column, this.items[row])}`)
                .join(", ")}`,
        leave: () => document.getElementById("query").focus(),
        sort: {key: "", isDescending: false, change: (key) => this.sortBy(key)},
      });
      this.choices = ptxlat.element("div", {class: "choices", role: "group", "aria-label": "Filters"});
      this.node = ptxlat.element(
          "div", {class: "list"}, ptxlat.element("h1", {class: "hidden"}, `Instructions of ${list.table.title}`),
          this.choices, this.count, this.rows.node);
      this.showChoices();
      this.update();
    }

    get level() {
      const wanted = Number(this.query.level);
      return this.query.level !== undefined && this.list.levels.includes(wanted) ? wanted
                                                                                 : ptxlat.highestLevel(this.list.table);
    }

    set(changes) {
      this.query = {...this.query, ...changes};
      ptxlat.replaceAddress("forms", "", this.query);
      this.update();
    }

    showChoices() {
      const {list, search, query} = this;
      const choice = (name, label, values) => ptxlat.choice(
          label, [["", "all"], ...values.filter(Boolean).map((value) => [value, value])], query[name] || "",
          (value) => this.set({[name]: value}));
      const bound = (name, label) =>
          ptxlat.element("label", {class: "choice"}, ptxlat.element("span", {}, label), ptxlat.element("input", {
            type: "number",
            min: "0",
            step: "any",
            value: query[name],
            oninput: (event) => this.set({[name]: event.target.value})
          }));
      const verdicts =
          [...new Set([...list.verdicts, ...list.reasons.map((reason) => reason.split(":")[0])])].filter(Boolean);
      ptxlat.fill(
          this.choices,
          ptxlat.tableChoice(
              "Table", list.table, (table) => table.rows > 0,
              (id) => {
                ptxlat.go(ptxlat.address("forms", "", {...this.query, table: id, level: "", columns: ""}));
              }),
          choice("chapter", "Chapter", list.chapters), choice("type", "Type", search.types),
          list.pipes.length ? choice("pipe", "Pipe", [...list.pipes].sort()) : "",
          choice("verdict", "Verdict", verdicts),
          list.levels.length > 1 ? ptxlat.choice(
                                       "Level", list.levels.map((level) => [String(level), `O${level}`]),
                                       String(this.level), (level) => this.set({level}))
                                 : "",
          bound("min", "Cycles from"), bound("max", "to"), this.columnChoice(),
          ptxlat.element(
              "button", {
                type: "button",
                onclick: () => {
                  this.set(Object.fromEntries(
                      [...filters, "q", "sort", "order", "columns", "level"].map((name) => [name, ""])));
                  document.getElementById("query").value = "";
                  this.showChoices();
                }
              },
              "Reset"));
    }

    columnChoice() {
      const shown = this.columnNames();
      return ptxlat.element(
          "details", {class: "menu"}, ptxlat.element("summary", {}, "Columns"),
          ptxlat.element(
              "div", {class: "menu-items", role: "group", "aria-label": "Columns"},
              Object.entries(this.all)
                  .filter(
                      ([name]) => name !== "form" &&
                          (ptxlat.formColumns[name] === undefined ||
                           !["static", "chain", "differential", "bracket", "overhead", "min", "median", "p95", "max",
                             "issue"]
                                .includes(name) ||
                           this.list.numbers[name]))
                  .map(
                      ([name, column]) => ptxlat.element(
                          "label", {title: column.title}, ptxlat.element("input", {
                            type: "checkbox",
                            checked: shown.includes(name),
                            onchange: (event) => this.toggle(name, event.target.checked)
                          }),
                          column.label))));
    }

    columnNames() {
      const wanted = (this.query.columns || "").split(",").filter((name) => this.all[name]);
      return wanted.length ? ["form", ...wanted.filter((name) => name !== "form")] : ptxlat.usualColumns(this.list);
    }

    toggle(name, isShown) {
      const order = [
        "form", "chapter", "operand", "input", ...this.list.levels.map((level) => `O${level}`),
        ...Object.keys(ptxlat.formColumns)
      ];
      const names = new Set(this.columnNames());
      if (isShown)
        names.add(name);
      else
        names.delete(name);
      this.set({
        columns:
            [...names].sort((a, b) => order.indexOf(a) - order.indexOf(b)).filter((one) => one !== "form").join(",")
      });
    }

    sortBy(key) {
      const isSame = this.query.sort === key;
      if (isSame && this.query.order === "down")
        this.set({sort: "", order: ""});
      else
        this.set({sort: key, order: isSame ? "down" : ""});
    }

    update() {
      const {list, query} = this;
      const sort = this.all[query.sort] ? query.sort : "";
      this.items = this.search.find(
          {query: query.q || "", filters: query, level: this.level, sort, isDescending: query.order === "down"});
      this.columns = this.columnNames().map((name) => ({key: name, ...this.all[name]}));
      this.columns[0].width = this.nameWidth();
      Object.assign(this.rows.sort, {key: sort, isDescending: query.order === "down"});
      this.rows.show(this.items.length);
      const forms = this.search.spellingsOf(this.items);
      const text = forms === 0 ? "Nothing found"
                               : `${ptxlat.counted(forms, "form")}, ${ptxlat.counted(this.items.length, "row")}`;
      ptxlat.fill(
          this.count, text,
          list.pipesFrom && list.pipesFrom !== list.table.title ? `; pipes as measured on ${list.pipesFrom}` : "",
          forms === 0 ? ": " : "", forms === 0 ? this.elsewhere() : "");
      ptxlat.say(text);
    }

    // As wide as the first names need, in steps.
    nameWidth() {
      const longest = Math.max(20, ...Array.from(this.items.subarray(0, 60), (item) => this.list.nameOf(item).length));
      return Math.min(innerWidth < 600 ? 20 : 60, 8 * Math.ceil(longest / 8));
    }

    // What the words mean in the other tables.
    elsewhere() {
      const words = (this.query.q || "").toLowerCase().split(/\s+/).filter(Boolean);
      const found = words.length
          ? this.list.names.filter((name) => words.every((word) => name.toLowerCase().includes(word)))
          : [];
      if (found.length === 0)
        return "no table has it. Words may be in any order; capital letters search the machine code.";
      return [
        "but other tables or other filters have ",
        found.slice(0, 5).map((name) => [ptxlat.link(name, ptxlat.address("form", name), {class: "code"}), " "])
      ];
    }

    textOf(column, item) { return column.text(this.list, item, this.level); }

    cells(row) {
      const item = this.items[row];
      return this.columns.map((column) => {
        const text = this.textOf(column, item);
        if (column.key !== "form") return column.key === "row" && text === this.list.nameOf(item) ? "" : text;
        return ptxlat.link(text, this.addressOf(item), {class: "code", tabindex: "-1"});
      });
    }

    addressOf(item) {
      return ptxlat.formAddress(
          this.list.nameOf(item), this.list.table,
          {operand: this.list.operandOf(item).split(" ")[0], input: this.list.inputOf(item)});
    }

    address() { return ptxlat.address("forms", "", this.query); }

    open(row) {
      if (row < this.items.length) ptxlat.go(this.addressOf(this.items[row]));
    }
  }

  // Nothing scrolls before it is in the page.
  const returnTo = (view) => {
    const {top} = view.rows;
    window.addEventListener("viewshown", () => {
      view.rows.node.scrollTop = top;
      view.rows.node.focus({preventScroll: true});
    }, {once: true});
  };

  ptxlat.views.forms = async ({query}, main) => {
    const table = ptxlat.tableOf(query.table, (one) => one.rows > 0);
    if (!table) {
      ptxlat.showNotice(main, "Instructions", "No table of this site has instructions.");
      return "Instructions";
    }
    const list = await ptxlat.formList(table);
    if (current && current.list === list && current.address() === ptxlat.address("forms", "", query)) {
      returnTo(current);  // back from a form: the list is where it was
    } else {
      current = new FormsView(list, query);
    }
    ptxlat.fill(main, current.node);
    const field = document.getElementById("query");
    if (document.activeElement !== field) field.value = query.q || "";  // else the reader is typing
    return `${query.q ? query.q + ": " : ""}instructions of ${table.title}`;
  };

  // The search field's text, while the list is shown; false if it is not.
  ptxlat.searchInList = (text) => {
    if (!current || !current.node.isConnected) return false;
    current.set({q: text});
    return true;
  };
  ptxlat.currentList = () => (current && current.node.isConnected ? current : null);
})();
