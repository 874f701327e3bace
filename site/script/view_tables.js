// SPDX-License-Identifier: Apache-2.0
// The tables of the site and where each comes from.
"use strict";
(() => {
  const titleOf = (table) => ptxlat.link(table.title, ptxlat.address("table", table.id));

  ptxlat.views.tables = (_, main) => {
    ptxlat.fill(
        main, ptxlat.element("h1", {}, "Tables"),
        ptxlat.element(
            "p", {class: "lead"},
            "Measured tables first. A static table has the assembler's schedule; nothing was run for it."),
        ptxlat.plainTable(
            "Tables",
            [
              {label: "table"}, {label: "kind"}, {label: "target"}, {label: "levels"}, {label: "forms", isNumber: true},
              {label: "rows", isNumber: true}, {label: "machine code"}, {label: "probes"}, {label: "opcodes"},
              {label: "made"}
            ],
            ptxlat.tables.map(
                (table) =>
                    [titleOf(table), table.kind, table.run.target || "",
                     table.levels.map((level) => `O${level}`).join(" "), table.forms.toLocaleString("en"),
                     table.rows.toLocaleString("en"), table.has_code ? "yes" : "", table.has_probes ? "yes" : "",
                     table.has_opcodes ? "yes" : "", (table.run.finished_utc || "").slice(0, 10)])));
    return "Tables";
  };

  const runsOf = (table) => ptxlat.plainTable(
      "Runs", [{label: "started"}, {label: "command"}, {label: "ptxlat"}],
      table.runs.map((one) => [one.started_utc, one.command_line, one.git_commit]));

  const textOf = (value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : String(value));

  ptxlat.views.table = ({name}, main) => {
    const table = ptxlat.tables.find((one) => one.id === name);
    const back = ptxlat.element("p", {class: "back"}, ptxlat.link("← Tables", "#/tables"));
    if (!table) {
      ptxlat.fill(
          main, back, ptxlat.element("h1", {}, name),
          ptxlat.element("p", {class: "notice"}, "This site has no such table."));
      return name;
    }
    const run = Object.entries(table.run).filter(
        ([, value]) => value !== "" && value !== null && !(Array.isArray(value) && value.length === 0));
    const pages = [["forms", "instructions", true], ["probes", "probes", table.has_probes],
      ["memory", "memory", table.has_probes], ["opcodes", "opcodes", table.has_opcodes]].filter(([,, has]) => has);
    const links = pages.map(([page, text], i) => [i ? ", " : "", ptxlat.link(text, ptxlat.address(page, "", {table: table.id}))]);
    ptxlat.fill(
        main, back, ptxlat.element("h1", {}, table.title), ptxlat.element("p", {class: "lead"}, "Its ", links),
        ptxlat.section("Where it comes from", ptxlat.plainTable(
            "Provenance", [{label: "field"}, {label: "value"}], run.map(([key, value]) => [key, textOf(value)]))),
        table.runs.length > 1 ? ptxlat.section("Its runs", runsOf(table)) : "");
    return table.title;
  };
})();
