// first_page.mjs PAGE FOLDER... - the page of several runs, the one that `make run` writes: it has the figures that the
// summaries in the result folders have, and complains of nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser, openPage } from "./browser.mjs";
import { spanText, wholeText } from "../../tools/report/page/format.js";

const [name, ...folders] = process.argv.slice(2);
const summaries = folders.map(folder => JSON.parse(readFileSync(`${folder}/summary.json`, "utf8")));
const textsOf = (page, selector) => page.ask(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(one => one.textContent)`);

const browser = await openBrowser("chromium");
try {
  const page = await openPage(browser, pathToFileURL(resolve(name)).href);
  assert.deepEqual(await textsOf(page, "#runs button"), summaries.map(({ policy }) => policy));
  for (const [key, text] of [["on_time", wholeText], ["bound_with_overheads", wholeText], ["jct_mean_s", spanText]])
    assert.deepEqual(await textsOf(page, `#figures [data-figure=${key}]`), summaries.map(summary => text(summary[key])));
  for (const [i, summary] of summaries.entries()) {
    await page.ask(`document.querySelectorAll("#runs button")[${i}].click()`);
    await page.frame();
    assert.equal(await page.ask("document.querySelector('[data-tile=on_time] dd').firstChild.textContent"), wholeText(summary.on_time));
  }
  assert.deepEqual(page.complaints, []);
  assert.equal(page.requests.length, 1, "the page asks for nothing but itself");
} finally {
  await browser.close();
}
