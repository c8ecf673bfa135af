// page_test.mjs FOLDER [one] - the pages one.html and, unless only one is asked for, two.html there show what the result
// folders beside them say.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser, openPage } from "./browser.mjs";
import { countChanges, countOutcomes, holdings, jobOn, readResults } from "./results.mjs";
import { spanText, wholeText } from "../../tools/report/page/format.js";

const folder = resolve(process.argv[2]);
const trace = join(folder, "trace.csv");
const ours = readResults(join(folder, "rubato"), trace);
const onlyOne = process.argv[3] === "one";
const theirs = onlyOne ? null : readResults(join(folder, "ef"), trace);
const hostile = ours.names[2];
const gutter = 58;

const open = (browser, name, hash = "") => openPage(browser, pathToFileURL(join(folder, name)).href + hash);
const textOf = (page, selector) => page.ask(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);
const textsOf = (page, selector) => page.ask(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(one => one.textContent)`);

function quiet(page) {
  assert.deepEqual(page.complaints, []);
  assert.equal(page.dialogs, 0);
  assert.equal(page.requests.filter(address => !address.startsWith("file:") && !address.startsWith("data:")).length, 0);
  assert.equal(page.requests.filter(address => address.startsWith("file:")).length, 1);
}

async function figuresAreThoseOfTheSummary(page) {
  const tile = key => page.ask(`document.querySelector('[data-tile=${key}] dd').firstChild.textContent`);
  assert.equal(await tile("on_time"), wholeText(ours.summary.on_time));
  assert.equal(await tile("promised"), wholeText(ours.summary.promised));
  assert.equal(await tile("broken"), wholeText(ours.summary.broken));
  assert.equal(await tile("jct_mean_s"), spanText(ours.summary.jct_mean_s));
  if (ours.summary.bound === undefined) return;
  assert.equal(await tile("bound"), wholeText(ours.summary.bound_with_overheads));
  assert.match(await textOf(page, "#counts .bound"), new RegExp(`^at most ${ours.summary.bound_with_overheads} `));
}

async function barsCountOutcomes(page, runs) {
  const wanted = runs.flatMap(run => Object.entries(countOutcomes(run))).map(([fate, count]) => `${fate} ${count}`);
  const shown = await page.ask("[...document.querySelectorAll('#counts [data-fate]')].map(bar => `${bar.dataset.fate} ${bar.dataset.count}`)");
  assert.deepEqual(shown.sort(), wanted.sort());
}

async function spreadsAreThoseOfJobs(page) {
  const times = ours.jobs.map(row => Number(row.end_time) - Number(row.submit_time)).sort((a, b) => a - b);
  const wanted = [0.5, 0.9, 0.99].map(share => spanText(times[Math.ceil(share * times.length) - 1]));
  assert.deepEqual(await textsOf(page, "#spread-charts > div:first-child td"), wanted);
}

// The first submission and the last round or retirement.
function timesOf(results) {
  return [Math.min(...results.jobs.map(row => Number(row.submit_time))),
    Math.max(...results.jobs.map(row => Number(row.retired_at)), results.rounds.at(-1).at)];
}

// Where a GPU at some time is on the screen while all is shown.
async function pointOf(page, results, time, gpu) {
  const box = await page.ask(`(() => { const { left, top, width, height } = document.getElementById("gantt-canvas").getBoundingClientRect();
    return { left, top, width, height }; })()`);
  const [first, last] = timesOf(results);
  return [box.left + gutter + (time - first) / (last - first) * (box.width - gutter - 14), box.top + (gpu + 0.5) / results.summary.gpus * (box.height - 22)];
}

async function barsAreThoseOfLayouts(page) {
  const [first, last] = timesOf(ours);
  const wide = holdings(ours, Math.floor(ours.summary.gpus / 200)).filter(({ from, until }) => until - from >= (last - first) / 200);
  const chosen = wide.filter((_, i) => i % Math.ceil(wide.length / 12) === 0);
  assert.ok(chosen.length >= 6, `only ${chosen.length} bars to click`);
  await page.ask("document.getElementById('gantt').scrollIntoView()");
  for (const { from, until, gpu, name } of chosen) {
    const [x, y] = await pointOf(page, ours, (from + until) / 2, gpu);
    await page.mouse("mouseMoved", x, y);
    assert.equal(await textOf(page, "#tip b"), name);
    await page.click(x, y);
    assert.equal(await textOf(page, "#job-name"), name);
    assert.equal(await page.ask("document.querySelectorAll('#steps tbody tr').length"), Math.min(60, countChanges(ours, name)));
  }
}

const words = { promised: "Promised its deadline when it arrived", "best-effort": "Let in without a promise", declined: "Declined", "promised-later": "promised later" };

async function storiesAreThoseOfOutcomes(page) {
  for (const name of ours.names.slice(0, 8)) {
    await page.ask(`(() => { const find = document.getElementById("find"); find.value = ${JSON.stringify(name)};
      find.dispatchEvent(new Event("input")); find.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" })); })()`);
    await page.frame();
    const story = await textOf(page, "#told");
    const outcome = ours.outcomes.find(row => row.job_id === name);
    const job = ours.jobs.find(row => row.job_id === name);
    assert.equal(await textOf(page, "#job-name"), name);
    assert.equal((await textsOf(page, "#found .name"))[0], name);
    assert.ok(story.includes(words[outcome.verdict]), story);
    const slack = job && Number(outcome.promised || job.deadline) - Number(job.end_time);
    if (job && slack) assert.ok(story.includes(`${spanText(slack)} ${slack > 0 ? "before" : "after"} its deadline`), story);
  }
}

async function namesAreText(page) {
  assert.equal(await page.ask("document.images.length"), 0);
  assert.equal(await textOf(page, "#job-name"), hostile);
  assert.equal(await page.ask("document.querySelector('#job-name').children.length"), 0);
}

// A digest of the canvas.
async function pictureOf(page) {
  return createHash("sha256").update(await page.ask("document.getElementById('gantt-canvas').toDataURL()")).digest("hex");
}

async function keysMoveTheView(page) {
  const picture = () => pictureOf(page);
  await page.ask("document.getElementById('gantt').focus()");
  await page.press("0");
  const seen = [await picture()];
  for (const key of ["+", "ArrowRight", "]", "ArrowDown", "n"]) {
    await page.press(key);
    seen.push(await picture());
  }
  assert.equal(new Set(seen).size, seen.length, "each key changes the picture");
  assert.equal(await page.ask("document.querySelectorAll('#steps tr[aria-current=true]').length"), 1);
  await page.press("0");
  assert.equal(await picture(), seen[0]);
  await page.press("Enter");
  const [first, last] = timesOf(ours);
  const round = ours.rounds.findLast(({ at }) => at <= (first + last) / 2);
  assert.equal(await textOf(page, "#job-name"), jobOn(round, ours.summary.gpus / 2));
  await page.press("Escape");
  assert.equal(await textOf(page, "#job-name"), null);
}

async function lightDarkAndPaper(page) {
  const ground = () => page.ask("getComputedStyle(document.body).backgroundColor");
  const light = await pictureOf(page);
  assert.equal(await ground(), "rgb(255, 255, 255)");
  await page.call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  await page.frame();
  assert.notEqual(await ground(), "rgb(255, 255, 255)");
  const dark = await pictureOf(page);
  assert.notEqual(dark, light);
  await page.call("Emulation.setEmulatedMedia", { media: "print", features: [{ name: "prefers-color-scheme", value: "dark" }] });
  await page.frame();
  assert.equal(await ground(), "rgb(255, 255, 255)");
  assert.notEqual(await pictureOf(page), dark);
  assert.equal(await page.ask("getComputedStyle(document.querySelector('.tools')).display"), "none");
  const { data } = await page.call("Page.printToPDF", { printBackground: true });
  assert.equal(Buffer.from(data, "base64").subarray(0, 5).toString(), "%PDF-");
}

// Fates differ in more than their colour, and so do the lines of runs.
async function nothingIsToldByColourAlone(page) {
  const dashes = await page.ask("[...document.querySelectorAll('#time-charts .chart:first-child path')].map(line => getComputedStyle(line).strokeDasharray)");
  assert.equal(dashes.length, 2);
  assert.notEqual(dashes[0], dashes[1]);
  for (const text of await textsOf(page, "#fates li")) assert.ok(text.length > 3);
}

async function runsStandSideBySide(page) {
  assert.deepEqual(await textsOf(page, "#runs button"), ["rubato", "ef-accessctrl"]);
  assert.deepEqual(await textsOf(page, "#figures [data-figure=broken]"), [ours, theirs].map(run => wholeText(run.summary.broken)));
  await page.ask("document.querySelectorAll('#runs button')[1].click()");
  await page.frame();
  assert.match(await textOf(page, "#subtitle"), /^ef-accessctrl on /);
  assert.equal(await page.ask("document.querySelector('[data-tile=on_time] dd').firstChild.textContent"), wholeText(theirs.summary.on_time));
}

const browser = await openBrowser("chromium");
try {
  const one = await open(browser, "one.html");
  for (const check of [figuresAreThoseOfTheSummary, page => barsCountOutcomes(page, [ours]), spreadsAreThoseOfJobs, barsAreThoseOfLayouts, storiesAreThoseOfOutcomes])
    await check(one);
  const linked = await open(browser, "one.html", `#job=${encodeURIComponent(hostile)}`);
  for (const check of [namesAreText, keysMoveTheView, lightDarkAndPaper]) await check(linked);
  for (const page of [one, linked]) quiet(page);
  if (!onlyOne) {
    const two = await open(browser, "two.html");
    for (const check of [page => barsCountOutcomes(page, [ours, theirs]), runsStandSideBySide, nothingIsToldByColourAlone]) await check(two);
    quiet(two);
  }
} finally {
  await browser.close();
}
