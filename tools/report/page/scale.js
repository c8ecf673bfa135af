// scale.js - round numbers for axes.

const dayLengths = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000];

function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));

  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least * 0.999);
}

// At most about `count` round numbers from `low` to `high`.
export function ticks(low, high, count) {
  const step = roundStep(Math.max(high - low, 1e-9) / count);
  const list = [];

  for (let i = Math.ceil(low / step - 1e-9) + 0; i * step <= high + step * 1e-9; i++) list.push(i * step);
  return list;
}

// The same of times in seconds: steps of a clock.
export function timeTicks(low, high, count) {
  const least = Math.max(high - low, 1) / count;
  const step = dayLengths.find(length => length >= least) ?? roundStep(least / 86400) * 86400;
  const list = [];

  for (let i = Math.ceil(low / step); i * step <= high; i++) list.push(i * step);
  return { list, step };
}

// A time as the label of an axis whose steps are `step` seconds apart.
export function tickText(seconds, step) {
  const days = Math.floor(seconds / 86400);
  const rest = seconds - days * 86400;
  const two = number => String(number).padStart(2, "0");
  const clock = `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}` + (step < 60 ? `:${two(rest % 60)}` : "");

  if (step >= 86400) return `${days} d`;
  return rest === 0 ? `${days} d` : clock;
}

// A length of time where lengths span many orders of magnitude.
export const lengthTicks = [
  [1, "1 s"], [10, "10 s"], [60, "1 min"], [600, "10 min"], [3600, "1 h"], [36000, "10 h"], [86400, "1 d"],
  [864000, "10 d"], [8640000, "100 d"], [86400000, "1,000 d"],
];
