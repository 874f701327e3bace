// SPDX-License-Identifier: Apache-2.0
// Elements are made here alone, and texts of tables become text nodes: nothing that a table says is read as HTML.
"use strict";
const ptxlat = {
  views: {}
};

(() => {
  const svg = "http://www.w3.org/2000/svg";

  const filled = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) {
        node.addEventListener(name.slice(2), value);
      } else {
        node.setAttribute(name, value === true ? "" : value);
      }
    }
    node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
    return node;
  };

  // element("td", {class: "number"}, "4"): children are nodes, texts, or lists of them; attributes that begin with "on"
  // are listeners.
  ptxlat.element = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
  ptxlat.drawing = (tag, attributes, ...children) => filled(document.createElementNS(svg, tag), attributes, children);

  // Replaces what a node has by children as above.
  ptxlat.fill = (node, ...children) => {
    node.replaceChildren();
    return filled(node, {}, children);
  };

  // Only addresses of this page: a table cannot name another.
  ptxlat.link = (text, address, attributes) => ptxlat.element("a", {href: address, ...attributes}, text);

  // For screen readers, when the reader has stopped typing.
  let saying = 0;
  ptxlat.say = (text) => {
    clearTimeout(saying);
    saying = setTimeout(() => {
      document.getElementById("status").textContent = text;
    }, 250);
  };

  // A labelled choice. `options` are [value, text].
  ptxlat.choice = (label, options, value, onchange, attributes) => {
    const select = ptxlat.element(
        "select", {...attributes, onchange: () => onchange(select.value)},
        options.map(([one, text]) => ptxlat.element("option", {value: one, selected: one === value}, text)));
    return ptxlat.element("label", {class: "choice"}, ptxlat.element("span", {}, label), select);
  };

  // A list of names with values; those without a value are left out.
  ptxlat.definitions = (pairs) => ptxlat.element(
      "dl", {class: "facts"},
      pairs.filter(([, value]) => value && (typeof value === "string" || value instanceof Node || value.length > 0))
          .map(([name, value]) => [ptxlat.element("dt", {}, name), ptxlat.element("dd", {}, value)]));

  ptxlat.section = (title, ...children) => {
    const id = "section-" + title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    return ptxlat.element("section", {"aria-labelledby": id}, ptxlat.element("h2", {id}, title), ...children);
  };
})();
