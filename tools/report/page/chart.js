// chart.js - step lines over an axis, with a readout under the pointer or the arrow keys.
import { drawn, element } from "./format.js";
import { firstAfter } from "./data.js";

export const gutter = 58; // left of every plot, so that time axes stand under each other
const margin = 14;
const dashes = ["", "7 3", "2 2", "9 3 2 3", "4 2", "12 4"];

// Colour and dash of the line of the `index`th run; both differ.
function lineStyle(index) {
  return `stroke: var(--c${index % 8}); stroke-dasharray: ${dashes[(index + Math.floor(index / 8)) % dashes.length] || "none"}`;
}

export function lineSample(index) {
  return drawn("svg", { width: 26, height: 8, "aria-hidden": "true" },
    drawn("line", { x1: 0, x2: 26, y1: 4, y2: 4, class: "series", style: `${lineStyle(index)}; stroke-width: 2` }));
}

function valueAt(series, index) {
  if (index < 0) return series.ys ? NaN : 0;
  return (series.ys ? series.ys[index] : index + 1) * (series.scale ?? 1);
}

// What the line shows at `x`.
function readAt(series, x) {
  return valueAt(series, firstAfter(series.xs, x) - 1);
}

// The line from `low` to `high` as a path: of the points in one column of pixels, the first, lowest, highest and last.
function pathOf(series, low, high, across, down) {
  const from = Math.max(0, firstAfter(series.xs, low) - 1);
  const until = firstAfter(series.xs, high);
  const parts = [];
  const begin = valueAt(series, firstAfter(series.xs, low) - 1);
  let open = false;
  let i = from;

  if (!Number.isNaN(begin)) {
    parts.push(`M${across(low).toFixed(1)} ${down(begin).toFixed(1)}`);
    open = true;
  }
  while (i < until) {
    const column = Math.round(across(Math.max(series.xs[i], low)));
    let least = Infinity;
    let most = -Infinity;
    let last = NaN;

    for (; i < until && Math.round(across(Math.max(series.xs[i], low))) === column; i++) {
      last = valueAt(series, i);
      if (last < least) least = last;
      if (last > most) most = last;
    }
    if (Number.isNaN(last)) continue;
    parts.push(open ? `H${column}` : `M${column} ${down(last).toFixed(1)}`);
    if (least < most) parts.push(`V${down(least).toFixed(1)}V${down(most).toFixed(1)}`);
    parts.push(`V${down(last).toFixed(1)}`);
    open = true;
  }
  if (open) parts.push(`H${across(high).toFixed(1)}`);
  return parts.join("");
}

// A chart in `host`; draw() gives it its contents, again and again. `spec` of draw has
//   series           [{label, index, xs, ys (without: counts), scale}]
//   low, high        of x; across01(x) in 0 .. 1 if x is not linear
//   xTicks, yTicks   [[place, text]];  yLow, yHigh; xText, yText: functions for the readout
//   marks            [{x, text}]: vertical lines
export function makeChart(host, title, height = 92) {
  const heading = element("h3", {}, title);
  const readout = element("span", { class: "readout" });
  const svg = drawn("svg", { tabindex: "0", role: "img", "aria-label": title });
  const chart = { at: null, spec: null, host: element("figure", { class: "chart", style: "margin-inline: 0" }) };

  chart.host.append(element("div", { class: "top" }, heading, readout), svg);
  host.append(chart.host);
  chart.draw = spec => {
    chart.spec = spec;
    chart.width = Math.max(svg.clientWidth || host.clientWidth || 600, 120);
    svg.setAttribute("height", height + 20);
    svg.replaceChildren(...body(chart, height));
    showReadout(chart, readout, svg, height);
  };
  const move = x => {
    chart.at = x;
    showReadout(chart, readout, svg, height);
  };
  svg.addEventListener("pointermove", event => {
    const share = (event.offsetX - gutter) / (chart.width - gutter - margin);
    move(share < 0 || share > 1 ? null : inverse(chart.spec, share));
  });
  svg.addEventListener("pointerleave", () => move(null));
  svg.addEventListener("keydown", event => {
    const step = { ArrowLeft: -0.01, ArrowRight: 0.01 }[event.key];
    if (!step) return;
    event.preventDefault();
    const share = chart.at === null ? 0.5 : acrossShare(chart.spec, chart.at);
    move(inverse(chart.spec, Math.min(1, Math.max(0, share + step))));
  });
  return chart;
}

function acrossShare(spec, x) {
  return spec.across01 ? spec.across01(x) : (x - spec.low) / (spec.high - spec.low);
}

function inverse(spec, share) {
  return spec.inverse01 ? spec.inverse01(share) : spec.low + share * (spec.high - spec.low);
}

function body(chart, height) {
  const { spec, width } = chart;
  const across = x => gutter + acrossShare(spec, x) * (width - gutter - margin);
  const down = y => height - 4 - (height - 10) * (y - spec.yLow) / (spec.yHigh - spec.yLow || 1);
  const parts = [];

  for (const [y, text] of spec.yTicks)
    parts.push(drawn("line", { class: y === spec.yLow ? "axis" : "grid-line", x1: gutter, x2: width - margin, y1: down(y), y2: down(y) }),
      drawn("text", { x: gutter - 8, y: down(y) + 4, "text-anchor": "end" }, text));
  let free = -Infinity; // from here on there is room for a label
  for (const [x, text] of spec.xTicks) {
    const half = 3.2 * text.length + 3;
    if (across(x) - half < free) continue;
    free = across(x) + half;
    parts.push(drawn("line", { class: "axis", x1: across(x), x2: across(x), y1: height - 4, y2: height }),
      drawn("text", { x: across(x), y: height + 13, "text-anchor": "middle" }, text));
  }
  for (const mark of spec.marks ?? [])
    parts.push(drawn("line", { class: "rule", x1: across(mark.x), x2: across(mark.x), y1: 4, y2: height - 4 }),
      drawn("text", { x: across(mark.x) + 4, y: 12, class: "label" }, mark.text));
  for (const series of spec.series)
    parts.push(drawn("path", { class: "series", style: lineStyle(series.index), opacity: (spec.strong ?? series.index) === series.index ? 1 : 0.5, d: pathOf(series, spec.low, spec.high, across, down) }));
  chart.rule = drawn("line", { class: "rule", y1: 2, y2: height - 4, visibility: "hidden" });
  parts.push(chart.rule);
  return parts;
}

function showReadout(chart, readout, svg) {
  const { spec, width, at } = chart;
  const texts = at === null ? [] : spec.series.map(series => {
    const y = readAt(series, at);
    const name = spec.series.length > 1 ? `${series.label} ` : "";
    return name + (Number.isNaN(y) ? "\u2013" : spec.yText(y));
  });

  readout.textContent = at === null ? spec.caption ?? "" : `${spec.xText(at)}: ${texts.join(", ")}`;
  if (!chart.rule) return;
  chart.rule.setAttribute("visibility", at === null ? "hidden" : "visible");
  if (at === null) return;
  const x = gutter + acrossShare(spec, at) * (width - gutter - margin);
  chart.rule.setAttribute("x1", x);
  chart.rule.setAttribute("x2", x);
}
