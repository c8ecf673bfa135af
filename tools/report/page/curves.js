// curves.js - the charts about runs: what goes on over time, and how times are spread.
import { element, percentText, plural, spanText, wholeText } from "./format.js";
import { lineSample, makeChart } from "./chart.js";
import { lengthTicks, ticks } from "./scale.js";

// ---- over time ----

// A chart of counts over time: its series are those of `seriesOf` in each run.
function countChart(host, title, series, yText = wholeText, yMost = undefined, yTicks = undefined) {
  const chart = makeChart(host, title);
  const least = Math.max(2, ...series.map(one => one.most));
  const step = Math.max(1, ticks(0, least, 3)[1]);
  const yHigh = yMost ?? Math.ceil(least / step) * step;

  chart.contents = { series, yHigh, yTicks: yTicks ?? ticks(0, yHigh, yHigh / step).map(y => [y, wholeText(y)]), yText };
  return chart;
}

function most(numbers) {
  return numbers.reduce((high, number) => number > high ? number : high, 0);
}

function momentSeries(runs, name) {
  return runs.map(run => ({ label: run.label, index: run.index, xs: run.columns.moment_at, ys: run.columns[name], most: most(run.columns[name]) }));
}

function riseSeries(runs, name) {
  return runs.map(run => ({ label: run.label, index: run.index, xs: run.columns[name], most: run.columns[name].length }));
}

function efficiencySeries(runs) {
  return runs.filter(run => run.has_timeline).map(run => ({
    label: run.label, index: run.index, xs: run.columns.moment_at, ys: run.columns.moment_efficiency.map(ppm => ppm < 0 ? NaN : ppm / 1e6),
  }));
}

// What goes on over time, a chart each; of one run, some lines share one.
export function makeTimeCharts(host, runs) {
  const gpus = Math.max(...runs.map(run => run.gpus));
  const one = runs.length === 1;
  const charts = [countChart(host, "GPUs in use", momentSeries(runs, "moment_used"), wholeText, gpus, [0, gpus / 2, gpus].map(y => [y, wholeText(y)]))];
  const efficiency = efficiencySeries(runs);

  if (efficiency.length) {
    const high = Math.max(1, ...efficiency.map(series => most(series.ys)));
    charts.push(countChart(host, "Cluster efficiency", efficiency, percentText, high, ticks(0, high, 2).map(y => [y, `${Math.round(100 * y)} %`])));
  }
  if (one) {
    const [running, waiting] = [momentSeries(runs, "moment_running")[0], momentSeries(runs, "moment_waiting")[0]];
    charts.push(countChart(host, "Jobs that run and wait", [{ ...running, label: "running" }, { ...waiting, label: "waiting", index: 1 }]));
    charts.push(countChart(host, "Jobs so far", ["admitted", "declined", "missed"].map((name, index) =>
      ({ ...riseSeries(runs, name)[0], label: name === "missed" ? "deadline missed" : name, index }))));
  } else {
    charts.push(countChart(host, "Jobs that run", momentSeries(runs, "moment_running")), countChart(host, "Jobs that wait", momentSeries(runs, "moment_waiting")),
      countChart(host, "Admitted so far", riseSeries(runs, "admitted")), countChart(host, "Declined so far", riseSeries(runs, "declined")),
      countChart(host, "Deadlines missed so far", riseSeries(runs, "missed")));
  }
  for (const chart of charts) if (chart.contents.series.length > 1 && one) chart.contents.series.forEach(series => addKey(chart, series));
  return charts;
}

function addKey(chart, series) {
  const key = element("span", { class: "quiet", style: "display: inline-flex; gap: 6px; align-items: center; margin-left: 14px; font-weight: 400" }, lineSample(series.index), series.label);
  chart.host.querySelector("h3").append(key);
}

// ---- spread ----

function quantile(numbers, share) {
  return numbers[Math.max(0, Math.ceil(share * numbers.length) - 1)];
}

function quantileTable(rows, shares, show) {
  const head = element("tr", {}, element("th", {}, ""), ...shares.map(share => element("th", { scope: "col" }, share === 0.5 ? "median" : `${Math.round(100 * share)} %`)));

  return element("table", { class: "quantiles" }, head, ...rows.filter(row => row.xs.length).map(row =>
    element("tr", {}, element("th", { scope: "row" }, ...(rows.length > 1 ? [lineSample(row.index), " ", row.label] : [plainCount(row.xs.length)])),
      ...shares.map(share => element("td", {}, show(quantile(row.xs, share)))))));
}

const plainCount = number => plural(number, "job");

function shareSeries(runs, name, floor) {
  return runs.map(run => ({
    label: run.label, index: run.index, xs: floor ? run.columns[name].map(number => Math.max(number, floor)) : run.columns[name],
    scale: 1 / Math.max(1, run.columns[name].length),
  }));
}

const shareTicks = [0, 0.25, 0.5, 0.75, 1].map(y => [y, `${100 * y} %`]);

// The share of jobs that took at most so long, over a logarithmic axis.
function lengthChart(host, runs, title, name) {
  const box = host.appendChild(element("div"));
  const chart = makeChart(box, title, 170);
  const series = shareSeries(runs, name, 1);
  const low = 1;
  const high = Math.max(60, ...series.map(one => one.xs.length ? one.xs[one.xs.length - 1] : 1));
  const across01 = x => Math.log(Math.max(x, low) / low) / Math.log(high / low);

  box.append(quantileTable(runs.map((run, index) => ({ ...series[index], xs: run.columns[name] })), [0.5, 0.9, 0.99], spanText));
  chart.contents = {
    series, low, high, across01, inverse01: share => low * (high / low) ** share, xTicks: lengthTicks.filter(([x]) => x <= high),
    yLow: 0, yHigh: 1, yTicks: shareTicks, xText: x => `at most ${spanText(x)}`, yText: percentText,
  };
  return chart;
}

function slackChart(host, runs) {
  const box = host.appendChild(element("div"));
  const chart = makeChart(box, "Slack at the end, of the time to the deadline", 170);
  const series = shareSeries(runs, "slack").map(one => ({ ...one, xs: one.xs.map(parts => parts / 10000) }));

  box.append(quantileTable(series, [0.01, 0.1, 0.5], share => percentText(share)));
  chart.contents = {
    series, low: -1, high: 1, xTicks: [-1, -0.5, 0, 0.5, 1].map(x => [x, x === -1 ? "\u2264 \u2212100 %" : `${100 * x} %`.replace("-", "\u2212")]),
    yLow: 0, yHigh: 1, yTicks: shareTicks, xText: x => `slack at most ${percentText(x)}`, yText: percentText, marks: [{ x: 0, text: "deadline" }],
  };
  return chart;
}

export function makeSpreadCharts(host, runs) {
  return [lengthChart(host, runs, "Completion time, share of jobs", "jct"), lengthChart(host, runs, "Queueing delay, share of jobs", "queueing"), slackChart(host, runs)];
}
