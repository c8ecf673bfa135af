// browser.mjs - a headless Chromium, spoken to over a pipe in the DevTools protocol; needs no package.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function openBrowser(program, size = [1440, 1000]) {
  const profile = mkdtempSync(join(tmpdir(), "rubato-browser-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--hide-scrollbars", "--force-device-scale-factor=1", `--window-size=${size}`, `--user-data-dir=${profile}`,
    "--remote-debugging-pipe", "about:blank"];
  const child = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: profile } });
  const waiting = new Map();
  const listeners = [];
  let last = 0;
  let text = "";

  const ended = new Promise(resolve => child.once("exit", resolve));
  ended.then(code => waiting.forEach(({ reject }) => reject(new Error(`Chromium ended with ${code}`))));
  child.stdio[4].setEncoding("utf8");
  child.stdio[4].on("data", chunk => {
    const messages = (text + chunk).split("\0");
    text = messages.pop();
    for (const message of messages.map(JSON.parse)) {
      if (message.id === undefined) listeners.forEach(listener => listener(message));
      else if (message.error) waiting.get(message.id).reject(new Error(message.error.message));
      else waiting.get(message.id).resolve(message.result);
      waiting.delete(message.id);
    }
  });
  const call = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    child.stdio[3].write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
  });
  const close = async () => {
    await call("Browser.close").catch(() => {});
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };

  return { call, close, listen: listener => listeners.push(listener) };
}

// A page: what it says, what it complains about and what it asks the network for.
export async function openPage(browser, address) {
  const { targetId } = await browser.call("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await browser.call("Target.attachToTarget", { targetId, flatten: true });
  const call = (method, params) => browser.call(method, params, sessionId);
  const page = { call, complaints: [], requests: [], dialogs: 0 };
  let loaded;
  const load = new Promise(resolve => { loaded = resolve; });

  browser.listen(message => {
    if (message.sessionId !== sessionId) return;
    const { method, params } = message;
    if (method === "Runtime.exceptionThrown") page.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled") page.complaints.push(params.args.map(arg => arg.value).join(" "));
    if (method === "Log.entryAdded") page.complaints.push(params.entry.text);
    if (method === "Network.requestWillBeSent") page.requests.push(params.request.url);
    if (method === "Page.javascriptDialogOpening") page.dialogs++;
    if (method === "Page.loadEventFired") loaded();
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await call(`${domain}.enable`);
  await call("Page.navigate", { url: address });
  await load;
  // The value of an expression in the page, awaited.
  page.ask = async expression => {
    const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  };
  page.frame = () => page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
  page.mouse = (type, x, y, more = {}) => call("Input.dispatchMouseEvent", { type, x, y, ...more });
  page.click = async (x, y) => {
    await page.mouse("mousePressed", x, y, { button: "left", clickCount: 1 });
    await page.mouse("mouseReleased", x, y, { button: "left", clickCount: 1 });
    await page.frame();
  };
  page.press = async key => {
    await call("Input.dispatchKeyEvent", { type: "keyDown", key, text: key.length === 1 ? key : undefined });
    await call("Input.dispatchKeyEvent", { type: "keyUp", key });
    await page.frame();
  };
  return page;
}
