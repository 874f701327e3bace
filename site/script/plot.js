// SPDX-License-Identifier: Apache-2.0
// A series as an interactive plot, with the facts that were inferred from it. Drawn by Chart.js, which is loaded with
// the first plot.
"use strict";
(() => {
  const palette = ["#2563eb", "#d97706", "#059669", "#dc2626", "#7c3aed", "#0891b2", "#be185d", "#65a30d"];
  const colourOf = (i, count) => (count <= palette.length ? palette[i] : `hsl(${Math.round(360 * i / count)} 65% 45%)`);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  ptxlat.axisText = (axis, place) => {
    if (axis.names) return axis.names[place];
    const value = axis.values[place];
    return axis.unit === "bytes" ? ptxlat.bytesText(value) : ptxlat.numberText(value);
  };

  // Curves along one axis: one for each combination of the others, of which `fixed` ({axis index: place}) may hold
  // some.
  ptxlat.curvesOf = (series, along, fixed) => {
    const lengths = series.axes.map((axis) => axis.values.length);
    const curves = new Map();
    series.values.forEach((value, number) => {
      const places = [];
      for (let i = lengths.length - 1, rest = number; i >= 0; --i) {
        places[i] = rest % lengths[i];
        rest = Math.floor(rest / lengths[i]);
      }
      if (Object.entries(fixed).some(([axis, place]) => Number(axis) !== along && places[axis] !== place)) return;
      const of = (text) => series.axes.map((axis, i) => (i === along ? "" : `${axis.name}=${text(axis, places[i])}`))
                               .filter(Boolean)
                               .join(" ");
      const condition = of((axis, place) => (axis.names ? axis.names[place] : axis.values[place]));
      if (!curves.has(condition)) curves.set(condition, {condition, label: of(ptxlat.axisText), points: []});
      curves.get(condition).points.push({place: places[along], value});
    });
    return [...curves.values()];
  };

  // No key has different values in both.
  ptxlat.mayHoldTogether = (a, b) => {
    const pairs = new Map(b.split(" ").filter(Boolean).map((pair) => pair.split("=")));
    return a.split(" ").filter(Boolean).every((pair) => {
      const [key, value] = pair.split("=");
      return !pairs.has(key) || pairs.get(key) === value;
    });
  };

  // Levels of about the same height share a label.
  const labelled = (levels) => {
    const labels = [];
    const most = Math.max(...levels.map((level) => level.value), 0);
    for (const level of levels) {
      const same = labels.find((label) => Math.abs(label.value - level.value) < 0.03 * most);
      if (same)
        same.text += `, ${level.label}`;
      else
        labels.push({value: level.value, text: level.label});
    }
    return labels;
  };

  // Chart.js draws the marks below the curves: levels as lines with their range as a band, edges as vertical lines.
  const marksPlugin = (marks) => ({
    id: "marks",
    beforeDatasetsDraw(chart) {
      const {ctx: context, chartArea: area, scales: {x, y}} = chart;
      context.save();
      context.beginPath();
      context.rect(area.left, area.top, area.width, area.height);
      context.clip();
      context.font = "11px system-ui, sans-serif";
      const labels = labelled(marks.levels);
      for (const level of marks.levels) {
        const at = y.getPixelForValue(level.value);
        const high = y.getPixelForValue(level.high), low = y.getPixelForValue(level.low);
        context.fillStyle = css("--mark-band");
        context.fillRect(area.left, high, area.width, Math.max(1, low - high));
        context.fillStyle = css("--mark");
        context.fillRect(area.left, at, area.width, 1);
      }
      if (labels.length <= 10)
        labels.forEach(({value, text}) => context.fillText(text, area.left + 6, y.getPixelForValue(value) - 4));
      marks.edges.forEach((edge, i) => {
        const at = x.getPixelForValue(edge.value);
        context.fillStyle = css("--mark");
        context.fillRect(at, area.top, 1, area.height);
        if (marks.edges.length <= 8) context.fillText(edge.label, at + 4, area.top + 12 + 13 * (i % 6));
      });
      context.restore();
    },
  });

  const markOf = (facts, mark) => ({
    ...mark,
    label: `${facts[mark.fact].quantity} ${ptxlat.numberText(mark.value)}`,
    condition: facts[mark.fact].condition
  });

  const scaleOf = (axis, isLogarithmic) => ({
    type: isLogarithmic ? "logarithmic" : "linear",
    title: {
      display: true,
      text: axis.unit && axis.unit !== axis.name ? `${axis.name} (${axis.unit})` : axis.name,
      color: css("--text")
    },
    grid: {color: css("--line")},
    ticks: {
      color: css("--faint"),
      maxRotation: 0,
      autoSkip: true,
      autoSkipPadding: 14,
      callback: (value) =>
          (axis.names                  ? axis.names[value] ?? ""
               : axis.unit === "bytes" ? ptxlat.bytesText(value)
                                       : ptxlat.numberText(value))
    },
  });

  // Ticks of a logarithmic axis of bytes are powers of two.
  const powersOfTwo = (axis) => (scale) => {
    const low = Math.ceil(Math.log2(Math.min(...axis.values))), high = Math.floor(Math.log2(Math.max(...axis.values)));
    const step = Math.max(1, Math.ceil((high - low) / 10));
    scale.ticks = [];
    for (let power = low; power <= high; power += step) scale.ticks.push({value: 2 ** power});
  };

  const configuration = (series, facts, along, curves) => {
    const axis = series.axes[along];
    const least = Math.min(...axis.values);
    const isLogarithmic = !axis.names && axis.values.length > 5 && least > 0 && Math.max(...axis.values) > 60 * least;
    const holds = (mark) => curves.some((curve) => ptxlat.mayHoldTogether(mark.condition, curve.condition));
    const marks = {
      levels: series.levels.map((mark) => markOf(facts, mark)).filter(holds),
      edges: along === series.along && !axis.names
          ? series.edges.map((mark) => markOf(facts, mark))
                .filter((mark) => holds(mark) && mark.value >= least && mark.value <= Math.max(...axis.values))
          : [],
    };
    const scale = scaleOf(axis, isLogarithmic);
    const places = axis.names ? axis.values.map((_, place) => place) : axis.values;
    scale.min = Math.min(...places) - (axis.names ? 0.5 : 0);
    scale.max = Math.max(...places) + (axis.names ? 0.5 : 0);
    if (isLogarithmic) scale.afterBuildTicks = powersOfTwo(axis);
    const isMany = curves.length > 24 || axis.values.length > 200;
    return {
      type: "line",
      data: {
        datasets: curves.map(
            (curve, i) => ({
              label: curve.label || series.name,
              condition: curve.condition,
              data: curve.points.map(({place, value}) => ({x: axis.names ? place : axis.values[place], y: value})),
              borderColor: colourOf(i, curves.length),
              backgroundColor: colourOf(i, curves.length),
              borderWidth: 1.5,
              pointRadius: isMany ? 0 : 2.5,
              pointHoverRadius: 5,
              showLine: !axis.names || axis.values.length > 12,
              ...(axis.names && axis.values.length <= 12 ? {pointRadius: 5} : {}),
            }))
      },
      options: {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        interaction: {mode: "nearest", axis: "xy", intersect: false},
        scales: {
          x: scale,
          y: {
            ...scaleOf({name: series.name, unit: series.unit}, false),
            beginAtZero: true,
            suggestedMax: Math.max(0, ...marks.levels.map((level) => level.value)) * 1.05
          }
        },
        plugins: {
          legend: {display: curves.length > 1 && curves.length <= 12, labels: {color: css("--text"), boxWidth: 12}},
          tooltip: {
            callbacks: {
              title: ([item]) => `${axis.name} ${
                  axis.names                  ? axis.names[item.raw.x]
                      : axis.unit === "bytes" ? `${ptxlat.bytesText(item.raw.x)} (${item.raw.x})`
                                              : ptxlat.numberText(item.raw.x)}`,
              label: (item) => `${item.dataset.label}: ${ptxlat.numberText(item.raw.y)} ${series.unit}`,
              afterLabel: (item) => marks.levels
                                        .filter(
                                            (level) => item.raw.y >= level.low && item.raw.y <= level.high &&
                                                ptxlat.mayHoldTogether(level.condition, item.dataset.condition))
                                        .map((level) => `predicted by ${level.label}`),
            }
          },
        },
      },
      plugins: [marksPlugin(marks)],
    };
  };

  // Arrow keys go from point to point, and say what the tooltip shows.
  const listenToKeys = (canvas, chart, series, axis) => {
    let dataset = 0, point = -1;
    canvas.addEventListener("keydown", (event) => {
      const steps = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};
      if (!(event.key in steps)) return;
      event.preventDefault();
      const sets = chart.data.datasets;
      dataset = (dataset + steps[event.key][1] + sets.length) % sets.length;
      const {data, label} = sets[dataset];
      point = Math.max(0, Math.min(data.length - 1, point + steps[event.key][0]));
      const element = chart.getDatasetMeta(dataset).data[point];
      chart.setActiveElements([{datasetIndex: dataset, index: point}]);
      chart.tooltip.setActiveElements([{datasetIndex: dataset, index: point}], {x: element.x, y: element.y});
      chart.update();
      const at = data[point];
      ptxlat.say(`${label}, ${axis.name} ${axis.names ? axis.names[at.x] : ptxlat.numberText(at.x)}: ${
          ptxlat.numberText(at.y)} ${series.unit}`);
    });
  };

  // Draws into a box and returns a function that ends the plot. Without the library, the box says what to install.
  ptxlat.plot = async (box, series, facts, along, fixed) => {
    if (!ptxlat.site.has_plots) {
      ptxlat.fill(
          box,
          ptxlat.element(
              "p", {class: "notice"}, "This site was made without Chart.js, so it has no plots, only their ",
              "data below. Install Debian's package libjs-chart.js and make the site again."));
      return () => {};
    }
    await ptxlat.loadScript("library/chart.js");
    const curves = ptxlat.curvesOf(series, along, fixed);
    const canvas = ptxlat.element("canvas", {
      tabindex: "0",
      role: "img",
      "aria-label":
          `${series.name} along ${series.axes[along].name}, ${curves.length} curves; arrow keys go from point to point`
    });
    ptxlat.fill(box, ptxlat.element("div", {class: "plot"}, canvas));
    let chart;
    const draw = () => {
      if (chart) chart.destroy();
      chart = new Chart(canvas, configuration(series, facts, along, curves));
    };
    draw();
    listenToKeys(
        canvas, {
          get data() { return chart.data; },
          get tooltip() { return chart.tooltip; },
          getDatasetMeta: (i) => chart.getDatasetMeta(i),
          setActiveElements: (active) => chart.setActiveElements(active),
          update: () => chart.update()
        },
        series, series.axes[along]);
    window.addEventListener("themechange", draw);
    return () => {
      window.removeEventListener("themechange", draw);
      chart.destroy();
    };
  };
})();
