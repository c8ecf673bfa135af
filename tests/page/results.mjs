// results.mjs - what result files say, read without the code of the report.
import { readFileSync } from "node:fs";

function rows(path) {
  const [header, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n").map(line => line.split(","));
  return lines.map(cells => Object.fromEntries(header.map((name, i) => [name, cells[i]])));
}

// The layouts as {at, held: Map of a job's name to its GPUs, counted through all nodes}.
function layouts(path, names) {
  return rows(path).map(({ time, layout }) => {
    const held = new Map();
    for (const word of layout ? layout.split(" ") : []) {
      const [job, rank, gpus] = word.split(/[@x]/).map(Number);
      const list = held.get(names[job]) ?? [];
      for (let gpu = rank; gpu < rank + gpus; gpu++) list.push(gpu);
      held.set(names[job], list);
    }
    return { at: Number(time), held };
  });
}

export function readResults(folder, trace) {
  const names = rows(trace).map(row => row.job_id);
  const has = name => { try { return rows(`${folder}/${name}`); } catch { return null; } };

  return {
    names, summary: JSON.parse(readFileSync(`${folder}/summary.json`, "utf8")), jobs: rows(`${folder}/jobs.csv`),
    outcomes: rows(`${folder}/outcomes.csv`), rounds: layouts(`${folder}/rounds.csv`, names), timeline: has("timeline.csv"), cluster: has("cluster.csv"),
  };
}

// How often what a job holds changes, in number or place.
export function countChanges(results, name) {
  if (results.timeline) return results.timeline.filter(row => row.job_id === name).length;
  let before = "";
  let changes = 0;

  for (const { held } of results.rounds) {
    const now = (held.get(name) ?? []).join();
    changes += now !== before;
    before = now;
  }
  return changes;
}

export function countOutcomes(results) {
  const counts = {};
  const word = ({ verdict, outcome }) => {
    const promised = verdict.startsWith("promised");
    if (outcome === "on-time") return promised ? "kept" : "on-time";
    if (outcome === "late" || outcome === "failed") return promised ? "broken" : "late";
    if (outcome === "done") return "done";
    return verdict === "declined" ? "declined" : "open";
  };

  for (const row of results.outcomes) counts[word(row)] = (counts[word(row)] ?? 0) + 1;
  return counts;
}
