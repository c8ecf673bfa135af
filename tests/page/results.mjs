// results.mjs - what result files say, read without the code of the report.
import { readFileSync } from "node:fs";

function rows(path) {
  const [header, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n").map(line => line.split(","));
  return lines.map(cells => Object.fromEntries(header.map((name, i) => [name, cells[i]])));
}

// The layouts as {at, runs: [{name, rank, gpus}]}, GPUs counted through all nodes.
function layouts(path, names) {
  return rows(path).map(({ time, layout }) => ({
    at: Number(time),
    runs: (layout ? layout.split(" ") : []).map(word => {
      const [job, rank, gpus] = word.split(/[@x]/).map(Number);
      return { name: names[job], rank, gpus };
    }),
  }));
}

// The job on `gpu` in a round, null for none.
export function jobOn(round, gpu) {
  return round.runs.find(({ rank, gpus }) => gpu >= rank && gpu < rank + gpus)?.name ?? null;
}

// From when until when some GPUs, `margin` on either side included, are held by one job.
export function holdings(results, margin) {
  const { gpus } = results.summary;
  const list = [];

  for (let gpu = margin; gpu < gpus - margin; gpu += Math.ceil(gpus / 16)) {
    let open = null;
    for (const round of results.rounds) {
      const name = jobOn(round, gpu);
      const alone = name !== null && jobOn(round, gpu - margin) === name && jobOn(round, gpu + margin) === name;
      if (open && (!alone || name !== open.name)) {
        list.push({ ...open, until: round.at });
        open = null;
      }
      if (alone && !open) open = { name, gpu, from: round.at };
    }
  }
  return list;
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

  for (const { runs } of results.rounds) {
    const now = runs.filter(run => run.name === name).map(({ rank, gpus }) => `${rank}x${gpus}`).join();
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
