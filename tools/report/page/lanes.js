// lanes.js - the seats of jobs by GPU: found by bisection, painted pixel by pixel.

// For each GPU the seats on it in order of time; they do not overlap.
export function lanesOf(run) {
  const { seat_from: from, seat_lasts: lasts, seat_rank: rank, seat_gpus: gpus, seat_job: job } = run.columns;
  const start = new Int32Array(run.gpus + 1);
  const until = new Float64Array(from.length);
  const place = new Int32Array(run.gpus);

  for (let i = 0; i < from.length; i++) {
    until[i] = from[i] + lasts[i];
    for (let gpu = rank[i]; gpu < rank[i] + gpus[i]; gpu++) start[gpu + 1]++;
  }
  for (let gpu = 0; gpu < run.gpus; gpu++) {
    start[gpu + 1] += start[gpu];
    place[gpu] = start[gpu];
  }
  const seats = new Int32Array(start[run.gpus]);
  for (let i = 0; i < from.length; i++)
    for (let gpu = rank[i]; gpu < rank[i] + gpus[i]; gpu++) seats[place[gpu]++] = i;
  return { start, seats, from, until, rank, gpus, job };
}

// Where the first seat of `gpu` stands that ends after `time`.
export function firstSeat(lanes, gpu, time) {
  let low = lanes.start[gpu];
  let high = lanes.start[gpu + 1];

  while (low < high) {
    const middle = (low + high) >> 1;
    if (lanes.until[lanes.seats[middle]] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The seat on `gpu` at `time`, -1 for none.
export function seatAt(lanes, gpu, time) {
  const place = firstSeat(lanes, gpu, time);
  const seat = place < lanes.start[gpu + 1] ? lanes.seats[place] : -1;

  return seat >= 0 && lanes.from[seat] <= time ? seat : -1;
}

// Lists the seats of each job: those of `job` are seats[start[job]] up to seats[start[job + 1]].
export function seatsByJob(lanes, jobs) {
  const start = new Int32Array(jobs + 1);
  const place = new Int32Array(jobs);
  const seats = new Int32Array(lanes.job.length);

  for (const job of lanes.job) start[job + 1]++;
  for (let job = 0; job < jobs; job++) {
    start[job + 1] += start[job];
    place[job] = start[job];
  }
  for (let i = 0; i < lanes.job.length; i++) seats[place[lanes.job[i]]++] = i;
  return { start, seats };
}

// Which pixels of a bar are darker: a pattern for each fate, in device pixels of `unit`.
const patterns = [
  () => false,
  (x, y) => (x + y) % 6 < 2 || (x - y + 6000) % 6 < 2, // broken: crossed
  (x, y) => x % 6 < 2 && y % 6 < 2, // on time without a promise: dotted
  (x, y) => (x + y) % 7 < 2, // late: hatched
  () => false,
  (x, y) => y % 6 < 2, // not ended: ruled
  () => false,
];

// Paints `height` rows of `width` pixels: `view` is {t0, t1, g0, g1}, `colours` has for each fate a list of shades of
// {plain, dark, chosen, faint, faintDark}; all but `chosen`, unless it is -1, are faint.
export function paintLanes(pixels, width, height, view, lanes, fate, colours, chosen, unit) {
  const perPixel = (view.t1 - view.t0) / width;
  const rowHeight = height / (view.g1 - view.g0);
  const gap = rowHeight >= 5 * unit ? unit : 0;

  pixels.fill(colours.ground);
  for (let y = 0; y < height; y++) {
    const exact = view.g0 + (y + 0.5) / rowHeight;
    const gpu = Math.floor(exact);
    if (gpu < 0 || gpu >= lanes.start.length - 1) continue;
    if (gap && (exact - gpu) * rowHeight > rowHeight - gap) continue;
    paintRow(pixels, width, y, gpu, view, perPixel, lanes, fate, colours, chosen, unit, rowHeight);
  }
}

function paintRow(pixels, width, y, gpu, view, perPixel, lanes, fate, colours, chosen, unit, rowHeight) {
  const end = lanes.start[gpu + 1];
  const offset = y * width;
  const patternY = Math.floor(y / unit);
  let place = firstSeat(lanes, gpu, view.t0);
  let x = 0;

  while (place < end) {
    const seat = lanes.seats[place];
    const left = Math.max(x, Math.floor((lanes.from[seat] - view.t0) / perPixel));
    if (left >= width) return;
    const right = Math.min(width, Math.max(left + 1, Math.floor((lanes.until[seat] - view.t0) / perPixel)));
    const job = lanes.job[seat];
    const kind = fate[job];
    const shades = colours.fates[kind];
    const shade = shades[(job * 7 + (job >> 3)) % shades.length];
    const faint = chosen >= 0 && job !== chosen;
    const plain = faint ? shade.faint : job === chosen ? shade.chosen : shade.plain;
    const dark = faint ? shade.faintDark : job === chosen ? shade.plain : shade.dark;
    const hasPattern = patterns[kind];

    if (kind === 0 || kind === 4 || rowHeight < 3 || right - left < 3 * unit) pixels.fill(plain, offset + left, offset + right);
    else
      for (let i = left; i < right; i++)
        pixels[offset + i] = hasPattern(Math.floor(i / unit), patternY) ? dark : plain;
    if (right - left > 4 * unit && lanes.from[seat] > view.t0) pixels.fill(colours.ground, offset + left, offset + left + unit);
    x = right;
    place++;
    if (place < end && lanes.until[lanes.seats[place]] <= view.t0 + (x + 1) * perPixel)
      place = Math.max(place, firstSeat(lanes, gpu, view.t0 + x * perPixel + perPixel * 0.5));
  }
}
