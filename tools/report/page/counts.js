// counts.js - what became of all jobs, beside what was possible at most; and the table of all figures.
import { drawn, element, percentText, plural, spanText, wholeText } from "./format.js";
import { fates } from "./data.js";
import { lineSample } from "./chart.js";

const order = [0, 2, 3, 1, 6, 4, 5]; // of fates in a bar: those on time first
const marks = {
  broken: "M0 0L6 6M6 0L0 6", "on-time": "M1 1h2v2h-2z", late: "M-1 1L1 -1M0 6L6 0M5 7L7 5", open: "M0 2H6",
};

// Patterns tell fates apart where colours do not.
export function definePatterns(svg) {
  const list = drawn("defs");

  for (const fate of fates) {
    const pattern = drawn("pattern", { id: `fate-${fate.name}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
      drawn("rect", { width: 6, height: 6, fill: `var(--${fate.name})` }));
    if (marks[fate.name]) pattern.append(drawn("path", { d: marks[fate.name], stroke: "var(--ink)", "stroke-opacity": ".55", fill: "none" }));
    list.append(pattern);
  }
  svg.append(list);
}

// Figures that a summary lacks, or has as null, are a dash.
const shown = text => value => typeof value === "number" ? text(value) : "\u2013";
const number = shown(wholeText);
const span = shown(spanText);
const share = shown(percentText);
const real = shown(value => value.toFixed(2));

function swatch(fate) {
  return drawn("svg", { width: 16, height: 12, "aria-hidden": "true" },
    drawn("rect", { width: 16, height: 12, rx: 1.5, fill: `url(#fate-${fate.name})`, stroke: "var(--line)" }));
}

function countFates(run) {
  const counts = fates.map(() => 0);

  for (const fate of run.columns.job_fate) counts[fate]++;
  return counts;
}

export function drawLegend(host, runs) {
  const counts = runs.map(countFates);
  const shown = order.filter(fate => counts.some(one => one[fate] > 0));

  host.replaceChildren(...shown.map(fate => element("li", {}, swatch(fates[fate]), fates[fate].text)));
}

// A bar for each run, its length the jobs of the trace, with marks where the bounds are.
export function drawCounts(host, runs) {
  const width = Math.max(host.clientWidth, 300);
  const named = runs.length > 1 ? 168 : 0;
  const most = Math.max(...runs.map(run => run.names.length), 1);
  const scale = (width - named) / most;
  const bounds = runs.map(run => boundOf(run.summary));
  const svg = drawn("svg", { width, height: runs.length * 32 + 14, role: "img", "aria-label": "Jobs by what became of them" });

  runs.forEach((run, index) => {
    drawBar(svg, run, index * 32, named, scale);
    if (bounds[index] !== undefined) drawBound(svg, bounds[index], index * 32, named + bounds[index] * scale, bounds[index] !== bounds[index + 1]);
  });
  host.replaceChildren(svg);
}

function drawBound(svg, bound, top, x, named) {
  svg.append(drawn("line", { x1: x, x2: x, y1: top - 1, y2: top + 29, stroke: "var(--mark)", "stroke-width": 2 }));
  if (named)
    svg.append(drawn("text", { x: x - 5, y: top + 39, "text-anchor": "end", class: "bound" }, `at most ${wholeText(bound)} can be on time under any scheduler`));
}

function boundOf(summary) {
  return [summary.bound_with_overheads, summary.bound].find(bound => typeof bound === "number");
}

function drawBar(svg, run, top, left, scale) {
  const counts = countFates(run);
  let x = left;

  if (left) svg.append(drawn("text", { x: 0, y: top + 17, class: "label" }, run.label.length > 26 ? `${run.label.slice(0, 25)}\u2026` : run.label));
  for (const fate of order) {
    const length = counts[fate] * scale;
    if (!counts[fate]) continue;
    const text = `${wholeText(counts[fate])} ${fates[fate].text}`;
    svg.append(drawn("rect", { x, y: top + 2, width: length, height: 22, fill: `url(#fate-${fates[fate].name})`, "data-fate": fates[fate].name, "data-count": counts[fate] },
      drawn("title", {}, text)));
    if (length > 40) svg.append(...labelOn(x + 5, top + 6, length > 6.4 * text.length + 24 ? text : wholeText(counts[fate])));
    x += length;
  }
}

// Text on a plate of its own, as bars have patterns.
function labelOn(x, y, text) {
  return [drawn("rect", { x, y, width: 5.9 * text.length + 9, height: 14, rx: 2, fill: "var(--ground)", "fill-opacity": ".86" }),
    drawn("text", { x: x + 4, y: y + 11, class: "label" }, text)];
}

export function countsCaption(runs) {
  const without = runs.filter(run => boundOf(run.summary) === undefined).length;

  if (without === 0) return "The mark is the bound: how many jobs any scheduler, even one that knows the future, could end on time at most.";
  return without === runs.length ? "No bound is in these results; rubato simulate --bound adds it." : "Where a run has a bound, the mark shows how many jobs any scheduler could end on time at most.";
}

// ---- figures ----

// Member of summary.json, what it is called, how it is shown, and whether more or less of it is better.
const figures = [
  ["jobs", "Jobs", number], ["deadline_jobs", "\u2026 with a deadline", number],
  ["on_time", "On time", number, 1], ["on_time_share", "\u2026 of those with a deadline", share, 1],
  ["promised", "Promised", number], ["broken", "Promises broken", number, -1], ["withdrawn", "Promises withdrawn", number, -1],
  ["best_effort_on_time", "On time without a promise", number],
  ["bound", "Bound on jobs on time", number], ["bound_with_overheads", "\u2026 with overheads", number],
  ["value_bound", "Bound on value kept", real], ["value_bound_with_overheads", "\u2026 with overheads", real],
  ["finished", "Finished", number],
  ["jct_mean_s", "Completion time, mean", span, -1], ["jct_p99_s", "\u2026 99th percentile", span, -1],
  ["queueing_delay_mean_s", "Queueing delay, mean", span, -1], ["queueing_delay_p99_s", "\u2026 99th percentile", span, -1],
  ["makespan_s", "Makespan", span], ["gpu_utilisation", "GPU utilisation", share],
  ["finish_time_fairness_mean", "Finish-time fairness, mean", real, -1],
  ["preemptions", "Preemptions", number], ["migrations", "Migrations", number], ["resizes", "Resizes", number],
  ["rounds", "Rounds", number],
  ["accepted", "Accepted, as the artifact counts", number], ["declined", "Declined, as the artifact counts", number],
];

// What a policy that promises nothing counts of promises says nothing.
function figureOf({ summary }, key) {
  return ["promised", "broken", "withdrawn"].includes(key) && !summary.promises ? undefined : summary[key];
}

function bestOf(runs, key, sign) {
  const values = runs.map(run => figureOf(run, key)).filter(value => typeof value === "number");

  return runs.length > 1 && sign && values.length ? sign * Math.max(...values.map(value => sign * value)) : NaN;
}

export function tableFigures(table, runs) {
  const head = element("tr", {}, element("th", { scope: "col" }, ""),
    ...runs.map(run => element("th", { scope: "col" }, runs.length > 1 ? lineSample(run.index) : "", " ", run.label)));
  const rows = figures.filter(([key]) => runs.some(run => run.summary[key] !== undefined)).map(([key, name, show, sign]) => {
    const best = bestOf(runs, key, sign);
    return element("tr", {}, element("th", { scope: "row" }, name), ...runs.map(run => {
      const value = figureOf(run, key);
      return element("td", { "data-figure": key, class: value === best ? "best" : "" }, show(value));
    }));
  });

  table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
}

export function drawTiles(host, run) {
  const one = run.summary;
  const counts = countFates(run);
  const bound = boundOf(one);
  const tiles = [
    ["On time", number(one.on_time), `${share(one.on_time_share)} of ${number(one.deadline_jobs)}`, "on_time"],
    ["Promised", one.promises ? number(one.promised) : "none", one.promises ? "" : "the policy makes no promises", "promised"],
    ["Promises broken", number(figureOf(run, "broken")), one.withdrawn ? `${number(one.withdrawn)} withdrawn` : "", "broken"],
    ["Declined", wholeText(counts[6]), counts[3] ? `${plural(counts[3], "other")} late` : "", "declined_jobs"],
    bound !== undefined && ["Bound", wholeText(bound), "on time at most", "bound"],
    ["Completion time", span(one.jct_mean_s), `99 %: ${span(one.jct_p99_s)}`, "jct_mean_s"],
    ["Queueing", span(one.queueing_delay_mean_s), `99 %: ${span(one.queueing_delay_p99_s)}`, "queueing_delay_mean_s"],
    ["GPU use", share(one.gpu_utilisation), `of ${plural(run.gpus, "GPU")}`, "gpu_utilisation"],
  ].filter(Boolean);

  host.replaceChildren(...tiles.map(([name, value, note, key]) =>
    element("div", { "data-tile": key }, element("dt", {}, name), element("dd", {}, value, element("span", { class: "note" }, note)))));
}
