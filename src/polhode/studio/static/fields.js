"use strict";
// The fields of a form: each tells `change(place, text)`, with the text of a TOML value; an empty text removes the entry.

function make(kind, parent, properties = {}) { return parent.appendChild(Object.assign(document.createElement(kind), properties)); }

const quoted = (text) => JSON.stringify(text);
const shortNumber = (x) => String(Number(x.toPrecision(12)));

// From where to where a slider goes: about twice the number on both sides; quantities of a system keep their sign.
function sliderRange(value, scale, signed) {
  const size = 2 * (Math.abs(value) || scale || 1);
  return signed || value === 0 ? [-size, size] : value > 0 ? [0, size] : [-size, 0];
}

// A number with a slider. `tell(text, done)`: done is false while a slider moves.
function numberField(parent, label, value, scale, signed, whole, tell) {
  const line = make("div", parent, { className: "number" });
  const text = make("input", line, { type: "text", inputMode: "decimal", value: shortNumber(value) });
  const slider = make("input", line, { type: "range", step: "any" });
  for (const box of [text, slider]) box.setAttribute("aria-label", label);
  const fit = (x) => {
    const [low, high] = sliderRange(x, scale, signed);
    Object.assign(slider, { min: low, max: high });
    slider.value = x;
  };
  const steps = () => (slider.max - slider.min) / 400;
  fit(value);
  slider.addEventListener("input", () => {
    const rounded = Math.round(slider.value / steps()) * steps();
    text.value = shortNumber(whole ? Math.max(1, Math.round(rounded)) : Number(rounded.toPrecision(4)));
    tell(text.value, false);
  });
  slider.addEventListener("change", () => tell(text.value, true));
  text.addEventListener("change", () => {
    const x = Number(text.value);
    if (text.value.trim() && Number.isFinite(x)) fit(x);
    tell(text.value.trim(), true);
  });
}

function numbersField(parent, row, change) {
  const tell = (extra) => (text, done) => change([...row.place, ...extra], text, done);
  const signed = row.place[0] === "state", values = row.value;
  if (!Array.isArray(values)) return numberField(parent, row.label, values, 1, signed, row.whole, tell([]));
  const scale = Math.max(...values.flat(3).map(Math.abs));
  if (!Array.isArray(values[0])) return values.forEach((x, i) => numberField(parent, `${row.label}[${i}]`, x, scale, signed, row.whole, tell([i])));
  const grid = make("div", parent, { className: "matrix" });
  grid.style.gridTemplateColumns = `repeat(${values[0].length}, 1fr)`;
  const cell = (x, where) => {
    if (Array.isArray(x)) return x.forEach((y, i) => cell(y, [...where, i]));
    const box = make("input", grid, { type: "text", value: shortNumber(x) });
    box.setAttribute("aria-label", row.label + where.map((i) => `[${i}]`).join(""));
    box.addEventListener("change", () => tell(where)(box.value.trim(), true));
  };
  cell(values, []);
}

function field(parent, row, change) {
  if (row.kind === "table") {
    const set = make("fieldset", parent);
    make("legend", set, { textContent: row.label });
    row.rows.forEach((inner) => field(set, inner, change));
    return;
  }
  const box = make("div", parent, { className: "field" }), name = make("div", box, { className: "name" });
  make("b", name, { textContent: row.label });
  make("small", name, { textContent: row.kind === "fixed" ? row.value : row.description });
  if (row.kind === "fixed") return;
  if (row.place.length === 2) {
    const remove = make("button", name, { type: "button", className: "remove", textContent: "×", title: "leave it out" });
    remove.addEventListener("click", () => change(row.place, "", true, true));
  }
  if (row.kind === "numbers") return numbersField(box, row, change);
  if (row.kind === "choice" || row.kind === "switch") {
    const choices = row.kind === "switch" ? [true, false] : row.choices;
    const list = make("select", box);
    choices.forEach((x) => make("option", list, { textContent: x, value: quoted(x), selected: x === row.value }));
    list.setAttribute("aria-label", row.label);
    list.addEventListener("change", () => change(row.place, list.value, true));
    return;
  }
  const text = make("input", box, { type: "text", value: row.value });
  text.setAttribute("aria-label", row.label);
  text.addEventListener("change", () => change(row.place, text.value, true));
}

// All fields of a scenario; `change(place, text, done, again)`: again means that other fields are needed.
function showForm(parent, form, change) {
  parent.replaceChildren();
  for (const group of form.groups) {
    const set = make("fieldset", parent);
    make("legend", set, { textContent: group.name, title: group.description });
    group.rows.forEach((row) => field(set, row, change));
    if (!group.absent.length) continue;
    const add = make("label", set, { className: "add", textContent: "add " }), list = make("select", add);
    list.setAttribute("aria-label", `add to ${group.name}`);
    make("option", list, { value: "", textContent: "…" });
    group.absent.forEach(({ key, description }) => make("option", list, { value: key, textContent: key, title: description }));
    list.addEventListener("change", () => {
      const box = make("input", add, { type: "text", placeholder: `${list.value} = …` });
      box.focus();
      const key = list.value;
      list.disabled = true;
      box.addEventListener("change", () => change([group.name, key], box.value, true, true));
    });
  }
}
