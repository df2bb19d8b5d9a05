// Shows a scene of polhode: polhodeView(element). The element holds the scene as JSON (see view/html/page.py), or it is given.
// Drag rotates, Shift-drag or the right button pans, the wheel or two fingers zoom; "?" shows the keys.

const AXES = ["#D55E00", "#009E73", "#0072B2"], UNITS = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const SPEEDS = [0.125, 0.25, 0.5, 1, 2, 4, 8, 16];
const SUNS = { "+x": [1, 0, 0], "−x": [-1, 0, 0], "+y": [0, 1, 0], "−y": [0, -1, 0], "+z": [0, 0, 1], "−z": [0, 0, -1] };
const KEYS = [["Space", "play, pause"], ["← →", "one frame back, forward"], ["Home End", "start, end"], ["+ −", "faster, slower"],
  ["1 … 9", "follow a body; again: turn with it"], ["0", "follow nothing"], ["L", "next light"], ["R", "reset the camera"],
  ["P", "save a picture"], ["?", "show or hide this"], ["drag", "rotate; with Shift: move; wheel: zoom"]];

function make(kind, parent, properties = {}) { return parent.appendChild(Object.assign(document.createElement(kind), properties)); }

// `kept` is what `keep()` of an earlier view returned: the new one begins with its camera, light and time.
function polhodeView(root, given = null, kept = {}) {
  const scene = given || JSON.parse(root.querySelector("script").textContent);
  const marks = scene.marks || [];
  for (const owner of [scene, ...scene.objects, ...scene.arrows, ...marks])
    for (const name of ["position", "q", "start", "vector", "centre", "radius", "semiaxes"])
      if (typeof owner[name] === "string") owner[name] = unpack(owner[name], Float32Array);
  const timeline = new Timeline(unpack(scene.t, Float64Array), scene.interpolated), { frames, s } = timeline;

  // ---- the page ----------------------------------------------------------------------------------------------------
  const canvas = make("canvas", root), labels = new Labels(make("div", root, { className: "labels" }));
  canvas.setAttribute("aria-label", "moving scene: " + scene.title);
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
  const top = make("div", root, { className: "top" }), title = make("div", top, { className: "title" });
  make("b", title, { textContent: scene.title });
  make("span", title, { textContent: scene.note });
  if (!gl) { make("p", root, { className: "failed", textContent: "The view needs WebGL 2, which this browser does not support." }); return null; }
  const graphics = new Graphics(gl);
  const legend = make("div", top, { className: "legend" }), entries = new Map();
  const entry = (name, colour, kind) => {
    if (!name || entries.has(name)) return;
    entries.set(name, colour);
    const line = make("div", legend);
    make("i", line, { className: kind }).style.background = colour;
    make("span", line, { textContent: name });
  };
  for (const item of scene.objects) entry(item.name, item.colour, "dot");
  for (const arrow of scene.arrows) entry(arrow.name, arrow.colour, "line");
  if (scene.objects.some((item) => item.axis_lengths)) AXES.forEach((colour, i) => entry("axis " + (i + 1), colour, "line"));

  for (const item of scene.objects) {
    const points = unpack(item.vertices, Float32Array);
    item.mesh = graphics.mesh(points, unpack(item.faces, Uint32Array));
    item.paint = item.colours.map(([colour, faces]) => [rgb(colour), faces]);
    item.size = points.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    item.trailing = item.trail_point && frames > 1 && scene.interpolated;
  }
  const choices = followed(scene, timeline);

  const bar = make("div", root, { className: "controls" }), first = make("div", bar), second = make("div", bar);
  const button = (parent, text, className, action) => {
    const made = make("button", parent, { type: "button", textContent: text, className });
    made.addEventListener("click", action);
    return made;
  };
  const play = button(first, "", "play", () => start(!playing));
  const slider = make("input", first, { type: "range", min: 0, max: 1, step: "any", value: 0 });
  slider.setAttribute("aria-label", "time");
  const clock = make("output", first);
  const select = (parent, name, options, chosen, label) => {
    const box = label ? make("label", parent, { textContent: label }) : parent;
    const made = make("select", box, { className: name });
    made.setAttribute("aria-label", label || name);
    options.forEach(([value, text]) => make("option", made, { value, textContent: text, selected: value === chosen }));
    made.addEventListener("change", () => { root.focus({ preventScroll: true }); redraw(); }); // keys are the view's again
    return made;
  };
  if (scene.whole) { // a server shows any part of the run
    const part = make("span", first, { className: "part" }), asked = new URLSearchParams(location.search);
    const boxes = ["from", "to"].map((name, i) => {
      const box = make("input", make("label", part, { textContent: name }), { type: "text", name, value: asked.get(name) || "", placeholder: scene.whole[i] });
      box.addEventListener("change", () => { location.search = new URLSearchParams(boxes.filter((b) => b.value.trim()).map((b) => [b.name, b.value.trim()])); });
      return box;
    });
  }
  const speed = select(first, "speed", SPEEDS.map((x) => [x, x + "×"]), kept.speed || 1);
  const follow = select(second, "follow", choices.map((choice, i) => [i, choice.name]), Math.max(0, choices.findIndex((c) => c.name === kept.follow)), "follow");
  follow.parentNode.hidden = choices.length < 2;
  let sunHere = kept.sunHere || null;
  const lights = [["camera", "from the viewer"], ...Object.keys(SUNS).map((name) => [name, "Sun in " + name]), ["here", "Sun behind me now"]];
  const light = select(second, "light", lights, kept.light || "camera", "light");
  light.addEventListener("change", () => { if (light.value === "here") sunHere = null; });
  const toggle = (name, has) => {
    const label = make("label", second, { hidden: !has }), box = make("input", label, { type: "checkbox", checked: has && !(kept.off || []).includes(name), name });
    label.append(name);
    box.addEventListener("change", redraw);
    return box;
  };
  const showAxes = toggle("axes", scene.objects.some((item) => item.axis_lengths));
  const showArrows = toggle("vectors", scene.arrows.length > 0);
  const showTrails = toggle("trails", scene.objects.some((item) => item.trailing));
  const showMarks = marks.length ? toggle("uncertainty", true) : { checked: false };
  make("span", second, { className: "gap" });
  button(second, "reset view", "reset", () => reset());
  button(second, "picture", "picture", () => savePicture());
  button(second, "?", "keys", () => { help.hidden = !help.hidden; });
  const help = make("dl", root, { className: "help", hidden: true });
  for (const [key, action] of KEYS) { make("dt", help, { textContent: key }); make("dd", help, { textContent: action }); }

  // ---- drawing -----------------------------------------------------------------------------------------------------
  const camera = new Camera(scene.view_direction);
  Object.assign(camera, kept.camera);
  let now = kept.now || 0, playing = false, wanted = false, last = 0, trailsFor = null, closed = false, told = false;
  const bodies = scene.objects.filter((item) => item.axis_lengths && item.name);
  const labelled = new Set(bodies.map((item) => row(item.position, 0, 3).join())).size > 1 ? bodies : [];

  const digits = Math.max(0, 4 - Math.ceil(Math.log10(Math.abs(timeline.t[0]) + Math.abs(timeline.span))));
  const timeText = (time) => scene.clock?.seconds ? clockText(scene.clock, time) : "t = " + Number(time.toPrecision(5)).toFixed(Math.min(digits, 20));
  function chooseTrails(choice) { // those in the frame that is followed
    if (trailsFor === choice) return;
    trailsFor = choice;
    for (const item of scene.objects) if (item.trailing) item.trail = graphics.trail(item, timeline, choice.frame);
  }
  function draw(clockTime) {
    wanted = false;
    if (closed) return;
    if (playing) {
      const done = Math.min(0.1, (clockTime - (last || clockTime)) / 1000);
      now = (now + (done * speed.value) / scene.playback_seconds) % 1;
      last = clockTime;
      redraw();
    }
    paint();
  }
  function paint() {
    slider.value = now;
    const where = timeline.at(now), choice = choices[follow.value];
    clock.value = timeText(timeline.time(where));
    const ratio = window.devicePixelRatio || 1, page = [canvas.clientWidth || 1, canvas.clientHeight || 1], size = page.map((x) => Math.max(1, Math.round(x * ratio)));
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const raised = Math.min(0.4, (bar.offsetHeight + 16) / page[1]); // above the controls
    const seen = camera.seen(choice, where, page, raised), dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const poses = scene.objects.map((item) => [between(item.position, where, 3), between(item.q, where, 4)]);
    const shapes = () => scene.objects.forEach((item, i) => graphics.put(item.mesh, item.paint, ...poses[i]));
    if (light.value !== "camera") {
      sunHere = sunHere || seen.back;
      seen.light = light.value === "here" ? sunHere : SUNS[light.value];
      seen.sunView = fromTheSun(seen.light, scene.objects.map((item, i) => [poses[i][0], 2 * item.size]));
      graphics.castShadows(seen.sunView, shapes);
    }
    graphics.begin(size, seen);
    shapes();
    if (seen.sunView) { // arrows neither cast shadows nor lie in them
      graphics.set(graphics.solid, { sun: false, light: add(add(seen.back, seen.right, -0.45), seen.up, 0.55) });
    }
    const thin = 1.1 * seen.pixel, texts = [];
    scene.objects.forEach((item, i) => {
      const [at, q] = poses[i];
      if (item.axis_lengths && showAxes.checked)
        UNITS.forEach((e, j) => graphics.putArrow(rgb(AXES[j]), at, rotate(q, e.map((x) => x * item.axis_lengths[j])), Math.min(1.5 * thin, 0.05 * item.size)));
      if (labelled.includes(item)) texts.push({ text: item.name, at: onScreen(seen, at), gap: 4 + Math.min(80, (1.1 * item.size) / seen.pixel) });
    });
    if (showAxes.checked) UNITS.forEach((e, i) => { // the axes of space
      graphics.putArrow([0.7, 0.73, 0.77], seen.centre, e.map((x) => 0.8 * seen.radius * x), 0.6 * thin);
      texts.push({ text: "xyz"[i], at: onScreen(seen, add(seen.centre, e, 0.83 * seen.radius)), gap: 1, faint: true });
    });
    if (showArrows.checked) for (const arrow of scene.arrows)
      graphics.putArrow(rgb(arrow.colour), between(arrow.start, where, 3), between(arrow.vector, where, 3), 2 * thin);
    if (showMarks.checked) graphics.putMarks(marks.map((mark) =>
      [rgb(mark.colour), between(mark.position, where, 3), between(mark.q, where, 4), between(mark.semiaxes, where, 3)]));
    if (showTrails.checked) {
      chooseTrails(choice);
      graphics.beginTrails({ view: seen.view, shift: seen.frame[0], q: seen.frame[1], pixels: size, now,
        span: Math.max(1e-6, Math.abs(scene.trail_duration / timeline.span)), width: 1.8 * ratio });
      for (const item of scene.objects) if (item.trailing) graphics.putTrail(item.trail, rgb(item.colour).map((x) => (dark ? 1 : 0.8) * x));
    }
    labels.place(texts, [title, legend, bar].map((part) => boxOf(part)), page);
    return seen;
  }
  function boxOf(part) {
    const outer = root.getBoundingClientRect(), r = part.getBoundingClientRect();
    return [r.left - outer.left, r.top - outer.top, r.right - outer.left, r.bottom - outer.top];
  }
  function redraw() { if (!wanted) { wanted = true; requestAnimationFrame(draw); } }

  // ---- what a user does ---------------------------------------------------------------------------------------------
  function start(yes, at = now) {
    playing = yes && frames > 1;
    now = Math.min(1, Math.max(0, at));
    last = 0;
    play.textContent = playing ? "❚❚ pause" : "▶ play";
    tell();
    redraw();
  }
  function tell() { if (!told) root.dispatchEvent(new CustomEvent("polhode-moved", { detail: { now, playing, speed: speed.value } })); }
  const go = (to) => start(false, to);
  const step = (by) => go(s[Math.min(frames - 1, Math.max(0, timeline.at(now)[0] + by))]);
  const shift = (box, by) => { box.selectedIndex = Math.min(box.length - 1, Math.max(0, box.selectedIndex + by)); tell(); redraw(); };
  function reset() { camera.reset(); follow.value = 0; redraw(); }
  function followBody(body) {
    const fitting = choices.map((choice, i) => i).filter((i) => choices[i].body === body);
    if (!fitting.length) return;
    follow.value = fitting[(fitting.indexOf(Number(follow.value)) + 1) % fitting.length];
    redraw();
  }
  function nextLight() {
    light.selectedIndex = (light.selectedIndex + 1) % light.length;
    light.dispatchEvent(new Event("change"));
  }
  function savePicture() {
    paint(); // the drawing is read in the same turn, before the browser clears it
    const made = pictureOf(root, canvas, labels.placed, scene.title, [...entries], clock.value);
    made.toBlob((file) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: "polhode.png" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    }, "image/png");
  }
  slider.addEventListener("input", () => go(Number(slider.value)));
  const fingers = new Map();
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, e); root.focus({ preventScroll: true }); });
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (e) => fingers.delete(e.pointerId));
  canvas.addEventListener("pointermove", (e) => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    const [dx, dy] = [e.clientX - before.clientX, e.clientY - before.clientY];
    if (fingers.size > 1) {
      const other = [...fingers.values()].find((f) => f.pointerId !== e.pointerId);
      const far = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY) || 1;
      camera.nearer(far(before) / far(e));
    } else if (e.shiftKey || e.buttons === 2) camera.move(dx, dy, paint());
    else camera.turn(dx, dy);
    fingers.set(e.pointerId, e);
    redraw();
  });
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); camera.nearer(Math.exp(0.0012 * e.deltaY)); redraw(); }, { passive: false });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  root.tabIndex = 0;
  const actions = { " ": () => start(!playing), ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => go(0), End: () => go(1),
    "+": () => shift(speed, 1), "=": () => shift(speed, 1), "-": () => shift(speed, -1), r: reset, p: savePicture, l: nextLight,
    0: () => { follow.value = 0; redraw(); }, "?": () => { help.hidden = !help.hidden; }, Escape: () => { help.hidden = true; } };
  root.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key, own = e.target.closest("select, button, input[type=checkbox], input[type=text]");
    const action = key >= "1" && key <= "9" && key.length === 1 ? () => followBody(key - 1) : actions[key];
    if (!action || (own && (key === " " || own.tagName === "SELECT" || own.type === "text"))) return; // which a control has its own use for
    e.preventDefault();
    action();
  });
  new ResizeObserver(redraw).observe(root);
  if (root.parentNode === document.body) root.focus({ preventScroll: true }); // a page of its own: keys work at once
  start(kept.playing ?? !window.matchMedia("(prefers-reduced-motion: reduce)").matches);
  speed.addEventListener("change", tell);
  return {
    move: (to) => { told = true; speed.value = to.speed; start(to.playing, to.now); told = false; }, // as another view was moved
    keep: () => ({ camera: { ...camera }, follow: choices[follow.value].name, light: light.value, sunHere, now, playing, speed: Number(speed.value),
      off: [showAxes, showArrows, showTrails].filter((box) => !box.checked && !box.parentNode.hidden).map((box) => box.name) }),
    close: () => { closed = true; gl.getExtension("WEBGL_lose_context")?.loseContext(); root.replaceChildren(); },
  };
}
