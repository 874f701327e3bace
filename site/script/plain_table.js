// SPDX-License-Identifier: Apache-2.0
"use strict";
(() => {
  // A small table: columns are {label, title, isNumber, isCode, isLong}, rows are lists of texts and nodes. The first
  // cell of a row is its header.
  ptxlat.plainTable = (caption, columns, rows, attributes) => {
    const cell = (content, i) => ptxlat.element(
        i === 0 ? "th" : "td", {
          scope: i === 0 ? "row" : undefined,
          class: [columns[i].isNumber && "number", columns[i].isCode && "code", columns[i].isLong && "long"]
                     .filter(Boolean)
                     .join(" ")
        },
        content);
    return ptxlat.element(
        "div", {class: "wide"},
        ptxlat.element(
            "table", {class: "plain", ...attributes}, ptxlat.element("caption", {class: "hidden"}, caption),
            ptxlat.element(
                "thead", {},
                ptxlat.element(
                    "tr", {},
                    columns.map(
                        (column) => ptxlat.element(
                            "th", {scope: "col", title: column.title, class: column.isNumber ? "number" : ""},
                            column.label)))),
            ptxlat.element(
                "tbody", {}, rows.map((row) => ptxlat.element("tr", {class: row.className}, row.map(cell))))));
  };
})();
