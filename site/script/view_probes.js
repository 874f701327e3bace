// SPDX-License-Identifier: Apache-2.0
// Probes: each series as a plot with what was inferred from it.
"use strict";
(() => {
  const has = (table) => table.has_probes;
  let endPlots = [];

  // Up to so many curves are drawn at once if a link does not fix the other axes.
  const mostCurves = 12;

  class SeriesView {
    constructor(probe, series, query, save) {
      Object.assign(this, {probe, series, query, save});
      const named = series.axes.findIndex((axis) => axis.name === query.along);
      this.along = named >= 0 ? named : series.along;
      this.fixed = {};
      let curves =
          series.axes.reduce((product, axis, i) => (i === this.along ? product : product * axis.values.length), 1);
      series.axes.forEach((axis, i) => {
        if (i === this.along) return;
        const wanted = axis.values.findIndex((_, place) => ptxlat.axisText(axis, place) === query[axis.name]);
        if (wanted >= 0)
          this.fixed[i] = wanted;
        else if (curves > mostCurves && query[axis.name] !== "all") {
          this.fixed[i] = 0;
          curves /= axis.values.length;
        }
      });
      this.box = ptxlat.element("div", {class: "plot-box"});
      this.choices = ptxlat.element("div", {class: "choices"});
      this.data = ptxlat.element(
          "details", {ontoggle: () => this.showData()},
          ptxlat.element("summary", {}, `The ${series.values.length.toLocaleString("en")} points as a table`));
      this.node = ptxlat.element("div", {}, this.choices, this.box, this.data);
      this.showChoices();
    }

    showChoices() {
      const {series} = this;
      if (series.axes.length < 2) return;
      const set = (changes) => {
        this.query = {...this.query, ...changes};
        this.save(this.query);
      };
      ptxlat.fill(
          this.choices,
          ptxlat.choice(
              "Along", series.axes.map((axis) => [axis.name, axis.name]), series.axes[this.along].name,
              (along) => set({along, [along]: ""})),
          series.axes.map(
              (axis, i) =>
                  (i === this.along
                       ? ""
                       : ptxlat.choice(
                             axis.name,
                             [
                               ["all", "all"],
                               ...axis.values.map(
                                   (_, place) => [ptxlat.axisText(axis, place), ptxlat.axisText(axis, place)])
                             ],
                             i in this.fixed ? ptxlat.axisText(axis, this.fixed[i]) : "all",
                             (value) => set({[axis.name]: value})))));
    }

    async draw() { endPlots.push(await ptxlat.plot(this.box, this.series, this.probe.facts, this.along, this.fixed)); }

    showData() {
      if (!this.data.open || this.data.childElementCount > 1) return;
      const {series, along, fixed} = this;
      const axis = series.axes[along];
      const rows =
          ptxlat.curvesOf(series, along, fixed)
              .flatMap(
                  (curve) => curve.points.map(
                      (point) =>
                          [ptxlat.axisText(axis, point.place), curve.condition, ptxlat.numberText(point.value)]));
      this.data.append(ptxlat.plainTable(
          series.name, [{label: axis.name}, {label: "at"}, {label: `${series.name} (${series.unit})`, isNumber: true}],
          rows.slice(0, 2000)));
    }
  }

  const firstCurve = (probe) => {
    const series = probe.series.find((one) => one.axes.length);
    if (!series) return "";
    const curve = ptxlat.curvesOf(series, series.along, Object.fromEntries(series.axes.map((_, i) => [i, 0])))[0];
    const values = curve ? curve.points.map((point) => point.value).filter((value) => value !== null) : [];
    if (values.length < 2) return "";
    const most = Math.max(...values, 1e-9);
    const points =
        curve.points
            .map(
                (point, i) =>
                    (point.value === null ? ""
                                          : `${(i / Math.max(1, curve.points.length - 1) * 116 + 2).toFixed(1)},${
                                                (30 - point.value / most * 26).toFixed(1)}`))
            .filter(Boolean)
            .join(" ");
    return ptxlat.drawing(
        "svg", {class: "spark", width: 120, height: 32, "aria-hidden": "true"}, ptxlat.drawing("polyline", {points}));
  };

  ptxlat.views.probes = async ({query}, main) => {
    const table = ptxlat.tableOf(query.table, has);
    if (!table) {
      ptxlat.showNotice(main, "Probes", "No table of this site has probes. `ptxlat probe` runs them.");
      return "Probes";
    }
    const {probes} = await ptxlat.load(`probes-${table.index}`);
    const cards = probes.map(
        (probe) => ptxlat.element(
            "a", {class: "card", href: ptxlat.address("probe", probe.name, {table: table.id})},
            ptxlat.element("b", {}, probe.name), firstCurve(probe), ptxlat.element("small", {}, [
              probe.series
                  .map(
                      (one) => `${one.name}${
                          one.axes.length ? " over " + one.axes.map((axis) => axis.name).join(", ") : ""}`)
                  .join("; "),
              ptxlat.counted(probe.facts.length, "fact")
            ].filter(Boolean).join("; "))));
    ptxlat.fill(
        main,
        ptxlat.headline(
            ptxlat.element("h1", {}, "Probes: experiments on the machine"), table, has,
            (id) => ptxlat.address("probes", "", {table: id})),
        ptxlat.element(
            "p", {class: "lead"}, "Each series is a plot; the lines in it are the facts that were inferred."),
        ptxlat.element("div", {class: "cards"}, cards));
    return `Probes of ${table.title}`;
  };

  const factsOf = (probe, table) =>
      (probe.facts.length === 0
           ? ptxlat.element("p", {class: "faint"}, "No facts are read off this probe.")
           : ptxlat.plainTable(
                 "Facts",
                 [
                   {label: "quantity"}, {label: "condition"}, {label: "value", isNumber: true}, {label: "verdict"},
                   {label: "how", isLong: true}
                 ],
                 probe.facts.map(
                     (fact) =>
                         [ptxlat.link(
                              fact.quantity,
                              ptxlat.address("fact", fact.quantity, {table: table.id, condition: fact.condition}),
                              {class: "code"}),
                          ptxlat.conditionText(fact.condition),
                          ptxlat.element("span", {class: "strong"}, ptxlat.factValue(fact)), fact.verdict, fact.how])));

  const codeOf = (probe) => ptxlat.section(
      "Machine code",
      ptxlat.element(
          "p", {class: "faint"},
          probe.windows.length < probe.window_count
              ? `The first ${probe.windows.length} distinct windows of ${probe.window_count}; probes.jsonl.zst has all.`
              : ""),
      ptxlat.codeLegend(),
      probe.windows.map(
          (window) => ptxlat.element(
              "details", {class: "window"},
              ptxlat.element(
                  "summary", {}, window.role,
                  ptxlat.element(
                      "span", {class: "faint"}, ` ${window.verdict}${window.reason ? ": " + window.reason : ""}`)),
              ptxlat.machineCode(window.code, window.role),
              window.left_out
                  ? ptxlat.element("p", {class: "faint"}, `${window.left_out} more instructions are not shown.`)
                  : "")));

  ptxlat.views.probe = async ({name, query}, main) => {
    const table = ptxlat.tableOf(query.table, has);
    const {probes} = table ? await ptxlat.load(`probes-${table.index}`) : {probes: []};
    const probe = probes.find((one) => one.name === name);
    const back = ptxlat.element(
        "p", {class: "back"}, ptxlat.link("← Probes", ptxlat.address("probes", "", {table: table && table.id})));
    if (!probe) {
      ptxlat.fill(
          main, back, ptxlat.element("h1", {}, name),
          ptxlat.element("p", {class: "notice"}, "This table has no such probe."));
      return name;
    }
    endPlots.forEach((end) => end());
    endPlots = [];
    const save = (changed) => {
      location.replace(ptxlat.address("probe", name, {...changed, table: table.id}));
    };
    const drawn =
        probe.series.filter((one) => one.axes.length > 0).map((one) => new SeriesView(probe, one, query, save));
    const single =
        probe.series.filter((one) => one.axes.length === 0)
            .map((one) => ptxlat.element("p", {}, `${one.name}: ${ptxlat.numberText(one.values[0])} ${one.unit}`));
    ptxlat.fill(
        main, back,
        ptxlat.headline(
            ptxlat.element("h1", {class: "code"}, name), table, has,
            (id) => ptxlat.address("probe", name, {...query, table: id})),
        probe.note ? ptxlat.element("p", {class: "notice"}, probe.note) : "",
        drawn.map((one) => ptxlat.section(one.series.name, one.node)), single,
        ptxlat.section("Facts", factsOf(probe, table)), probe.windows.length ? codeOf(probe) : "",
        ptxlat.element(
            "p", {class: "faint"}, `Measured ${probe.date || ""} with `,
            ptxlat.element("code", {}, probe.command || "ptxlat probe"),
            probe.commit ? `, ptxlat ${probe.commit}` : ""));
    await Promise.all(drawn.map((one) => one.draw()));
    return `Probe ${name}`;
  };
})();
