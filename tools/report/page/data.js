// data.js - the runs that the page holds: names and figures as JSON, numbers as columns (column.h).

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  return Uint8Array.from(atob(text), digit => digit.charCodeAt(0));
}

// Differences as seven bits a byte, their sign in bit 0.
function decode(text, count) {
  const bytes = bytesOf(text);
  const numbers = new Float64Array(count);
  let last = 0;
  let at = 0;

  for (let i = 0; i < count; i++) {
    let rest = 0;
    let scale = 1;

    for (;;) {
      const byte = bytes[at++];
      rest += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
    }
    last += rest % 2 ? -(rest + 1) / 2 : rest / 2;
    numbers[i] = last;
  }
  return numbers;
}

// Decodes a column when it is first asked for.
function columnsOf(index) {
  const columns = {};

  for (const text of document.querySelectorAll(`script[data-run="${index}"]`)) {
    const name = text.dataset.column;
    let numbers;
    Object.defineProperty(columns, name, {
      get: () => numbers ??= decode(text.textContent, Number(text.dataset.count)),
    });
  }
  return columns;
}

// How often the policy of a run stands before it.
function labelOf(runs, index) {
  const policy = runs[index].summary.policy;
  const alike = runs.filter(run => run.summary.policy === policy);

  return alike.length > 1 ? `${policy}: ${runs[index].folder}` : policy;
}

export function readRuns() {
  const runs = [...document.querySelectorAll("script.run")].map(text => JSON.parse(text.textContent));

  runs.forEach((run, index) => {
    run.index = index;
    run.label = labelOf(runs, index);
    run.columns = columnsOf(index);
    run.names ??= runs[run.names_of].names;
    run.gpus = run.pools.reduce((sum, pool) => sum + pool.gpus, 0);
  });
  return runs;
}

// What becomes of a job, in the order of enum fate.
export const fates = [
  { name: "kept", text: "promised, on time" },
  { name: "broken", text: "promised, late" },
  { name: "on-time", text: "on time without a promise" },
  { name: "late", text: "late without a promise" },
  { name: "done", text: "done, no deadline" },
  { name: "open", text: "not ended" },
  { name: "declined", text: "declined" },
];

const nodeCache = new WeakMap();

// The nodes of a run in order: pool, number in it, first GPU, number of GPUs.
export function nodesOf(run) {
  if (nodeCache.has(run)) return nodeCache.get(run);
  const nodes = [];
  let first = 0;

  for (const pool of run.pools)
    for (let i = 0; i < pool.nodes; i++) {
      nodes.push({ pool, number: nodes.length, first, gpus: pool.gpus / pool.nodes });
      first += pool.gpus / pool.nodes;
    }
  nodeCache.set(run, nodes);
  return nodes;
}

// The place of the first number that is greater than `limit`, in numbers that rise.
export function firstAfter(numbers, limit, count = numbers.length) {
  let low = 0;
  let high = count;

  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
