// story.js - finding a job, and telling what it was told, held and became.
import { clockText, drawn, element, plural, spanText, wholeText } from "./format.js";
import { fates, nodesOf } from "./data.js";

const foundMost = 8;
const stepsMost = 60;

// What the words of outcomes.csv mean, in the order of enum audit_reason.
const reasons = [
  "A plan met all deadlines with it.", "It has no deadline.", "The policy makes no promises.",
  "No plan was found that meets its deadline.", "It asks for more GPUs than there are.",
  "It fitted beside all promises, but jobs that were likely to come needed the GPUs.",
];

// What the reasons of timeline.csv mean, in the order of enum audit_change_reason.
const changeTexts = [
  "first GPUs", "GPUs again", "grows", "shrinks", "moves", "preempted", "a node left", "done", "failed", "cancelled by its user", "suspended by its user",
];

export function deadlineOf(columns, job) {
  return columns.job_promised[job] >= 0 ? columns.job_promised[job] : columns.job_deadline[job];
}

function verdictText(columns, job) {
  const reason = columns.job_reason[job] >= 0 ? reasons[columns.job_reason[job]] : "";

  switch (columns.job_verdict[job]) {
    case 0: return `Promised its deadline when it arrived. ${reason}`;
    case 1: return `Let in without a promise. ${reason}`;
    case 2: return `Declined. ${reason}`;
    case 3: return `Let in without a promise first, promised later. ${reason}`;
    default: return "Nothing was decided about it.";
  }
}

function endText(columns, job) {
  const end = columns.job_end[job];
  const deadline = deadlineOf(columns, job);

  if (end < 0) return columns.job_verdict[job] === 2 ? "It never ran." : "It did not end.";
  if (deadline < 0) return "It ended; it has no deadline.";
  if (end === deadline) return "It ended at its deadline.";
  return end < deadline ? `It ended ${spanText(deadline - end)} before its deadline.` : `It ended ${spanText(end - deadline)} after its deadline.`;
}

// The first and last place of the changes of `job`, which are in the order of jobs.
export function changesOf(run, job) {
  const jobs = run.columns.change_job;
  const bisect = wanted => {
    let low = 0;
    let high = jobs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (jobs[middle] >= wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  return [bisect(job), bisect(job + 1)];
}

// The nodes on which the job sits at `time`, as "node 3, 5-7".
function placesText(run, job, time) {
  const numbers = new Set();
  const { lanes, byJob } = run;
  const nodes = nodesOf(run);

  for (let i = byJob.start[job]; i < byJob.start[job + 1]; i++) {
    const seat = byJob.seats[i];
    if (lanes.from[seat] > time || lanes.until[seat] <= time) continue;
    for (const node of nodes)
      if (node.first < lanes.rank[seat] + lanes.gpus[seat] && node.first + node.gpus > lanes.rank[seat]) numbers.add(node.number);
  }
  return rangesText([...numbers].sort((a, b) => a - b));
}

function rangesText(numbers) {
  const words = [];

  for (let i = 0; i < numbers.length; i++) {
    const first = numbers[i];
    while (i + 1 < numbers.length && numbers[i + 1] === numbers[i] + 1) i++;
    words.push(numbers[i] === first ? `${first}` : `${first}\u2013${numbers[i]}`);
  }
  return words.length ? `node ${words.join(", ")}` : "";
}

function factsOf(run, job) {
  const columns = run.columns;
  const [from, until] = changesOf(run, job);
  const deadline = deadlineOf(columns, job);
  let first = -1;

  for (let i = from; i < until && first < 0; i++) if (columns.change_gpus[i] > 0) first = columns.change_at[i];
  return [
    ["Model", `${run.models[columns.job_model[job]]}, batch size ${wholeText(columns.job_batch_size[job])}`],
    ["Work", plural(columns.job_iterations[job], "iteration")],
    columns.job_gpus[job] > 0 && ["Asked for", plural(columns.job_gpus[job], "GPU")],
    ["Submitted", clockText(columns.job_submit[job])],
    columns.job_decided[job] >= 0 && ["Decided on", clockText(columns.job_decided[job])],
    first >= 0 && ["First GPUs", `${clockText(first)}, after ${spanText(first - columns.job_submit[job])}`],
    columns.job_end[job] >= 0 && ["Ended", `${clockText(columns.job_end[job])}, after ${spanText(columns.job_end[job] - columns.job_submit[job])}`],
    deadline >= 0 && [columns.job_promised[job] >= 0 ? "Promised" : "Deadline", clockText(deadline)],
    columns.job_gpu_seconds[job] > 0 && ["GPU time", `${(columns.job_gpu_seconds[job] / 3600).toFixed(1)} GPU-hours`],
  ].filter(Boolean);
}

// Its GPUs over time, from submission to the later of end and deadline.
function stepChart(run, job) {
  const columns = run.columns;
  const [from, until] = changesOf(run, job);
  const t0 = columns.job_submit[job];
  const ends = [deadlineOf(columns, job), columns.job_end[job], until > from ? columns.change_at[until - 1] : -1];
  const t1 = Math.max(...ends, t0 + 1);
  const across = time => 2 + 316 * (time - t0) / (t1 - t0);
  let most = 1;
  for (let i = from; i < until; i++) most = Math.max(most, columns.change_gpus[i]);
  const down = gpus => 58 - 42 * gpus / most;
  let path = `M${across(t0)} ${down(0)}`;

  for (let i = from; i < until; i++) path += `H${across(columns.change_at[i]).toFixed(1)}V${down(columns.change_gpus[i]).toFixed(1)}`;
  const svg = drawn("svg", { viewBox: "0 0 320 74", width: "100%", role: "img", "aria-label": `GPUs over time, ${most} at most` },
    drawn("line", { class: "axis", x1: 2, x2: 318, y1: 58, y2: 58 }),
    drawn("path", { d: `${path}V58H${across(t0)}Z`, fill: "var(--kept)", "fill-opacity": ".25" }),
    drawn("path", { d: path, class: "series", style: "stroke: var(--accent)" }),
    drawn("text", { x: 2, y: 71 }, clockText(t0)), drawn("text", { x: 318, y: 71, "text-anchor": "end" }, clockText(t1)),
    drawn("text", { x: 160, y: 71, "text-anchor": "middle" }, `${plural(most, "GPU")} at most`));
  if (ends[0] >= 0) {
    const x = across(ends[0]);
    svg.append(drawn("line", { class: "rule", x1: x, x2: x, y1: 2, y2: 58 }),
      drawn("text", { x: x - 4, y: 10, "text-anchor": "end" }, "deadline"));
  }
  return svg;
}

function stepsTable(run, job, goTo, all) {
  const columns = run.columns;
  const [from, until] = changesOf(run, job);
  const shown = all ? until : Math.min(until, from + stepsMost);
  const rows = [];

  for (let i = from; i < shown; i++) {
    const time = columns.change_at[i];
    const pool = run.pools.length > 1 && columns.change_gpus[i] > 0 ? ` ${run.pools[columns.change_pool[i]].name}` : "";
    const places = columns.change_gpus[i] > 0 ? placesText(run, job, time) : "";
    const row = element("tr", { "data-change": i },
      element("td", {}, clockText(time)), element("td", {}, `${columns.change_gpus[i]}${pool}`),
      element("td", {}, i + 1 < until ? spanText(columns.change_at[i + 1] - time) : ""),
      element("td", {}, changeTexts[columns.change_reason[i]], places ? element("span", { class: "quiet" }, `, ${places}`) : ""));
    row.addEventListener("click", () => goTo(i));
    rows.push(row);
  }
  const table = element("table", { id: "steps" },
    element("thead", {}, element("tr", {}, ...["When", "GPUs", "For", "Why, and where"].map(text => element("th", { scope: "col" }, text)))),
    element("tbody", {}, ...rows));
  return { table, left: until - shown };
}

export function tellJob(host, run, job, goTo) {
  const columns = run.columns;
  const facts = element("dl", { class: "facts" });
  const { table, left } = stepsTable(run, job, goTo, false);

  for (const [name, text] of factsOf(run, job)) facts.append(element("dt", {}, name), element("dd", {}, text));
  host.replaceChildren(
    element("h3", { id: "job-name" }, run.names[job]),
    element("p", { class: "quiet", id: "job-fate" }, fates[columns.job_fate[job]].text),
    element("p", {}, verdictText(columns, job), " ", endText(columns, job)),
    facts);
  if (changesOf(run, job)[0] === changesOf(run, job)[1]) return;
  host.append(element("div", { class: "step" }, stepChart(run, job)), table);
  if (left > 0) {
    const more = element("button", { type: "button" }, `${plural(left, "more change")}`);
    more.addEventListener("click", () => {
      table.replaceWith(stepsTable(run, job, goTo, true).table);
      more.remove();
    });
    host.append(more);
  }
}

// The jobs whose name or model has `words` in it, names that are just that first.
export function findJobs(run, words) {
  const wanted = words.trim().toLowerCase();
  const model = run.columns.job_model;
  const found = [];

  if (!wanted) return found;
  for (let job = 0; job < run.names.length && found.length < foundMost; job++)
    if (run.names[job].toLowerCase() === wanted) found.push(job);
  for (let job = 0; job < run.names.length && found.length < foundMost; job++) {
    const name = run.names[job].toLowerCase();
    if (name !== wanted && (name.includes(wanted) || run.models[model[job]].toLowerCase().includes(wanted))) found.push(job);
  }
  return found;
}

export function listJobs(host, run, jobs, choose) {
  host.replaceChildren(...jobs.map(job => {
    const button = element("button", { type: "button" },
      element("span", { class: "name" }, run.names[job]), element("span", { class: "what" }, fates[run.columns.job_fate[job]].text));
    button.addEventListener("click", () => choose(job));
    return element("li", {}, button);
  }));
}
