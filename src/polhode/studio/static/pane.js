"use strict";
// One run beside its method: the motion, what was conserved, and figures.

const HEADINGS = ["quantity", "first value", "worst deviation", "relative", "slope"];

class Pane {
  constructor(parent, index, ask, changed, moved) {
    this.index = index;
    this.moved = moved; // called with this pane when its view is played or set to another time
    this.ask = ask;
    this.changed = changed; // called when the method or the step is another
    this.root = make("article", parent, { className: "pane" });
    this.how = make("div", this.root, { className: "how" });
    this.status = make("div", this.root, { className: "status" });
    this.status.setAttribute("role", "status");
    this.stage = make("div", this.root, { className: "stage" });
    this.said = make("p", this.root, { className: "said" });
    this.table = make("table", this.root);
    this.figures = make("div", this.root, { className: "figures" });
    this.view = null;
    this.job = 0;
    this.running = false;
  }

  // ---- method and step -------------------------------------------------------------------------------------------
  setUp(form, chosen) { // `chosen`: a method's table, or null for the scenario's own
    this.form = form;
    const table = chosen || form.method, list = (this.method = document.createElement("select"));
    this.how.replaceChildren(list);
    list.className = "method";
    list.setAttribute("aria-label", "method");
    const byStep = form.step !== null;
    make("option", list, { value: "", textContent: "chosen for the tolerance", hidden: byStep });
    for (const { name, summary } of form.methods) make("option", list, { value: name, textContent: name, title: summary });
    list.value = table.type || (byStep ? "LGVI" : "");
    this.extent = make("select", this.how, { className: "extent" });
    this.extent.setAttribute("aria-label", "step or tolerance");
    for (const name of ["step", "tolerance"]) make("option", this.extent, { value: name, textContent: name });
    this.extent.value = byStep ? "step" : "tolerance";
    this.amount = make("input", this.how, { type: "text", className: "amount", value: byStep ? form.step : form.tolerance ?? 1e-9 });
    this.amount.setAttribute("aria-label", "its value");
    this.options = make("div", this.how, { className: "options" });
    this.showOptions(table);
    list.addEventListener("change", () => { this.showOptions({}); this.changed(); });
    this.amount.addEventListener("change", () => this.changed());
    this.extent.addEventListener("change", () => {
      const step = this.extent.value === "step";
      list.options[0].hidden = step;
      if (step && !list.value) list.value = "LGVI";
      if (!step) list.value = "";
      this.amount.value = step ? form.step ?? 0.01 : form.tolerance ?? 1e-9;
      this.showOptions({});
      this.changed();
    });
  }
  showOptions(table) {
    this.options.replaceChildren();
    const method = this.form.methods.find(({ name }) => name === this.method.value);
    for (const { key, default: usual, choices } of method ? method.options : []) {
      const label = make("label", this.options, { textContent: key + " " }), value = table[key] ?? usual;
      const box = choices.length ? make("select", label) : make("input", label, { type: "text", value: value ?? "", placeholder: "default" });
      choices.forEach((x) => make("option", box, { value: typeof x === "string" ? quoted(x) : x, textContent: x, selected: x === value }));
      Object.assign(box, { name: key });
      box.dataset.usual = choices.length ? box.value && String(typeof usual === "string" ? quoted(usual) : usual) : usual ?? "";
      box.addEventListener("change", () => this.changed());
    }
  }
  changes() { // of the scenario: the method and how it steps
    const found = [[["method"], ""]], step = this.extent.value === "step";
    if (this.method.value) {
      found.push([["method", "type"], quoted(this.method.value)]);
      for (const box of this.options.querySelectorAll("input, select"))
        if (box.value !== box.dataset.usual) found.push([["method", box.name], box.value]);
    }
    found.push([["run", "step"], step ? this.amount.value : ""], [["run", "tolerance"], step ? "" : this.amount.value]);
    if (!step) found.push([["run", "save_every"], ""]);
    return found;
  }

  // ---- a run -----------------------------------------------------------------------------------------------------
  async run(text, changes) {
    this.running = true;
    const began = performance.now();
    this.say("starting …");
    const ticking = setInterval(() => this.tick(began), 500);
    try {
      const { job } = await this.ask("run", { pane: this.index, text, changes: [...changes, ...this.changes()] });
      this.job = job;
      for (let after = 0, ended = false; !ended;) {
        const news = await this.ask("news", { pane: this.index, job, after });
        if (this.job !== job) return;
        news.messages.forEach((message) => this.take(message));
        after += news.messages.length;
        ended = news.ended;
      }
      if (this.waiting) this.say("");
    } catch (error) {
      this.fail(error.message);
    } finally {
      clearInterval(ticking);
      this.running = false;
    }
  }
  tick(began) {
    const seconds = Math.round((performance.now() - began) / 1000);
    if (this.waiting && seconds >= 1)
      this.say(`running for ${seconds} s${seconds > 4 ? " (what runs for the first time is compiled first)" : ""} …`);
  }
  say(text) { this.waiting = text !== "" ; Object.assign(this.status, { textContent: text, className: "status" }); }
  fail(message) { this.waiting = false; Object.assign(this.status, { textContent: message, className: "status wrong" }); this.failed = true; this.root.classList.add("stale"); }
  take(message) {
    if (message.kind === "plan") { this.failed = false; this.figures.replaceChildren(); }
    if (message.kind === "failed") this.fail(message.message);
    if (message.kind === "motion") this.showMotion(message);
    if (message.kind === "figure") {
      const figure = make("figure", this.figures);
      make("img", figure, { alt: message.caption, src: "data:image/png;base64," + message.png });
      make("figcaption", figure, { textContent: message.caption });
    }
  }
  showMotion(message) {
    this.root.classList.remove("stale");
    const kept = this.view ? this.view.keep() : {};
    if (this.view) this.view.close();
    this.view = null;
    if (!this.failed) this.say("");
    this.waiting = false;
    if (!this.failed) this.status.textContent = `${message.headline}: ${message.cost}`;
    this.stage.replaceChildren();
    if (message.scene) {
      const box = make("div", this.stage, { className: "polhode-view" });
      this.view = polhodeView(box, message.scene, kept);
      box.addEventListener("polhode-moved", (e) => this.moved(this, e.detail));
    } else make("p", this.stage, { textContent: message.note });
    this.said.textContent = [...message.notes, message.scene ? message.note : ""].join(" ");
    this.table.replaceChildren();
    const head = make("tr", make("thead", this.table)), body = make("tbody", this.table);
    HEADINGS.forEach((name) => make("th", head, { textContent: name }));
    for (const row of message.conserved) {
      const line = make("tr", body, { title: row.meaning });
      HEADINGS.forEach((name) => make("td", line, { textContent: row[name] }));
    }
  }
  async stop() { await this.ask("stop", { pane: this.index }); }
  close() { if (this.view) this.view.close(); this.job = 0; this.root.remove(); }
}
