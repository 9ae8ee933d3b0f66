// The live page of a board. The token is in its URL, so all paths here are relative to it.
"use strict";

const HISTORY = 9; // events over which rates are computed: two seconds
const POINTS = 2000; // of a line of the chart
const LINES = 8; // of the chart
const LATEST = 8; // rows in the table
const COLOURS = ["#2b6cb0", "#c05621", "#2f7d4f", "#97266d", "#b7791f", "#2c7a7b", "#6b46c1", "#9b2c2c"];
const WHOLE = new Intl.NumberFormat("en");
const ROUNDED = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

const $ = (id) => document.getElementById(id);
let about; // what does not change, as the server describes it
let history = []; // of the counts: {at, counters, passed}
let kept = []; // the rows of each result: [{number, values}]
let number = 0, skipped = 0, lost = 0; // of rows
let paused = false;

function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

function say(text, className) {
  $("status").textContent = text;
  $("status").className = className;
}

// ---- circuit and counters

// How fast a count grows. of: takes it from an entry of the history.
function perSecond(of) {
  const first = history[0], last = history.at(-1);
  return last.at > first.at ? (1000 * (of(last) - of(first))) / (last.at - first.at) : 0;
}

function showEdges() {
  for (const text of document.querySelectorAll(".rate")) {
    const of = (counts) => counts.passed[text.dataset.probe];
    const total = of(history.at(-1));
    if (total === null) continue;
    const rate = perSecond(of);
    text.textContent = `${ROUNDED.format(rate)}/s`;
    text.classList.toggle("still", rate === 0);
    const title = document.createElementNS(text.namespaceURI, "title");
    title.textContent = `${WHOLE.format(total)} tuples`;
    text.append(title);
  }
}

function showCounters() {
  for (const row of $("counts").rows) {
    const of = (counts) => counts.counters[row.dataset.name];
    const total = of(history.at(-1));
    row.hidden = !total && !$("zeros").checked;
    row.cells[1].textContent = WHOLE.format(total);
    row.cells[2].textContent = ROUNDED.format(perSecond(of));
  }
}

function counterRow([name, { meaning, harmless }]) {
  const row = element("tr", "", harmless ? "" : "drop");
  row.dataset.name = name;
  row.append(element("td", name, "name"), element("td", "", "number"), element("td", "", "number"));
  row.append(element("td", meaning, "meaning"));
  return row;
}

// ---- registers

function settingRow([name, meaning]) {
  const row = element("tr"), cell = element("td"), form = element("form"), input = element("input");
  const button = element("button", "Set"), note = element("td", meaning, "meaning");
  row.dataset.name = name;
  input.setAttribute("aria-label", name);
  form.append(input, button);
  cell.append(form);
  row.append(element("td", name, "name"), cell, note);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = JSON.stringify({ name, value: input.value });
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch("set", { method: "POST", headers, body }).catch(() => null);
    note.className = answer?.ok ? "meaning" : "error";
    note.textContent = answer?.ok ? meaning : answer ? await answer.text() : "the board does not answer";
    if (!answer?.ok) return;
    delete input.dataset.edited;
    showSettings(await answer.json());
  });
  input.addEventListener("input", () => (input.dataset.edited = "yes"));
  return row;
}

// What the user has typed and not set yet stays.
function showSettings(settings) {
  for (const row of $("registers").rows) {
    const input = row.querySelector("input");
    if (!input.dataset.edited) input.value = settings[row.dataset.name];
  }
}

// ---- rows

const result = () => $("result").selectedIndex;
const columns = () => Object.keys(about.results[result()].columns);
const kindOf = (name) => about.results[result()].columns[name];

function offer(select, names) {
  select.replaceChildren(...names.map((name) => new Option(name)));
}

function chooseResult() {
  const { time } = about.results[result()];
  const numbers = columns().filter((name) => kindOf(name) === "number");
  offer($("column"), numbers.length ? numbers : columns());
  $("column").value = numbers.find((name) => name !== time) ?? $("column").options[0].value;
  const texts = columns().filter((name) => kindOf(name) === "text");
  offer($("series"), ["(none)", ...texts]);
  $("series").selectedIndex = texts.length ? 1 : 0;
  showRows();
}

// The lines of the chart: those whose rows are the latest.
function lines() {
  const names = columns(), rows = kept[result()], { time } = about.results[result()];
  const x = names.indexOf(time ?? names.find((name) => kindOf(name) === "time"));
  const y = names.indexOf($("column").value), series = names.indexOf($("series").value);
  const found = new Map();
  for (const { number, values } of rows) {
    const key = series < 0 ? $("column").value : String(values[series]);
    const line = found.get(key) ?? { x: [], y: [] };
    found.delete(key); // a map keeps the order of insertion
    found.set(key, line);
    line.x.push(x < 0 ? number : values[x]);
    line.y.push(values[y] === null ? null : Number(values[y]));
  }
  const shown = [...found].slice(-LINES).sort(([a], [b]) => (a < b ? -1 : 1));
  const traces = shown.map(([name, { x, y }], n) => ({
    name, x: x.slice(-POINTS), y: y.slice(-POINTS), mode: "lines+markers", marker: { size: 4 },
    line: { color: COLOURS[n], width: 1.5 },
  }));
  return { traces, hidden: found.size - shown.length, x: x < 0 ? "row" : names[x] };
}

function showRows() {
  const { traces, hidden, x } = lines();
  const layout = {
    margin: { l: 60, r: 10, t: 10, b: 40 }, xaxis: { title: { text: x } }, hovermode: "closest",
    yaxis: { title: { text: $("column").value } }, showlegend: traces.length > 1, uirevision: "kept",
  };
  Plotly.react($("chart"), traces, layout, { displaylogo: false, responsive: true });
  const notes = [`${WHOLE.format(number)} rows`];
  if (hidden > 0) notes.push(`${WHOLE.format(hidden)} further lines are not shown`);
  if (skipped) notes.push(`${WHOLE.format(skipped)} came too fast for this page and are not shown`);
  if (lost) notes.push(`${WHOLE.format(lost)} datagrams were lost on the way here`);
  $("seen").textContent = notes.join("; ");
  const head = element("tr");
  head.append(...columns().map((name) => element("th", name, kindOf(name))));
  const body = kept[result()].slice(-LATEST).reverse().map(({ values }) => {
    const row = element("tr");
    row.append(...values.map((value, n) => element("td", String(value), kindOf(columns()[n]))));
    return row;
  });
  $("latest").replaceChildren(head, ...body);
}

function takeRows(event) {
  number = event.next;
  skipped += event.skipped;
  lost = event.lost;
  event.rows.forEach(([n, values], place) => {
    const rows = kept[n];
    rows.push({ number: number - event.rows.length + place, values });
    if (rows.length > LINES * POINTS) rows.splice(0, rows.length - LINES * POINTS);
  });
}

// ---- events

function take(event) {
  takeRows(event);
  if (event.trouble) say(event.trouble, "trouble");
  else if (event.counters) {
    const now = { at: performance.now(), counters: event.counters, passed: event.passed };
    history = [...history, now].slice(-HISTORY);
    say(paused ? "live, the chart is paused" : "live", "live");
    showEdges();
    showCounters();
    showSettings(event.settings);
  }
  if (event.rows.length && !paused) showRows();
}

function pause() {
  paused = !paused;
  $("pause").setAttribute("aria-pressed", paused);
  $("pause").textContent = paused ? "Go on" : "Pause";
  if (!paused) showRows();
}

async function start() {
  const answer = await fetch("about");
  if (!answer.ok) return say(await answer.text(), "trouble");
  about = await answer.json();
  document.title = `${about.name}, wirestream`;
  $("name").textContent = about.name;
  $("sql").textContent = about.sql;
  $("probed").textContent = about.probed;
  $("diagram").append(new DOMParser().parseFromString(about.diagram, "image/svg+xml").documentElement);
  $("counts").append(...Object.entries(about.counters).map(counterRow));
  $("registers").append(...Object.entries(about.settings).map(settingRow));
  kept = about.results.map(() => []);
  offer($("result"), about.results.map(({ name }) => name));
  $("result").addEventListener("change", chooseResult);
  for (const id of ["column", "series"]) $(id).addEventListener("change", showRows);
  $("pause").addEventListener("click", pause);
  $("zeros").addEventListener("change", () => history.length && showCounters());
  chooseResult();
  const events = new EventSource("events");
  events.onmessage = ({ data }) => take(JSON.parse(data));
  events.onerror = () => say("the board does not answer; it may have been stopped", "trouble");
}

start();
