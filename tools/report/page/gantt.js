// gantt.js - which job holds which GPU, with zoom: bars on a canvas, labels on top of them.
import { clockText, plural, spanText } from "./format.js";
import { fates, nodesOf } from "./data.js";
import { gutter } from "./chart.js";
import { firstSeat, lanesOf, paintLanes, seatAt, seatsByJob } from "./lanes.js";
import { tickText, timeTicks } from "./scale.js";

const below = 22; // pixels for the time axis
const right = 14;

function rgb(text) {
  const canvas = rgb.canvas ??= Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });

  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}

const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
const mix = (a, b, share) => [0, 1, 2].map(i => Math.round(a[i] + (b[i] - a[i]) * share));

// The colours of the style sheet as pixels: of each fate three shades, so that neighbours differ.
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const read = name => [...rgb(style.getPropertyValue(name).trim())];
  const ground = read("--ground");
  const ink = read("--ink");

  return {
    ground: pixel(ground),
    text: style.getPropertyValue("--ink"), quiet: style.getPropertyValue("--quiet"), line: style.getPropertyValue("--line"),
    fates: fates.map(fate => [0, 0.16, 0.32].map(share => {
      const base = mix(read(`--${fate.name}`), ground, share);
      return {
        plain: pixel(base), dark: pixel(mix(base, ink, 0.5)), chosen: pixel(mix(base, ink, 0.45)),
        faint: pixel(mix(base, ground, 0.72)), faintDark: pixel(mix(base, ground, 0.5)),
      };
    })),
  };
}

export function makeGantt(host, canvas, tip, app) {
  const gantt = { lanes: null, byJob: null, run: null, colours: readColours() };
  const context = canvas.getContext("2d");

  gantt.show = run => {
    if (gantt.run !== run) {
      run.lanes ??= lanesOf(run);
      run.byJob ??= seatsByJob(run.lanes, run.names.length);
      Object.assign(gantt, { run, lanes: run.lanes, byJob: run.byJob });
    }
  };
  gantt.recolour = () => { gantt.colours = readColours(); };
  gantt.draw = () => {
    canvas.style.height = `${Math.min(430, Math.max(100, 24 * gantt.run.gpus) + below)}px`;
    const unit = Math.min(2, Math.max(1, Math.round(window.devicePixelRatio || 1)));
    const width = host.clientWidth;
    const height = canvas.clientHeight || 430;
    const plot = { width: Math.max(10, width - gutter - right) * unit, height: (height - below) * unit };

    canvas.width = width * unit;
    canvas.height = height * unit;
    if (!gantt.image || gantt.image.width !== plot.width || gantt.image.height !== plot.height)
      gantt.image = new ImageData(plot.width, plot.height);
    const pixels = new Uint32Array(gantt.image.data.buffer);
    gantt.fate ??= new Map();
    paintLanes(pixels, plot.width, plot.height, app.view, gantt.lanes, gantt.run.columns.job_fate, gantt.colours, app.chosen, unit);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.putImageData(gantt.image, gutter * unit, 0);
    context.setTransform(unit, 0, 0, unit, 0, 0);
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const frame = { context, width: width - gutter - right, height: height - below };
    drawNodes(gantt, app.view, frame);
    drawTimes(gantt, app.view, frame);
    drawNames(gantt, app.view, frame);
    drawMarks(gantt, app, frame);
    host.dataset.drawn = String(Number(host.dataset.drawn ?? 0) + 1);
  };

  // Where the pointer is: time and GPU, or null beside the plot.
  gantt.at = (x, y) => {
    const width = host.clientWidth - gutter - right;
    const height = canvas.clientHeight - below;
    const { t0, t1, g0, g1 } = app.view;

    if (x < gutter || x >= gutter + width || y < 0 || y >= height) return null;
    return { time: t0 + (x - gutter) / width * (t1 - t0), gpu: g0 + y / height * (g1 - g0), across: (x - gutter) / width, down: y / height };
  };
  gantt.jobAt = point => {
    const gpu = Math.floor(point.gpu);
    const seat = gpu < gantt.run.gpus ? seatAt(gantt.lanes, gpu, point.time) : -1;
    return seat < 0 ? -1 : gantt.lanes.job[seat];
  };
  gantt.tell = (point, x, y) => {
    const seat = point ? seatAt(gantt.lanes, Math.min(gantt.run.gpus - 1, Math.floor(point.gpu)), point.time) : -1;
    tip.hidden = seat < 0;
    if (seat < 0) return;
    const lanes = gantt.lanes;
    const node = nodesOf(gantt.run).findLast(one => one.first <= point.gpu);
    const name = document.createElement("b");
    name.textContent = gantt.run.names[lanes.job[seat]];
    tip.replaceChildren(name, `${plural(lanes.gpus[seat], "GPU")} here, node ${node.number}${gantt.run.pools.length > 1 ? ` (${node.pool.name})` : ""}, from ` +
      `${clockText(lanes.from[seat])} for ${spanText(lanes.until[seat] - lanes.from[seat])}; ${fates[gantt.run.columns.job_fate[lanes.job[seat]]].text}`);
    tip.style.left = `${Math.min(x + 14, host.clientWidth - 304)}px`;
    tip.style.top = `${y + 16}px`;
  };
  return gantt;
}

function drawNodes(gantt, view, { context, width, height }) {
  const perGpu = height / (view.g1 - view.g0);
  const nodes = nodesOf(gantt.run);
  const nodeHeight = perGpu * nodes[0].gpus;
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(15 / nodeHeight)));

  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const node of nodes) {
    const top = (node.first - view.g0) * perGpu;
    const tall = node.gpus * perGpu;
    if (top + tall < 0 || top > height) continue;
    context.fillStyle = gantt.colours.line;
    if (top > 0 && (nodeHeight >= 7 || node.number % every === 0)) context.fillRect(nodeHeight >= 7 ? gutter : gutter - 5, Math.round(top), nodeHeight >= 7 ? width : 5, 1);
    context.fillStyle = gantt.colours.quiet;
    if (node.number % every) continue;
    const middle = Math.min(Math.max(top + (every > 1 ? 7 : Math.min(tall, perGpu * node.gpus) / 2), 7), height - 7);
    if (perGpu < 12) context.fillText(nodes.length > 100 ? `n${node.number}` : `node ${node.number}`, gutter - 8, middle);
    else labelGpus(context, node, view, perGpu, height);
  }
  context.fillStyle = gantt.colours.line;
  context.fillRect(gutter, height, width, 1);
}

function labelGpus(context, node, view, perGpu, height) {
  for (let i = 0; i < node.gpus; i++) {
    const middle = (node.first + i + 0.5 - view.g0) * perGpu;
    if (middle > 5 && middle < height - 3) context.fillText(`n${node.number} g${i}`, gutter - 8, middle);
  }
}

function drawTimes(gantt, view, { context, width, height }) {
  const { list, step } = timeTicks(view.t0, view.t1, Math.max(2, width / 90));

  context.textAlign = "center";
  context.textBaseline = "top";
  for (const time of list) {
    const x = gutter + (time - view.t0) / (view.t1 - view.t0) * width;
    context.fillStyle = gantt.colours.line;
    context.fillRect(Math.round(x), height, 1, 5);
    context.fillStyle = gantt.colours.quiet;
    context.fillText(tickText(time, step), x, height + 7);
  }
}

// Names of jobs on bars with room for them.
function drawNames(gantt, view, { context, width, height }) {
  const perGpu = height / (view.g1 - view.g0);
  const lanes = gantt.lanes;
  const scale = width / (view.t1 - view.t0);

  if (perGpu < 11) return;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (let gpu = Math.max(0, Math.floor(view.g0)); gpu < Math.min(gantt.run.gpus, Math.ceil(view.g1)); gpu++)
    for (let place = firstSeat(lanes, gpu, view.t0); place < lanes.start[gpu + 1]; place++) {
      const seat = lanes.seats[place];
      if (lanes.from[seat] >= view.t1) break;
      if (lanes.rank[seat] !== gpu) continue;
      drawName(gantt, context, lanes, seat, view, scale, perGpu, width);
    }
}

function drawName(gantt, context, lanes, seat, view, scale, perGpu, width) {
  const left = Math.max(0, (lanes.from[seat] - view.t0) * scale);
  const room = Math.min(width, (lanes.until[seat] - view.t0) * scale) - left - 6;

  if (room < 24) return;
  context.save();
  context.beginPath();
  context.rect(gutter + left, 0, room + 4, 1e4);
  context.clip();
  context.lineWidth = 3;
  const text = gantt.run.names[lanes.job[seat]];
  const y = (lanes.rank[seat] + 0.5 - view.g0) * perGpu;
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--ground");
  context.strokeStyle = ground;
  context.fillStyle = gantt.colours.text;
  context.strokeText(text, gutter + left + 5, y);
  context.fillText(text, gutter + left + 5, y);
  context.restore();
}

// Submission, deadline and end of the chosen job.
function drawMarks(gantt, app, { context, width, height }) {
  if (app.chosen < 0) return;
  const columns = gantt.run.columns;
  const promised = columns.job_promised[app.chosen];
  const deadline = promised >= 0 ? promised : columns.job_deadline[app.chosen];
  const marks = [[columns.job_submit[app.chosen], "submitted"], [deadline, "deadline"]];

  context.textBaseline = "top";
  for (const [time, text] of marks) {
    const share = (time - app.view.t0) / (app.view.t1 - app.view.t0);
    if (time < 0 || share < 0 || share > 1) continue;
    const x = Math.round(gutter + share * width) + 0.5;
    context.strokeStyle = gantt.colours.text;
    context.setLineDash(text === "deadline" ? [4, 3] : []);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
    context.setLineDash([]);
    context.textAlign = share > 0.9 ? "right" : "left";
    context.lineWidth = 3;
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--ground");
    context.strokeText(text, x + (share > 0.9 ? -4 : 4), 4);
    context.lineWidth = 1;
    context.fillStyle = gantt.colours.text;
    context.fillText(text, x + (share > 0.9 ? -4 : 4), 4);
  }
}
