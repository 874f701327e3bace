// SPDX-License-Identifier: Apache-2.0
// What was inferred about the machine, and the evidence for each fact.
"use strict";
(() => {
  const verdicts = {
    inferred: "from a model that also predicted measurements it was not made from",
    measured: "read off directly, without a model",
    undetermined: "unknown",
    contradicted: "two ways to find it disagree"
  };
  const has = (table) => table.has_probes;

  ptxlat.factValue = (fact) => {
    if (fact.value === "") return "–";
    const value = Number(fact.value);
    if (Number.isNaN(value)) {
      const most = 36;  // a list may be long: its evidence has all of it
      return fact.value.length <= most ? fact.value
                                       : ptxlat.element("span", {title: fact.value}, `${fact.value.slice(0, most)}…`);
    }
    if (fact.unit === "bytes") return ptxlat.bytesText(value);
    return `${ptxlat.numberText(value)}${
        fact.unit && fact.unit !== "count" && fact.unit !== "text" ? ` ${fact.unit}` : ""}`;
  };
  const range = (fact) => {
    if (fact.low === undefined || fact.low === fact.high) return "";
    const text = fact.unit === "bytes" ? ptxlat.bytesText : ptxlat.numberText;
    return `${text(fact.low)} to ${text(fact.high)}`;
  };
  const shared =
      (fact) => [range(fact), fact.scope, ptxlat.element("span", {title: verdicts[fact.verdict]}, fact.verdict)];
  const sharedColumns = [
    {label: "range", title: "expected in a repetition on the same card"},
    {label: "scope", title: "kind: every card of this kind has it; card: only this one"}, {label: "verdict"}
  ];

  ptxlat.views.facts = async ({query}, main) => {
    const table = ptxlat.tableOf(query.table, has);
    if (!table) {
      ptxlat.showNotice(main, "Facts", "No table of this site has probes. `ptxlat probe` runs them.");
      return "Facts";
    }
    const {facts} = await ptxlat.load(`facts-${table.index}`);
    const body = ptxlat.element("div", {});
    const show = (text) => {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const found = facts.filter(
          (fact) => words.every(
              (word) => `${fact.quantity} ${fact.condition} ${fact.probe} ${fact.verdict} ${fact.value}`
                            .toLowerCase()
                            .includes(word)));
      ptxlat.fill(
          body, ptxlat.element("p", {class: "count"}, ptxlat.counted(found.length, "fact")),
          ptxlat.plainTable(
              "Facts",
              [
                {label: "quantity"}, {label: "condition"}, {label: "value", isNumber: true}, ...sharedColumns,
                {label: "probe"}
              ],
              found.map(
                  (fact) =>
                      [ptxlat.link(
                           fact.quantity,
                           ptxlat.address("fact", fact.quantity, {table: table.id, condition: fact.condition}),
                           {class: "code"}),
                       ptxlat.conditionText(fact.condition),
                       ptxlat.element("span", {class: "strong"}, ptxlat.factValue(fact)), ...shared(fact),
                       ptxlat.link(fact.probe, ptxlat.address("probe", fact.probe, {table: table.id}))])));
      ptxlat.say(ptxlat.counted(found.length, "fact"));
    };
    ptxlat.fill(
        main,
        ptxlat.headline(
            ptxlat.element("h1", {}, "Facts about the machine"), table, has,
            (id) => ptxlat.address("facts", "", {...query, table: id})),
        ptxlat.element(
            "p", {class: "lead"},
            "Quantities that were read off the probes' series, each with the experiment behind it."),
        ptxlat.element("div", {class: "choices"}, ptxlat.element("input", {
          type: "search",
          placeholder: "Only facts with …",
          "aria-label": "Only facts with these words",
          value: query.q || "",
          oninput: (event) => {
            ptxlat.replaceAddress("facts", "", {...query, table: table.id, q: event.target.value});
            show(event.target.value);
          }
        })),
        body);
    show(query.q || "");
    return `Facts of ${table.title}`;
  };

  const evidence = (fact, table) => ptxlat.element(
      "article", {class: "window"},
      ptxlat.element("h3", {}, fact.condition ? `with ${ptxlat.conditionText(fact.condition)}` : "without a condition"),
      ptxlat.definitions([
        [
          "value",
          ptxlat.element(
              "b", {}, Number.isNaN(Number(fact.value)) ? fact.value : ptxlat.factValue(fact),
              fact.unit === "bytes" ? ` (${fact.value} bytes)` : "")
        ],
        ["range", range(fact)],
        ["scope", fact.scope],
        ["verdict", `${fact.verdict}: ${verdicts[fact.verdict]}`],
        ["how", fact.how],
        ["probe", ptxlat.link(fact.probe, ptxlat.address("probe", fact.probe, {table: table.id}))],
      ]));

  ptxlat.views.fact = async ({name, query}, main) => {
    const tables = ptxlat.tables.filter(has);
    const table = ptxlat.tableOf(query.table, has);
    const all = await Promise.all(tables.map((one) => ptxlat.load(`facts-${one.index}`)));
    const ofTable = tables.map((one, i) => [one, all[i].facts.filter((fact) => fact.quantity === name)])
                        .filter(([, facts]) => facts.length);
    const own = ofTable.find(([one]) => one === table) || ofTable[0];
    const back = ptxlat.element(
        "p", {class: "back"}, ptxlat.link("← Facts", ptxlat.address("facts", "", {table: table && table.id})));
    if (!own) {
      ptxlat.fill(
          main, back, ptxlat.element("h1", {class: "code"}, name),
          ptxlat.element("p", {class: "notice"}, "No table of this site has this fact."));
      return name;
    }
    const {facts: figures} = await ptxlat.load("published");
    const published = Object.hasOwn(figures, name) ? figures[name] : [];
    const order =
        (facts) => [...facts].sort((a, b) => (b.condition === query.condition) - (a.condition === query.condition));
    ptxlat.fill(
        main, back,
        ptxlat.element(
            "div", {class: "headline"}, ptxlat.element("h1", {class: "code"}, name),
            ptxlat.choice(
                "Table", ofTable.map(([one]) => [one.id, one.title]), own[0].id,
                (id) => {
                  ptxlat.go(ptxlat.address("fact", name, {...query, table: id}));
                })),
        ofTable.length > 1
            ? ptxlat.section(
                  "On every GPU",
                  ptxlat.plainTable(
                      "On every GPU",
                      [{label: "GPU"}, {label: "condition"}, {label: "value", isNumber: true}, ...sharedColumns],
                      ofTable.flatMap(
                          ([one, facts]) => facts.map(
                              (fact) =>
                                  [one.title, ptxlat.conditionText(fact.condition), ptxlat.factValue(fact),
                                   ...shared(fact)]))))
            : "",
        published.length > 0 ? ptxlat.section(
            "Published figures",
            ptxlat.plainTable(
                "Published figures",
                [{label: "GPU"}, {label: "value", isNumber: true}, {label: "source"},
                 {label: "agreement with the H200, or cause of the difference", isLong: true}],
                published.map((one) => [one.gpu, one.published, one.source, one.agreement]))) : "",
        ptxlat.section(
            "Evidence", order(own[1]).map((fact) => evidence(fact, own[0])),
            ptxlat.element(
                "pre", {tabindex: "0"},
                ptxlat.element("code", {}, `ptxlat show ${name} --table tables/${own[0].id}\n`))));
    return name;
  };
})();
