// SPDX-License-Identifier: Apache-2.0
// A window's machine code, drawn: a bar for each stall count, and for each scoreboard an arrow from the instruction
// that sets it to the first that waits for it. Lines are "S2 W0 B03 | POPC R6, R6" (docs/table-format.md).
"use strict";
(() => {
  const rowHeight = 22, laneWidth = 13, scoreboards = 6;
  const shownLines = 160;

  ptxlat.parseInstruction = (line) => {
    const bar = line.indexOf(" | ");
    const instruction = {text: line.slice(bar + 3), stall: 0, yields: false, write: -1, read: -1, waits: [], reuse: 0};
    for (const field of line.slice(0, bar).split(" ")) {
      const rest = field.slice(1);
      if (field[0] === "S")
        instruction.stall = Number(rest);
      else if (field[0] === "Y")
        instruction.yields = true;
      else if (field[0] === "W")
        instruction.write = Number(rest);
      else if (field[0] === "R")
        instruction.read = Number(rest);
      else if (field[0] === "B")
        instruction.waits = [...rest].map(Number);
      else if (field[0] === "U")
        instruction.reuse = Number(rest);
      else
        instruction.distance = field;
    }
    return instruction;
  };

  // {scoreboard, from, to, isRead}: -1 begins before the window, its length ends after it.
  const arrowsOf = (code) => {
    const arrows = [];
    const open = new Map();
    code.forEach((instruction, at) => {
      for (const scoreboard of instruction.waits) {
        const setters = open.get(scoreboard) || [{from: -1, isRead: false}];
        for (const setter of setters) arrows.push({scoreboard, to: at, ...setter});
        open.set(scoreboard, []);
      }
      for (const [scoreboard, isRead] of [[instruction.write, false], [instruction.read, true]]) {
        if (scoreboard < 0) continue;
        if (!open.has(scoreboard)) open.set(scoreboard, []);
        open.get(scoreboard).push({from: at, isRead});
      }
    });
    for (const [scoreboard, setters] of open) {
      for (const setter of setters) arrows.push({scoreboard, to: code.length, ...setter});
    }
    return arrows;
  };

  const middle = (line) => (line + 0.5) * rowHeight;

  const arrow = ({scoreboard, from, to, isRead}, length) => {
    const x = (scoreboard + 0.5) * laneWidth;
    const right = scoreboards * laneWidth + 8;
    const start = from < 0 ? 0 : middle(from) + 4;
    const end = to === length ? length * rowHeight : middle(to) - 4;
    const parts = [ptxlat.drawing("line", {x1: x, y1: start, x2: x, y2: end, class: isRead ? "dashed" : ""})];
    if (from >= 0) {
      parts.push(ptxlat.drawing("circle", {cx: x, cy: middle(from), r: 4, class: isRead ? "hollow" : ""}));
      parts.push(ptxlat.drawing("line", {x1: x + 4, y1: middle(from), x2: right, y2: middle(from), class: "thin"}));
    }
    if (to < length) {
      parts.push(
          ptxlat.drawing("path", {d: `M${x - 4} ${end - 4}L${x} ${end + 2}L${x + 4} ${end - 4}Z`, class: "head"}));
      parts.push(ptxlat.drawing("line", {x1: x, y1: middle(to), x2: right, y2: middle(to), class: "thin"}));
    }
    return ptxlat.drawing("g", {class: `scoreboard${scoreboard}`}, parts);
  };

  const drawingOf = (code) => ptxlat.drawing(
      "svg", {
        class: "scoreboards",
        width: scoreboards * laneWidth + 10,
        height: code.length * rowHeight,
        "aria-hidden": "true"
      },
      arrowsOf(code).map((one) => arrow(one, code.length)));

  const stallBar = (stall) => {
    const bar = ptxlat.element("span", {class: "stall", "aria-hidden": "true"});
    bar.style.width = `${stall * 4}px`;
    return bar;
  };

  const named = (scoreboard, word) => (scoreboard < 0 ? "" : `${word}${scoreboard}`);

  const rowOf = (instruction, at, drawing, length) => ptxlat.element(
      "tr", {class: /SR_CLOCK/.test(instruction.text) ? "clock" : ""},
      ptxlat.element("td", {class: "number"}, String(instruction.stall)),
      ptxlat.element("td", {class: "stalls"}, stallBar(instruction.stall)),
      ptxlat.element("td", {}, instruction.yields ? "Y" : ""),
      ptxlat.element("td", {}, instruction.waits.map((one) => `B${one}`).join(" ")),
      ptxlat.element("td", {}, [named(instruction.write, "W"), named(instruction.read, "R")].filter(Boolean).join(" ")),
      at === 0 ? ptxlat.element("td", {rowspan: length, class: "lanes"}, drawing) : null,
      ptxlat.element(
          "td", {class: "code"}, instruction.text,
          instruction.distance
              ? ptxlat.element("span", {class: "faint"}, `  (${instruction.distance} bytes from the one above)`)
              : ""));

  const heads = [
    ["stall", "cycles until the next instruction may issue"], ["", ""], ["Y", "yield hint"],
    ["waits", "for these scoreboards"], ["sets", "W: until the result is there, R: until the operands are read"],
    ["scoreboards", "0 to 5, from the setter to the first that waits"], ["instruction", ""]
  ];

  const tableOf = (lines, label) => {
    const code = lines.map(ptxlat.parseInstruction);
    return ptxlat.element(
        "table", {class: "machine", "aria-label": label},
        ptxlat.element(
            "thead", {},
            ptxlat.element(
                "tr", {},
                heads.map(([text, title]) => ptxlat.element("th", {scope: "col", title: title || undefined}, text)))),
        ptxlat.element(
            "tbody", {},
            code.map((instruction, at) => rowOf(instruction, at, at === 0 ? drawingOf(code) : null, code.length))));
  };

  // Long windows are cut, with a button for the rest.
  ptxlat.machineCode = (text, label) => {
    const lines = text.split("\n");
    const node = ptxlat.element("div", {class: "wide", tabindex: "0", role: "region", "aria-label": label});
    const show = (count) => {
      ptxlat.fill(node, tableOf(lines.slice(0, count), label));
      if (count < lines.length) {
        node.append(ptxlat.element(
            "button", {type: "button", onclick: () => show(lines.length)}, `Show all ${lines.length} instructions`));
      }
    };
    show(shownLines);
    return node;
  };

  ptxlat.codeLegend = () => ptxlat.element(
      "p", {class: "faint"},
      "Stall: cycles until the warp's next instruction may issue. ● sets a scoreboard until its result is there (W), ",
      "○ until its operands are read (R); the arrow ends at the first instruction that waits for it (B). ",
      "Y: yield hint. The highlighted lines read the clock.");
})();
