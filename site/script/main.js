// SPDX-License-Identifier: Apache-2.0
// Shows the view that the address names; search field, keys and footer.
"use strict";
(() => {
  const main = document.getElementById("main");
  const query = document.getElementById("query");
  let shown = 0;

  const showError = (error) => {
    ptxlat.fill(
        main, ptxlat.element("h1", {}, "This cannot be shown"),
        ptxlat.element("p", {class: "notice"}, error.message, ". If the site was copied, were all of its files?"),
        ptxlat.link("To the first page", "#/"));
    ptxlat.say(error.message);
  };

  // A link to a table that is gone shows another one, and says so.
  const missingTables = (parameters) =>
      ["table", "a", "b", "with"].map((key) => parameters[key])
          .filter((id) => id && !ptxlat.tables.some((table) => table.id === id))
          .map((id) => ptxlat.element(
              "p", {class: "notice"}, `The table ${id} of this link is not in this site; another one is shown. `,
              ptxlat.link("All tables", "#/tables")));

  const show = async (isNew) => {
    const turn = ++shown;
    const route = ptxlat.route();
    const view = Object.hasOwn(ptxlat.views, route.page) ? ptxlat.views[route.page] : null;
    for (const link of document.querySelectorAll("#pages a")) {
      const page = link.hash.slice(2);
      const isHere = page === route.page || page === route.page + "s";
      if (isHere)
        link.setAttribute("aria-current", "page");
      else
        link.removeAttribute("aria-current");
    }
    if (route.page !== "forms") query.value = "";
    // A slower view that was left before it was ready must not replace the one after it.
    const box = ptxlat.element("div", {class: `view view-${view ? route.page || "front" : "none"}`});
    main.setAttribute("aria-busy", "true");
    try {
      if (!view) throw new Error(`there is no page "${route.page}"`);
      const ready = view(route, box);
      if (isNew) ptxlat.fill(main, box);
      const title = await ready;
      if (turn !== shown) return;
      box.prepend(...missingTables(route.query));
      ptxlat.fill(main, box);
      if (title) document.title = title.startsWith("ptxlat") ? title : `${title} – ptxlat`;
      if (isNew && document.activeElement !== query) {
        main.focus({preventScroll: true});
        scrollTo(0, 0);
      }
      window.dispatchEvent(new Event("viewshown"));
    } catch (error) {
      if (turn === shown) showError(error);
    } finally {
      if (turn === shown) main.removeAttribute("aria-busy");
    }
  };

  // The search is one field for all pages: typing elsewhere opens the list.
  const search = () => {
    if (ptxlat.searchInList(query.value)) return;
    const {page, query: parameters} = ptxlat.route();
    const address =
        ptxlat.address("forms", "", {table: page === "compare" ? parameters.a : parameters.table, q: query.value});
    if (page === "forms")
      location.replace(address);
    else
      location.hash = address;
  };

  query.addEventListener("input", search);
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const list = ptxlat.currentList();
    if (list && list.items.length)
      list.open(0);
    else
      search();
  });
  query.addEventListener("keydown", (event) => {
    const list = ptxlat.currentList();
    if (event.key === "ArrowDown" && list && list.items.length) {
      event.preventDefault();
      list.rows.node.focus();
      list.rows.choose(0);
    } else if (event.key === "Escape") {
      query.value = "";
      search();
    }
  });

  const isTyping = (node) => node.closest("input, select, textarea, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === "/") {
      event.preventDefault();
      query.focus();
      query.select();
    } else if (event.key === "Escape") {
      const list = ptxlat.currentList();
      if (list)
        query.focus();
      else if (history.length > 1 && ptxlat.route().page)
        history.back();
    }
  });

  // On paper, the rows in sight are too few and all of them too many.
  window.addEventListener("beforeprint", () => {
    const list = ptxlat.currentList();
    if (list) list.rows.print(500);
  });
  window.addEventListener("afterprint", () => {
    const list = ptxlat.currentList();
    if (list) list.rows.printed();
  });

  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  window.addEventListener("hashchange", () => show(true));

  const footer = () => {
    document.getElementById("footer").append(
        `Made by ptxlat ${ptxlat.site.version} (${ptxlat.site.commit}). The tables are under CC-BY-4.0. `,
        ptxlat.link("How to read a number", "#/about"), ". Press / to search.");
  };
  ptxlat.start().then(() => {
    footer();
    return show(false);
  }, showError);
})();
