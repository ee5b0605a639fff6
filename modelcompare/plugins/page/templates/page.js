
"use strict";
const one = (id) => document.getElementById(id);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const make = (name, attributes, inside) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return inside.appendChild(element);
};

// Sorting: a column's heading is a button; missing values come last.
const number = (text) => {
  const found = text.replaceAll(",", "").match(/^<?([+-]?[\d.]+(e[+-]?\d+)?)/);
  return found ? Number(found[1]) - (text[0] === "<" ? Number.EPSILON : 0) : NaN;
};
const compare = (a, b, numeric) => {
  if (!numeric) return a.localeCompare(b, "en", { numeric: true });
  const [x, y] = [number(a), number(b)];
  return Number.isNaN(x) || Number.isNaN(y) ? null : x - y;
};
const sort = (heading, column, direction) => {
  const body = heading.closest("table").tBodies[0];
  const numeric = heading.classList.contains("number");
  const rows = [...body.rows].map((row) => [row.cells[column].textContent, row]);
  rows.sort(([a], [b]) => {
    const missing = numeric ? Number.isNaN(number(a)) - Number.isNaN(number(b)) : 0;
    return missing || direction * compare(a, b, numeric);
  });
  body.append(...rows.map(([, row]) => row));
  filter();
};
const unsorted = (table) => all("th", table).forEach((th) => th.setAttribute("aria-sort", "none"));
for (const heading of all("thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  heading.append(button);
  heading.setAttribute("aria-sort", "none");
  button.addEventListener("click", () => {
    const up = heading.getAttribute("aria-sort") !== "ascending";
    unsorted(heading.closest("table"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    sort(heading, heading.cellIndex, up ? 1 : -1);
  });
}

// Filtering: rows of the first result by their class, those of others by their metric, and all by
// a text that they contain.
const column = (table, title) => all("th", table).find((th) => th.textContent === title)?.cellIndex;
const FEW = 20;
const whole = new Set();
const filter = () => {
  const text = one("filter").value.trim().toLowerCase();
  const label = one("class")?.value;
  const metric = one("metric")?.value;
  let [shown, of] = [0, 0];
  for (const table of all("table")) {
    const isFirst = table.closest("section") === first;
    const at = column(table, isFirst ? "class" : "metric");
    const wanted = at !== undefined && (isFirst ? label : metric);
    let n = 0;
    for (const row of table.tBodies[0].rows) {
      const value = wanted && row.cells[at].textContent;
      const chosen = !wanted || value === wanted || (!isFirst && value.startsWith(`${wanted} of `));
      const texts = [...row.cells].map((cell) => cell.textContent.toLowerCase());
      row.hidden = !chosen || !texts.some((each) => each.includes(text));
      if (!row.hidden) n += 1;
      row.classList.toggle("more", n > FEW && !whole.has(table));
      if (chosen && !table.closest("[hidden]")) [shown, of] = [shown + !row.hidden, of + 1];
    }
    const more = one(`${table.id}-more`);
    more.hidden = n <= FEW || whole.has(table);
    more.textContent = `Show all ${n} rows`;
  }
  one("status").value = shown < of ? `${shown} of ${of} rows match` : "";
};

// Another baseline: its differences from the others are those of all pairs, turned where needed.
const minus = (text) => {
  if (text[0] === "+") return `-${text.slice(1)}`;
  return text[0] === "-" && text.length > 1 ? `+${text.slice(1)}` : text;
};
const negative = (end) => {
  if (end[0] === "-" && end.length > 1) return end.slice(1);
  return Number(end) ? `-${end}` : end;
};
const turned = (interval) => interval.split(" to ").reverse().map(negative).join(" to ");
const drawBar = (cell, table, by, interval, differs) => {
  const [low, high] = [Number(table.dataset.low), Number(table.dataset.high)];
  const place = (value) => `${2 + (96 * (value - low)) / (high - low)}%`;
  const ends = [...interval.split(" to "), by, "0"].map(Number);
  if (ends.some(Number.isNaN)) return;
  const [x1, x2, cx, zero] = ends.map(place);
  const svg = make("svg", { "aria-hidden": "true", class: differs ? "differs" : "same" }, cell);
  make("line", { class: "zero", x1: zero, x2: zero, y2: "100%" }, svg);
  make("line", { x1, x2, y1: "50%", y2: "50%" }, svg);
  const mark = make("svg", { x: cx, y: "50%" }, svg);
  if (differs) make("path", { d: "M-5.5 0 0-5.5 5.5 0 0 5.5z" }, mark);
  else make("circle", { r: 4.5 }, mark);
};
const rebase = (table, chosen) => {
  const { models, classes, rows } = JSON.parse(one(table.dataset.pairs).textContent);
  const base = models.indexOf(chosen);
  const kinds = [...table.tHead.rows[0].cells].map((cell) => cell.className);
  const made = rows.filter(([, a, b]) => a === base || b === base).map(([label, a, b, by, ci, p, differs]) => {
    const other = models[a === base ? b : a];
    const [lead, interval] = a === base ? [by, ci] : [minus(by), turned(ci)];
    const texts = [chosen, other, lead, interval, p];
    if (column(table, "class") !== undefined) texts.unshift(classes[label]);
    const row = document.createElement("tr");
    for (const kind of kinds) {
      const cell = row.insertCell();
      cell.className = kind;
      if (kind === "bar") drawBar(cell, table, lead, interval, differs);
      else cell.textContent = texts.shift();
    }
    return row;
  });
  table.tBodies[0].replaceChildren(...made);
  name(table);
};
// On a phone each cell shows the title of its column.
const name = (table) => {
  const titles = [...table.tHead.rows[0].cells].map((cell) => cell.matches("th") ? cell.textContent : "");
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, i) => { if (cell.textContent) cell.dataset.title = titles[i]; });
  }
};
const original = new Map(all("table[data-pairs]").map((table) => [table, [...table.tBodies[0].rows]]));
const titles = new Map();
const choose = () => {
  const chosen = one("baseline").value;
  for (const [table, rows] of original) {
    const title = one(`${table.id}-title`);
    if (!titles.has(title)) titles.set(title, [...title.childNodes].map((node) => node.textContent));
    const renamed = (text) => (chosen ? text.replaceAll("the leader", () => chosen) : text);
    [...title.childNodes].forEach((node, i) => (node.textContent = renamed(titles.get(title)[i])));
    const leader = all("th button", table)[column(table, "class") === undefined ? 0 : 1];
    leader.textContent = chosen ? "baseline" : "leader";
    all(`[data-turned=${table.id}]`).forEach((note) => { note.hidden = !chosen; });
    if (chosen) rebase(table, chosen);
    else table.tBodies[0].replaceChildren(...rows);
    unsorted(table);
  }
  filter();
};

for (const table of all("table")) {
  name(table);
  const more = document.createElement("button");
  Object.assign(more, { type: "button", id: `${table.id}-more`, className: "unfold", hidden: true });
  more.addEventListener("click", () => { whole.add(table); filter(); });
  table.parentElement.after(more);
}
document.body.classList.add("cards");

// The controls need this script, so they are hidden without it.
const first = one("main").closest("section");
one("controls").hidden = one("theme").hidden = false;
one("filter").addEventListener("input", filter);
one("class")?.addEventListener("change", filter);
if (one("metric")) {
  const show = () => {
    for (const group of all("[data-metric]")) {
      group.hidden = ![group.dataset.metric, ""].includes(one("metric").value);
    }
    const shown = all("table", first).filter((table) => !table.closest("[hidden]"));
    const hasClasses = shown.some((table) => column(table, "class") !== undefined);
    one("class")?.closest("label").toggleAttribute("hidden", !hasClasses);
    filter();
  };
  one("metric").selectedIndex = 1;
  one("metric").addEventListener("change", show);
  show();
}
filter();
if (one("baseline")) {
  const names = all("table[data-pairs]").flatMap(
    (table) => JSON.parse(one(table.dataset.pairs).textContent).models);
  for (const name of new Set(names)) one("baseline").add(new Option(name, name));
  one("baseline").addEventListener("change", choose);
}
const theme = one("theme");
const isDark = () => (document.documentElement.dataset.theme
  ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
nameTheme();
addEventListener("beforeprint", () => all("details").forEach((each) => { each.open = true; }));
