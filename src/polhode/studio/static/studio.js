"use strict";
// The studio: a scenario and the changes to it on the left, one or two runs of it on the right.

const token = location.hash.slice(1), $ = (id) => document.getElementById(id);

async function ask(what, data = {}) {
  const answer = await fetch(`/api/${what}`, {
    method: "POST", headers: { "Content-Type": "application/json", "X-Polhode-Token": token }, body: JSON.stringify(data),
  }).catch(() => { throw new Error("the studio does not answer: is polhode studio still running?"); });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  let message = text;
  try { message = JSON.parse(text).error; } catch { /* a refusal in plain words */ }
  throw new Error(message.trim());
}

const studio = { text: "", changes: new Map(), form: null, panes: [], again: false, running: false };

function say(message) { Object.assign($("message"), { textContent: message, hidden: !message }); }
async function trying(action) {
  try { say(""); return await action(); } catch (error) { say(error.message); return null; }
}
const changes = () => [...studio.changes.values()];

// ---- the scenario ----------------------------------------------------------------------------------------------------
function use(form) { // a scenario that was opened or read
  Object.assign(studio, { form, text: form.text });
  studio.changes.clear();
  $("title").textContent = form.title;
  $("description").textContent = form.description;
  showForm($("form"), form, change);
  studio.panes.forEach((pane, i) => pane.setUp(form, i ? another(form) : null));
}
function change(place, text, done, again = false) {
  studio.changes.set(JSON.stringify(place), [place, text]);
  if (again) return trying(async () => { useKeeping(await ask("read", { text: studio.text, changes: changes() })); liveRun(); });
  if (done) liveRun();
  return null;
}
function useKeeping(form) { // other fields, the same methods
  Object.assign(studio, { form, text: form.text });
  studio.changes.clear();
  showForm($("form"), form, change);
}
function another(form) { // a method to compare with
  const own = form.method.type || "LGVI", names = form.methods.map(({ name }) => name);
  return { type: ["RK4", "LGVI", "QuaternionVI", ...names].find((name) => name !== own && names.includes(name)) };
}
async function open(name) {
  const form = await trying(() => ask("open", { name }));
  if (!form) return;
  studio.panes.forEach((pane) => { if (pane.view) pane.view.close(); pane.view = null; });
  use(form);
  await run();
}
function listScenarios(examples, files) {
  const list = $("source"), chosen = list.value;
  list.replaceChildren();
  const group = (label, entries) => {
    if (!entries.length) return;
    const made = make("optgroup", list, { label });
    entries.forEach(([value, textContent]) => make("option", made, { value, textContent }));
  };
  group("in this folder", files.map((name) => [name, name]));
  group("examples", examples);
  if (chosen) list.value = chosen;
}

// ---- running -----------------------------------------------------------------------------------------------------------
function liveRun() { if ($("live").checked) run(); }
async function run() {
  if (studio.running) { studio.again = true; return; } // with what is then the newest
  studio.running = true;
  $("stop").disabled = false;
  do {
    studio.again = false;
    say("");
    await Promise.all(studio.panes.map((pane) => pane.run(studio.text, changes())));
    const [first, ...others] = studio.panes.filter((pane) => pane.view);
    if (others.length) together(first, first.view.keep());
  } while (studio.again);
  studio.running = false;
  $("stop").disabled = true;
}
function together(moved, to) { studio.panes.forEach((pane) => { if (pane !== moved && pane.view) pane.view.move(to); }); }
function addPane() {
  const pane = new Pane($("panes"), studio.panes.length, ask, liveRun, together);
  studio.panes.push(pane);
  if (studio.form) pane.setUp(studio.form, studio.panes.length > 1 ? another(studio.form) : null);
}

// ---- the page -----------------------------------------------------------------------------------------------------------
$("run").addEventListener("click", () => run());
$("stop").addEventListener("click", () => { studio.again = false; trying(() => Promise.all(studio.panes.map((pane) => pane.stop()))); });
$("source").addEventListener("change", () => open($("source").value));
$("compare").addEventListener("change", () => {
  if ($("compare").checked) { addPane(); run(); } else studio.panes.pop().close();
});
$("show-text").addEventListener("click", () => trying(async () => {
  $("text").value = (await ask("read", { text: studio.text, changes: [...changes(), ...studio.panes[0].changes()] })).text;
  $("saved").textContent = "";
  $("text-dialog").showModal();
}));
$("close-text").addEventListener("click", () => $("text-dialog").close());
$("use-text").addEventListener("click", async () => {
  try {
    use(await ask("read", { text: $("text").value, changes: [] }));
    $("text-dialog").close();
    run();
  } catch (error) { $("saved").textContent = error.message; }
});
$("download").addEventListener("click", () => {
  const file = new Blob([$("text").value], { type: "text/plain" });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: $("file").value });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
});
$("save").addEventListener("click", async () => {
  try {
    const { saved, files } = await ask("save", { name: $("file").value, text: $("text").value, changes: [], overwrite: $("overwrite").checked });
    $("saved").textContent = `wrote ${saved}`;
    listScenarios(studio.examples, files);
  } catch (error) { $("saved").textContent = error.message; }
});

trying(async () => {
  const { examples, files, scenario } = await ask("start");
  studio.examples = examples.map(([name, title]) => [name, `${name}: ${title}`]);
  listScenarios(studio.examples, files);
  $("source").value = scenario;
  addPane();
  await open(scenario);
});
