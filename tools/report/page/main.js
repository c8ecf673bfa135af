// main.js - what the page shows: one view of time, one run in detail, one chosen job.
import { clockText, element, plural, spanText } from "./format.js";
import { nodesOf, readRuns } from "./data.js";
import { gutter, lineSample } from "./chart.js";
import { makeSpreadCharts, makeTimeCharts } from "./curves.js";
import { makeGantt } from "./gantt.js";
import { tickText, timeTicks } from "./scale.js";
import { changesOf, deadlineOf, findJobs, listJobs, tellJob } from "./story.js";
import { countsCaption, definePatterns, drawCounts, drawLegend, drawTiles, tableFigures } from "./counts.js";

const $ = id => document.getElementById(id);
const runs = readRuns();
const app = { run: runs[0], chosen: -1, view: null };
const horizon = { t0: Math.min(...runs.map(firstTime)), t1: Math.max(...runs.map(run => run.end_s)) };
let gantt;
let timeCharts;

function firstTime(run) {
  return run.columns.job_submit.reduce((least, time) => Math.min(least, time), Infinity);
}

// ---- time ----

function wholeView() {
  return { t0: horizon.t0, t1: Math.max(horizon.t1, horizon.t0 + 1), g0: 0, g1: app.run.gpus };
}

// Whether all of the time, or all GPUs, are in view.
function isWhole(ofGpus) {
  const all = wholeView();

  return ofGpus ? app.view.g1 - app.view.g0 >= all.g1 : app.view.t1 - app.view.t0 >= all.t1 - all.t0;
}

// Moves [low, high] by `by` and zooms it by `factor` round `centre`, within [least, most].
function moved(low, high, by, factor, centre, least, most, shortest) {
  const length = Math.min(Math.max((high - low) * factor, shortest), most - least);
  let from = centre - (centre - low) * length / (high - low) + by;

  from = Math.min(Math.max(from, least), most - length);
  return [from, from + length];
}

function zoom({ by = 0, factor = 1, at = 0.5, byGpu = 0, factorGpu = 1, atGpu = 0.5 }) {
  const { t0, t1, g0, g1 } = app.view;
  const all = wholeView();

  [app.view.t0, app.view.t1] = moved(t0, t1, by * (t1 - t0), factor, t0 + at * (t1 - t0), all.t0, all.t1, 10);
  [app.view.g0, app.view.g1] = moved(g0, g1, byGpu * (g1 - g0), factorGpu, g0 + atGpu * (g1 - g0), 0, app.run.gpus, Math.min(2, app.run.gpus));
  drawSoon();
}

// Of several runs, the one in detail stands out.
function emphasis() {
  return runs.length > 1 ? { strong: app.run.index } : {};
}

let asked = false;

function drawSoon() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    drawTime();
  });
}

function drawTime() {
  gantt.show(app.run);
  gantt.draw();
  const { list, step } = timeTicks(app.view.t0, app.view.t1, Math.max(2, ($("gantt").clientWidth - gutter) / 90));
  const base = { low: app.view.t0, high: app.view.t1, xTicks: list.map(time => [time, tickText(time, step)]), xText: clockText, yLow: 0, ...emphasis() };

  for (const chart of timeCharts) chart.draw({ ...base, ...chart.contents });
}

// ---- other charts ----

let spreadCharts;

function drawSpread() {
  for (const chart of spreadCharts) chart.draw({ ...chart.contents, ...emphasis() });
}

// The promises of the run in detail that were missed by most or kept most narrowly.
function tellCloseCalls() {
  const { columns, names } = app.run;
  const slack = job => columns.job_promised[job] - columns.job_end[job];
  const jobs = [...names.keys()].filter(job => columns.job_promised[job] >= 0 && columns.job_end[job] >= 0).sort((a, b) => slack(a) - slack(b)).slice(0, 10);

  $("close-calls").hidden = !jobs.length;
  const rows = jobs.map(job => {
    const link = element("button", { type: "button", class: "job-link" }, names[job]);
    link.addEventListener("click", () => choose(job, true));
    return element("tr", {}, element("td", {}, link), element("td", {}, clockText(columns.job_promised[job])), element("td", {}, clockText(columns.job_end[job])),
      element("td", {}, slack(job) === 0 ? "0 s" : `${spanText(slack(job))} ${slack(job) < 0 ? "late" : "left"}`));
  });
  $("close-title").textContent = `Closest to their promise${runs.length > 1 ? `: ${app.run.label}` : ""}`;
  $("close-list").replaceChildren(
    element("table", {}, element("thead", {}, element("tr", {}, ...["Job", "Promised", "Ended", "Slack"].map(text => element("th", { scope: "col" }, text)))), element("tbody", {}, ...rows)));
}

// ---- a job ----

function choose(job, show) {
  app.chosen = job;
  app.step = -1;
  $("story").classList.toggle("chosen", job >= 0);
  if (job < 0) {
    tellHint();
    drawSoon();
    return;
  }
  tellJob($("told"), app.run, job, goToStep);
  $("story").scrollTop = 0;
  try {
    history.replaceState(null, "", `#${runs.length > 1 ? `run=${app.run.index}&` : ""}job=${encodeURIComponent(app.run.names[job])}`);
  } catch { /* a page inside another one has no address of its own */ }
  if (show) showJob(job);
  drawSoon();
}

function tellHint() {
  $("told").replaceChildren(element("p", { class: "quiet" }, "Click a bar, or find a job by its name: what it was told, what it held at any time, and why that changed."));
}

// Moves the view to the life of the job.
function showJob(job) {
  const { columns, byJob, lanes } = app.run;
  const t0 = columns.job_submit[job];
  const t1 = Math.max(columns.job_end[job], deadlineOf(columns, job), t0 + 60);
  const all = wholeView();
  const length = Math.min((t1 - t0) * 1.2, all.t1 - all.t0);

  app.view.t0 = Math.max(all.t0, Math.min(t0 - (length - (t1 - t0)) / 2, all.t1 - length));
  app.view.t1 = app.view.t0 + length;
  if (byJob.start[job] === byJob.start[job + 1]) return;
  const rank = lanes.rank[byJob.seats[byJob.start[job]]];
  const half = (app.view.g1 - app.view.g0) / 2;
  if (rank < app.view.g0 || rank >= app.view.g1) {
    app.view.g0 = Math.min(Math.max(0, rank - half), app.run.gpus - 2 * half);
    app.view.g1 = app.view.g0 + 2 * half;
  }
}

function goToStep(place) {
  const { columns } = app.run;
  const length = app.view.t1 - app.view.t0;
  const all = wholeView();

  app.step = place;
  app.view.t0 = Math.min(Math.max(columns.change_at[place] - length / 4, all.t0), all.t1 - length);
  app.view.t1 = app.view.t0 + length;
  for (const row of document.querySelectorAll("#steps tbody tr")) row.setAttribute("aria-current", row.dataset.change === String(place));
  document.querySelector("#steps tr[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  drawSoon();
}

function nextStep(by) {
  if (app.chosen < 0) return;
  const [from, until] = changesOf(app.run, app.chosen);
  if (from < until) goToStep(app.step < 0 ? from : Math.min(Math.max(app.step + by, from), until - 1));
}

// ---- what a reader does ----

const keys = {
  ArrowLeft: () => zoom({ by: -0.15 }), ArrowRight: () => zoom({ by: 0.15 }), ArrowUp: () => zoom({ byGpu: -0.15 }), ArrowDown: () => zoom({ byGpu: 0.15 }),
  "+": () => zoom({ factor: 0.6 }), "=": () => zoom({ factor: 0.6 }), "-": () => zoom({ factor: 1 / 0.6 }),
  "]": () => zoom({ factorGpu: 0.5 }), "[": () => zoom({ factorGpu: 2 }),
  0: showAll, Home: showAll, n: () => nextStep(1), p: () => nextStep(-1), Enter: chooseMiddle, Escape: () => choose(-1),
};

// The job in the middle of the view.
function chooseMiddle() {
  choose(gantt.jobAt({ time: (app.view.t0 + app.view.t1) / 2, gpu: (app.view.g0 + app.view.g1) / 2 }));
}

function showAll() {
  app.view = wholeView();
  drawSoon();
}

function listenToGantt() {
  const host = $("gantt");
  const place = event => {
    const box = host.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  let drag = null;

  host.addEventListener("wheel", event => {
    const point = gantt.at(...place(event));
    const factor = Math.exp(Math.max(-80, Math.min(80, event.deltaY || event.deltaX)) * 0.0035);
    if (!point || (factor > 1 && isWhole(event.shiftKey))) return; // the page scrolls on
    event.preventDefault();
    if (event.shiftKey) zoom({ factorGpu: factor, atGpu: point.down });
    else zoom({ factor, at: point.across });
  }, { passive: false });
  host.addEventListener("pointerdown", event => {
    drag = { x: event.clientX, y: event.clientY, moved: false };
    host.setPointerCapture(event.pointerId);
  });
  host.addEventListener("pointermove", event => {
    const [x, y] = place(event);
    if (!drag) {
      gantt.tell(gantt.at(x, y), x, y);
      return;
    }
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    $("tip").hidden = true;
    Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
    zoom({ by: -dx / (host.clientWidth - gutter), byGpu: -dy / host.clientHeight });
  });
  host.addEventListener("pointerup", event => {
    const point = gantt.at(...place(event));
    if (drag && !drag.moved && point) choose(gantt.jobAt(point));
    drag = null;
  });
  host.addEventListener("pointercancel", () => { drag = null; });
  host.addEventListener("pointerleave", () => { $("tip").hidden = true; });
  host.addEventListener("keydown", event => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function listen() {
  const acts = { in: keys["+"], out: keys["-"], taller: keys["]"], lower: keys["["], fit: showAll };

  listenToGantt();
  for (const button of document.querySelectorAll("[data-act]")) button.addEventListener("click", acts[button.dataset.act]);
  $("find").addEventListener("input", () => listJobs($("found"), app.run, findJobs(app.run, $("find").value), job => choose(job, true)));
  $("find").addEventListener("keydown", event => {
    const [first] = event.key === "Enter" ? findJobs(app.run, $("find").value) : [];
    if (first !== undefined) choose(first, true);
  });
  document.addEventListener("keydown", event => {
    if (event.key !== "/" || event.target.matches("input")) return;
    event.preventDefault();
    $("find").focus();
  });
  $("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    recolour();
  });
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", recolour);
  addEventListener("beforeprint", recolour);
  addEventListener("afterprint", recolour);
  new ResizeObserver(() => drawAll()).observe($("gantt"));
}

function recolour() {
  gantt.recolour();
  drawTime();
}

// ---- a run ----

function settingText(run) {
  const one = run.summary;
  const nodes = nodesOf(run).length;

  return [`${one.policy} on ${one.trace}`, plural(run.names.length, "job"), `${plural(run.gpus, "GPU")} on ${plural(nodes, "node")}`,
    run.pools.map(pool => pool.name).join(", "), typeof one.slot_s === "number" && `slot ${spanText(one.slot_s)}`, one.interrupted && "interrupted"].filter(Boolean).join(" \u00b7 ");
}

function chooseRun(run) {
  const name = app.chosen >= 0 ? app.run.names[app.chosen] : null;
  const rows = app.run.gpus;

  app.run = run;
  if (run.gpus !== rows) app.view = wholeView();
  [...$("runs").children].forEach((button, index) => button.setAttribute("aria-checked", index === run.index));
  $("subtitle").textContent = settingText(run);
  drawTiles($("tiles"), run);
  tellCloseCalls();
  drawSpread();
  gantt.show(run);
  choose(name === null ? -1 : run.names.indexOf(name));
}

function listRuns() {
  if (runs.length < 2) return;
  $("runs").replaceChildren(...runs.map(run => {
    const button = element("button", { type: "button", role: "radio", "aria-checked": "false" }, lineSample(run.index), run.label);
    button.addEventListener("click", () => chooseRun(run));
    return button;
  }));
}

function tellNotes() {
  const lacking = runs.filter(run => !run.has_timeline).map(run => run.folder).join(", ");
  const notes = [
    lacking && `timeline.csv and cluster.csv are not in ${lacking}: what changed, and how many GPUs and jobs were busy, is worked out from rounds.csv; the efficiency is not known.`,
    `Times are those of the trace, in days, hours and minutes. Written by rubato ${[...new Set(runs.map(run => run.summary.version).filter(Boolean))].join(", ")}.`,
  ].filter(Boolean);

  $("notes").replaceChildren(...notes.map(note => element("li", {}, note)));
}

function drawAll() {
  drawCounts($("counts"), runs);
  drawTime();
  drawSpread();
}

// The address may name a run and a job.
function followAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const run = runs[Number(asked.get("run") ?? 0)] ?? runs[0];

  chooseRun(run);
  if (asked.has("job")) choose(run.names.indexOf(asked.get("job")), true);
}

function begin() {
  $("title").textContent = runs.length > 1 ? `${runs.length} runs side by side` : `${runs[0].summary.policy}: what became of ${plural(runs[0].names.length, "job")}`;
  document.title = `${runs.map(run => run.label).join(", ")} \u2013 Rubato report`;
  definePatterns($("patterns"));
  listRuns();
  drawLegend($("fates"), runs);
  $("counts-caption").textContent = countsCaption(runs);
  tableFigures($("figures"), runs);
  tellNotes();
  gantt = makeGantt($("gantt"), $("gantt-canvas"), $("tip"), app);
  app.view = wholeView();
  timeCharts = makeTimeCharts($("time-charts"), runs);
  spreadCharts = makeSpreadCharts($("spread-charts"), runs);
  followAddress();
  drawAll();
  listen();
  document.documentElement.dataset.ready = "true";
}

begin();
