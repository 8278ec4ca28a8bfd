// Plays the forward and the backward pass over the graph, and runs them again when an input moves.
"use strict";

const page = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
const live = typeof run === "function";
const graph = find("graph");
const inputs = page.inputs.map((input) => input.value);
let slots = page.start; // what each node is: numbers and truth values, or texts where Python computed them
let untaken = new Set(); // the branches that do not count
let steps = [];
let position = 0; // how many steps have been taken
let looking = true; // at the whole of it, not at the last step
let pointed = null;
let pinned = null;
let timer = null;

// --- Numbers -------------------------------------------------------------------------------------------------------

function show(value, digits = page.digits) {
  if (value === undefined || value === null) return "";
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) return value !== value ? "NaN" : value > 0 ? "inf" : "-inf";
  return value === 0 ? "0" : String(Number(value.toPrecision(digits)));
}

const NAMED = { nan: NaN, inf: Infinity, infinity: Infinity, "∞": Infinity, pi: Math.PI, "π": Math.PI, e: Math.E };
const DECIMAL = /^(\d+(_\d+)*\.?\d*|\.\d+)(e[+-]?\d+)?$/;

// A number as people type it: 0.5, −3, 2e-3, 1/3, pi/4, 2*pi, inf; undefined for anything else.
function read(text) {
  const line = text.trim().toLowerCase().replaceAll("−", "-");
  const sign = line.startsWith("-") ? -1 : 1;
  const [first, ...rest] = line.replace(/^[+-]\s*/, "").split(/\s*([*/])\s*/);
  let found = factor(first);
  for (let k = 0; k < rest.length; k += 2) found = rest[k] === "*" ? found * factor(rest[k + 1]) : found / factor(rest[k + 1]);
  return [first, ...rest.filter((_, k) => k % 2)].some((word) => factor(word) === undefined) ? undefined : sign * found;
}

const factor = (word) => (Object.hasOwn(NAMED, word) ? NAMED[word] : DECIMAL.test(word) ? Number(word.replaceAll("_", "")) : undefined);

function refused(name, text) {
  const found = text.trim() === "" ? "nothing" : `“${text.trim()}”, which is no number`;
  return `${name} got ${found}: type one such as 0.5, -2e3, 1/3, pi/4 or inf. The page still shows ${name} = `;
}

const signed = (text) => (text.startsWith("-") ? `− ${text.slice(1)}` : `+ ${text}`);
const runs = (id) => !page.nodes[id].inside?.some((box) => untaken.has(box));
const valueOf = (id) => (runs(id) ? slots[page.nodes[id].value] : undefined);

// --- The two passes ------------------------------------------------------------------------------------------------

function compute() {
  if (live) run(inputs, (slots = []));
  untaken = new Set(Object.keys(page.branches).filter((id) => !page.branches[id].every(([slot, wanted]) => slots[slot] === wanted)));
  const ran = page.forward.filter((id) => valueOf(id) !== undefined).map((id) => ({ pass: "forward", id }));
  const back = page.backward.filter((share) => share.held === undefined || slots[share.held]).map((share) => ({ pass: "backward", ...share }));
  const seed = page.seed ? [{ pass: "seed", id: page.seed }] : [];
  const atEnd = position === steps.length;
  steps = [...ran, ...seed, ...back];
  position = atEnd ? steps.length : Math.min(position, steps.length);
  find("position").max = steps.length;
}

// The cotangent of each node after `count` steps; what no step has reached has none.
function sums(count) {
  const found = new Map();
  for (const step of steps.slice(0, count)) {
    if (step.pass === "seed") found.set(step.id, slots[page.nodes[step.id].gradient] ?? 1);
    if (step.pass === "backward" && !off(step)) found.set(step.to, slots[step.total]);
  }
  if (count === steps.length && page.seed) {
    for (const [id, node] of Object.entries(page.nodes)) {
      if (!node.moves || valueOf(id) === undefined) continue;
      found.set(id, node.gradient === undefined ? 0 : slots[node.gradient]);
    }
  }
  return found;
}

const off = (share) => share.when !== undefined && !slots[share.when];

// --- The picture ---------------------------------------------------------------------------------------------------

const edges = new Map(); // from one node to another: the paths between them
for (const path of graph.querySelectorAll(".edge")) {
  const key = `${path.dataset.from} ${path.dataset.to}`;
  edges.set(key, [...(edges.get(key) ?? []), path]);
}
const labels = new Map(); // the texts of local partials, likewise
for (const text of graph.querySelectorAll(".edge-label.partial")) {
  const key = `${text.dataset.from} ${text.dataset.to}`;
  labels.set(key, [...(labels.get(key) ?? []), text]);
}
const between = (from, to) => edges.get(`${from} ${to}`) ?? [];
const drawn = new Map(); // what the nodes say and look like by now, so that only changes touch the page

function write(id, kind, text) {
  const key = `${id} ${kind}`;
  if (drawn.get(key) === text) return;
  drawn.set(key, text);
  const line = find(id).querySelector(`.${kind}`);
  if (line) line.textContent = text;
}

function mark(element, word, on) {
  if (element.classList.contains(word) !== on) element.classList.toggle(word, on);
}

function draw() {
  const reached = position === 0 ? new Set() : new Set(steps.slice(0, position).filter((step) => step.pass === "forward").map((step) => step.id));
  const passed = sums(position);
  const step = looking ? undefined : steps[position - 1];
  for (const [id, node] of Object.entries(page.nodes)) {
    const element = find(id);
    const value = valueOf(id);
    drawIdle(element, id, node.value !== undefined && value === undefined);
    mark(element, "waiting", node.step === true && value !== undefined && !reached.has(id));
    if (live && node.value !== undefined && node.kind !== "constant") write(id, "value", value === undefined ? "not run" : `= ${show(value, 6)}`);
    const given = passed.get(node.unit ?? id);
    if (page.seed && node.moves) write(id, "gradient", given === undefined ? "" : `grad ${show(given, 6)}`);
  }
  drawChoices();
  drawPartials();
  drawStep(step);
  drawResults();
  find("position").value = position;
  find("position").setAttribute("aria-valuetext", find("said").textContent);
  describe();
}

// A node that did not run, with what leads to it.
function drawIdle(element, id, idle) {
  if (element.classList.contains("idle") === idle) return;
  mark(element, "idle", idle);
  for (const by of page.nodes[id].takes) for (const path of between(by, id)) mark(path, "off", idle);
}

function drawChoices() {
  if (!live) return;
  for (const [id, [condition, yes, no]] of Object.entries(page.choices)) {
    if (valueOf(id) === undefined) continue;
    for (const path of between(yes, id)) mark(path, "off", slots[condition] !== true);
    if (no !== yes) for (const path of between(no, id)) mark(path, "off", slots[condition] !== false);
  }
  for (const id of Object.keys(page.branches)) {
    mark(find(id), "taken", !untaken.has(id));
    mark(find(id), "off", untaken.has(id));
  }
}

// What stands at the edges into a node: its local partials at this point.
function drawPartials() {
  if (!live) return;
  for (const [key, texts] of labels) {
    const [from, to] = key.split(" ");
    const slopes = page.nodes[to].slopes.filter((slope) => slope.by === from);
    if (slopes.length !== texts.length) continue;
    texts.forEach((text, k) => {
      const said = valueOf(to) === undefined ? slopes[k].formula : ruled(slopes[k], true, 6);
      text.textContent = [text.dataset.role, said].filter(Boolean).join(": ");
    });
  }
}

function clear(...words) {
  for (const word of words) for (const element of graph.querySelectorAll(`.${word}`)) element.classList.remove(word);
}

function drawStep(step) {
  clear("now", "from", "to", "flow");
  find("said").replaceChildren(...(step ? told(step) : [steps.length && !position ? "Nothing has run yet. Space plays, → takes one step." : done()]));
  if (!step) return;
  follow(step.to ?? step.id);
  if (step.pass === "backward") {
    find(step.from)?.classList.add("from");
    find(step.to).classList.add("to");
    for (const path of between(step.to, step.from)) path.classList.add("flow");
  } else {
    find(step.id).classList.add("now");
    if (step.pass === "forward") for (const rule of page.nodes[step.id].takes) for (const path of between(rule, step.id)) path.classList.add("now");
  }
}

function drawResults() {
  find("results").parentElement.hidden = !page.results.length;
  find("results").replaceChildren(
    ...page.results.map(([name, slot], k) => {
      const data = element("data", {}, show(slots[slot]));
      data.value = typeof slots[slot] === "number" ? String(slots[slot]) : slots[slot];
      data.dataset.name = k ? `d_${name}` : name;
      return row(k ? `gradient by ${name}` : name, data);
    }),
  );
}

// --- Words ---------------------------------------------------------------------------------------------------------

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const row = (name, ...value) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, ...value));

const called = (id) => page.nodes[id]?.called ?? "folded nodes";

function told(step) {
  const alike = steps.filter((other) => other.pass === step.pass);
  const number = `${alike.indexOf(step) + 1} of ${alike.length}`;
  const [place, words] = {
    forward: () => [`Forward ${number}`, forwardWords(step)],
    seed: () => ["Backward pass", seedWords(step)],
    backward: () => [`Backward ${number}`, backwardWords(step)],
  }[step.pass]();
  return [element("b", {}, `${place}: `), words];
}

function done() {
  if (!steps.length) return "";
  return `${page.seed ? "Both passes have" : "The forward pass has"} run: ${steps.length} steps. Space plays them, ← and → go step by step.`;
}

const forwardWords = (step) => `${called(step.id)} is ${show(valueOf(step.id), 6)}`;
const seedWords = (step) => `it starts at the result: the gradient of ${called(step.id)} by itself is 1`;

function backwardWords(step) {
  const [from, to] = [called(step.from), called(step.to)];
  if (off(step)) return `${to} was not selected: ${from} hands nothing on to it`;
  const amount = show(slots[step.amount], 6);
  const rules = page.nodes[step.from]?.slopes.filter((slope) => slope.by === step.to) ?? [];
  const passed = sums(steps.indexOf(step));
  const [given, before] = [passed.get(step.from), passed.get(step.to)];
  const slope = rules.length === 1 ? slots[rules[0].slot] : undefined;
  const known = Math.abs(given * slope - slots[step.amount]) <= 1e-9 * Math.abs(slots[step.amount]);
  const product = known ? `${show(given, 6)} × ${show(slope, 6)} = ${amount}` : amount;
  const sum = before === undefined ? "" : `; its gradient is ${show(before, 6)} ${signed(amount)} = ${show(slots[step.total], 6)} now`;
  return `${from} hands ${product} to ${to}${sum}`;
}

// What is known of the node that is pointed at, pinned, or at work.
function describe() {
  const step = steps[position - 1];
  const id = pointed ?? pinned ?? (step && !looking ? step.to ?? step.id : null);
  clear("lit");
  light(id ? page.nodes[id]?.span : null);
  if (!id || !page.nodes[id]) {
    find("about-title").textContent = "Node";
    find("about").replaceChildren(element("p", { class: "quiet" }, "Point at a node, or press Tab."));
    return;
  }
  find(id).classList.add("lit");
  for (const by of page.nodes[id].takes) for (const path of between(by, id)) path.classList.add("lit");
  find("about-title").textContent = page.nodes[id].title;
  find("about").replaceChildren(...about(id));
}

function about(id) {
  const node = page.nodes[id];
  const rows = [];
  const ran = page.nodes[node.unit ?? id] !== undefined && valueOf(node.unit ?? id) !== undefined;
  if (node.text) rows.push(row("computes", element("code", {}, node.text)));
  if (node.shape) rows.push(row("shape", node.shape.replace(/\bshape /, "")));
  if (node.value !== undefined) rows.push(row("value", ran ? show(valueOf(id)) : "not run"));
  const passed = sums(position);
  const given = passed.get(node.unit ?? id);
  if (node.moves && page.seed && node.value !== undefined || given !== undefined) rows.push(row("gradient", given !== undefined ? show(given) : ran && position < steps.length ? "not yet" : "not run"));
  for (const slope of node.slopes) rows.push(row(`∂/∂ ${called(slope.by)}`, ruled(slope, ran, page.digits)));
  const shares = steps.slice(0, position).filter((step) => step.pass === "backward" && step.to === id);
  for (const share of shares) rows.push(row(`from ${called(share.from)}`, off(share) ? "nothing, since it was not selected" : signed(show(slots[share.amount]))));
  return [element("table", {}, ...rows)];
}

const TIE = /^1 if (.+) [<>] (.+) else 0$/; // what a largest or least one hands on, but for a tie

// A local partial as a formula and its value; of a node that did not run the formula alone.
function ruled({ formula, slot }, ran, digits) {
  const number = slots[slot];
  const value = ran && slot !== undefined ? show(number, digits) : "";
  const tie = value && number > 0 && number < 1 && formula.match(TIE);
  if (tie) return `${value} where ${tie[1]} == ${tie[2]}`;
  return [formula === value ? "" : formula, value].filter(Boolean).join(" = ") || "not run";
}

// The piece of the program that a node came from.
function light(span) {
  const source = find("source");
  if (!span) return source.replaceChildren(page.source);
  const letters = [...page.source];
  const piece = (from, to) => letters.slice(from, to).join("");
  const lit = element("mark", {}, piece(...span));
  source.replaceChildren(piece(0, span[0]), lit, piece(span[1]));
  const [above, below] = [lit.offsetTop - source.offsetTop < source.scrollTop, lit.offsetTop - source.offsetTop > source.scrollTop + source.clientHeight - 20];
  if (above || below) source.scrollTop = lit.offsetTop - source.offsetTop - 20;
}

// --- Playing -------------------------------------------------------------------------------------------------------

function go(to, whole = false) {
  position = Math.max(0, Math.min(steps.length, to));
  looking = whole || position === 0;
  draw();
}

function pause() {
  clearInterval(timer);
  timer = null;
  sayPlaying();
}

function play() {
  if (timer !== null) return pause();
  if (position === steps.length) go(0);
  timer = setInterval(() => (position < steps.length ? go(position + 1) : pause()), Number(find("speed").value));
  sayPlaying();
}

function sayPlaying() {
  const button = document.querySelector("[data-go=play]");
  button.textContent = timer === null ? "▶ Play" : "⏸ Pause";
  button.setAttribute("aria-label", timer === null ? "Play" : "Pause");
}

function leave() {
  pause();
  pinned = pointed = null;
  document.activeElement?.blur();
  go(steps.length, true);
}

const GO = {
  first: () => (pause(), go(0)),
  back: () => (pause(), go(position - 1)),
  next: () => (pause(), go(position + 1)),
  last: () => (pause(), go(steps.length, true)),
  play,
};
const KEYS = {
  " ": "play", ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back", Home: "first", End: "last",
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return leave();
  if (event.target.closest("input, select, textarea")) return;
  const node = event.target.closest(".node");
  if (node && event.key === "Enter") return pin(node.id);
  if (event.target.closest("button") && event.key === " ") return;
  if (event.key in ZOOM) ZOOM[event.key]();
  else if (event.key in KEYS) GO[KEYS[event.key]]();
  else return;
  event.preventDefault();
});
document.querySelector("#player").addEventListener("click", (event) => GO[event.target.closest("[data-go]")?.dataset.go]?.());
find("position").addEventListener("input", (event) => (pause(), go(Number(event.target.value))));
find("speed").addEventListener("change", () => timer !== null && (pause(), play()));

// --- Pointing, panning and zooming ---------------------------------------------------------------------------------

function pin(id) {
  pinned = pinned === id ? null : id;
  describe();
}

function point(event) {
  const id = event.target.closest?.(".node")?.id ?? null;
  if (id === pointed || drag) return;
  pointed = id;
  describe();
}

const view = { scale: 1, x: 0, y: 0 };
let drag = null;

function look() {
  find("view").style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
}

// A place on the screen in the units of the picture.
function place(event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.getScreenCTM().inverse());
}

function zoom(factor, { x, y }) {
  const scale = Math.max(0.2, Math.min(200, view.scale * factor));
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  look();
}

const middle = () => ({ x: graph.viewBox.baseVal.width / 2, y: graph.viewBox.baseVal.height / 2 });

// Pixels to a unit of the picture, all of it shown.
function whole() {
  const { width, height } = graph.viewBox.baseVal;
  const box = graph.getBoundingClientRect();
  return Math.min(box.width / width, box.height / height);
}

// All of it, but never larger than life by much.
function fit() {
  Object.assign(view, { scale: 1, x: 0, y: 0 });
  zoom(Math.min(1, 1.5 / whole()), middle());
}

function centre(id) {
  const { e, f } = find(id).transform.baseVal[0].matrix;
  const { x, y } = middle();
  Object.assign(view, { x: x - e * view.scale, y: y - f * view.scale });
  look();
}

// Move what is at work into the picture.
function follow(id) {
  const [node, box] = [find(id).getBoundingClientRect(), graph.getBoundingClientRect()];
  if (node.left < box.left || node.right > box.right || node.top < box.top || node.bottom > box.bottom) centre(id);
}

// What would be too small to read begins at the result.
function start() {
  fit();
  const result = page.seed ?? page.forward.at(-1);
  if (whole() > 0.35 || !result) return;
  zoom(0.8 / whole(), middle());
  centre(result);
}

const ZOOM = { "+": () => zoom(1.25, middle()), "=": () => zoom(1.25, middle()), "-": () => zoom(0.8, middle()), 0: fit };

find("zoom").addEventListener("click", (event) => ({ in: ZOOM["+"], out: ZOOM["-"], fit })[event.target.closest("[data-zoom]")?.dataset.zoom]?.());
graph.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), place(event));
}, { passive: false });
graph.addEventListener("pointerover", point);
graph.addEventListener("pointerleave", () => ((pointed = null), describe()));
graph.addEventListener("focusin", point);
graph.addEventListener("focusout", () => ((pointed = null), describe()));
graph.addEventListener("click", (event) => {
  const node = event.target.closest(".node");
  if (node) pin(node.id);
});
graph.addEventListener("pointerdown", (event) => {
  if (event.button || event.target.closest(".node")) return;
  drag = { at: place(event), x: view.x, y: view.y };
  graph.setPointerCapture(event.pointerId);
  graph.classList.add("dragging");
});
graph.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const now = place(event);
  Object.assign(view, { x: drag.x + now.x - drag.at.x, y: drag.y + now.y - drag.at.y });
  look();
});
for (const end of ["pointerup", "pointercancel"]) graph.addEventListener(end, () => ((drag = null), graph.classList.remove("dragging")));
window.addEventListener("resize", () => view.scale <= 1 && fit());

// --- Inputs --------------------------------------------------------------------------------------------------------

function change(k, value) {
  inputs[k] = value;
  compute();
  draw();
}

function makeInput(input, k) {
  const label = element("label", { for: `input-${k}` }, input.name);
  if (!live || input.text !== undefined) return element("div", { class: "input" }, label, element("span", {}), element("span", { class: "number" }, input.text ?? show(input.value)));
  if (typeof input.value === "boolean") return makeCheck(input, k, label);
  const slider = element("input", { type: "range", id: `input-${k}`, min: input.low, max: input.high, step: input.step });
  const text = element("input", { type: "text", inputmode: "decimal", "aria-label": `${input.name}, as a number`, value: show(input.value, 17) });
  const wrong = element("p", { class: "wrong", role: "alert", id: `wrong-${k}` });
  text.setAttribute("aria-describedby", wrong.id);
  slider.value = input.value;
  slider.addEventListener("input", () => {
    text.value = slider.value;
    text.setAttribute("aria-invalid", false);
    wrong.textContent = "";
    change(k, Number(slider.value));
  });
  text.addEventListener("input", () => {
    const value = read(text.value);
    text.setAttribute("aria-invalid", value === undefined);
    wrong.textContent = value === undefined ? refused(input.name, text.value) + show(inputs[k], 17) : "";
    if (value === undefined) return;
    if (Number.isFinite(value)) {
      slider.min = Math.min(slider.min, value);
      slider.max = Math.max(slider.max, value);
      slider.value = value;
    }
    change(k, value);
  });
  return element("div", { class: "input" }, label, slider, text, wrong);
}

function makeCheck(input, k, label) {
  const box = element("input", { type: "checkbox", id: `input-${k}` });
  box.checked = input.value;
  box.addEventListener("change", () => change(k, box.checked));
  return element("div", { class: "input" }, label, box);
}

function makeInputs() {
  for (const [k, input] of page.inputs.entries()) {
    if (input.value === "NaN" || input.value === "inf" || input.value === "-inf") inputs[k] = input.value = read(input.value);
  }
  const made = page.inputs.map(makeInput);
  if (live && made.length) {
    const reset = element("button", { type: "button", id: "reset" }, "As given");
    reset.addEventListener("click", () => {
      page.inputs.forEach((input, k) => (inputs[k] = input.value));
      find("inputs").replaceChildren();
      makeInputs();
      compute();
      draw();
    });
    made.push(reset);
  }
  find("inputs").append(...made);
  find("given").hidden = !made.length && !find("why").textContent;
}

// --- Start ---------------------------------------------------------------------------------------------------------

makeInputs();
compute();
start();
go(steps.length, true);
find("controls").hidden = !steps.length;
