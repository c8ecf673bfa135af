// format.js - numbers, times and elements, as a reader sees them.

// Seconds as "1 d 03:04" or, below a day, "3:04:05".
export function clockText(seconds) {
  const sign = seconds < 0 ? "\u2212" : "";
  const all = Math.round(Math.abs(seconds));
  const two = number => String(number).padStart(2, "0");
  const days = Math.floor(all / 86400);
  const hours = Math.floor(all / 3600) % 24;
  const minutes = Math.floor(all / 60) % 60;

  if (days > 0) return `${sign}${days} d ${two(hours)}:${two(minutes)}`;
  return `${sign}${hours}:${two(minutes)}:${two(all % 60)}`;
}

// A stretch of time in its two largest units: "2 d 3 h", "14 min 5 s".
export function spanText(seconds) {
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const all = Math.round(Math.abs(seconds));
  const first = units.findIndex(([, length]) => all >= length);
  let rest = all;
  const words = [];

  if (first < 0) return "0 s";
  for (const [unit, length] of units.slice(first, first + 2)) {
    const number = Math.floor(rest / length);
    if (number > 0) words.push(`${number} ${unit}`);
    rest -= number * length;
  }
  return words.join(" ");
}

export function wholeText(number) {
  return Math.round(number).toLocaleString("en-US");
}

export function percentText(share) {
  return `${(100 * share).toFixed(1)} %`;
}

export function plural(number, one) {
  return `${wholeText(number)} ${one}${number === 1 ? "" : "s"}`;
}

// An element with text; never markup, as names are what users wrote.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);

  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.map(child => child instanceof Node ? child : String(child)));
  return made;
}

export function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);

  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
