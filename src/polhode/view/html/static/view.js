"use strict";
// Shows a scene of polhode in WebGL: polhodeView(element). The element holds the scene as JSON (see view/html/page.py).
// Drag rotates, Shift-drag or the right button pans, the wheel or two fingers zoom; space plays, arrow keys step.

function polhodeView(root) {
  const scene = JSON.parse(root.querySelector("script").textContent);

  // ---- numbers -----------------------------------------------------------------------------------------------------
  const unpack = (text, Kind) => new Kind(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const norm = (a) => Math.hypot(...a);
  const unit = (a) => { const n = norm(a) || 1; return a.map((x) => x / n); };
  const rotate = (q, v) => {
    const c = cross(q, v), u = add(c, v, q[3]);
    return add(v, cross(q, u), 2);
  };
  const fromZ = (v) => { // the quaternion that rotates the z axis to a unit vector
    return v[2] < -0.999999 ? [1, 0, 0, 0] : unit([-v[1], v[0], 0, 1 + v[2]]);
  };
  const multiply = (A, B) => { // 4 × 4, columns first
    const C = new Float32Array(16);
    for (let j = 0; j < 4; j++) for (let i = 0; i < 4; i++) for (let k = 0; k < 4; k++) C[4 * j + i] += A[4 * k + i] * B[4 * j + k];
    return C;
  };
  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);

  // ---- time: s runs from 0 to 1 ------------------------------------------------------------------------------------
  const t = unpack(scene.t, Float64Array), frames = t.length, span = t[frames - 1] - t[0] || 1;
  const s = Float64Array.from(t, (x) => (x - t[0]) / span);
  const tracks = { position: 3, q: 4, start: 3, vector: 3, centre: 3, radius: 1 };
  for (const owner of [scene, ...scene.objects, ...scene.arrows])
    for (const name in tracks) if (name in owner) owner[name] = unpack(owner[name], Float32Array);

  function frameAt(now) { // the frame before `now`, and the fraction of the way to the next
    let low = 0, high = frames - 1;
    while (high - low > 1) { const mid = (low + high) >> 1; if (s[mid] <= now) low = mid; else high = mid; }
    const part = high > low ? Math.min(1, Math.max(0, (now - s[low]) / (s[high] - s[low]))) : 0;
    return scene.interpolated ? [low, part] : [part < 1 ? low : high, 0];
  }
  function readTime(time) { // "3 d 4 h", and the date where there is an epoch, as `Clock.text` says it
    const { seconds, first, start, system } = scene.clock, passed = time * seconds, parts = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
    let text = Number(passed.toPrecision(4)) + " s";
    if (first < 3) {
      const [[large, size], [small, part]] = parts.slice(first), whole = Math.floor(Math.abs(passed) / part + 1e-6), many = size / part;
      text = (passed < 0 ? "−" : "") + Math.floor(whole / many) + " " + large + " " + (whole % many) + " " + small;
    }
    if (!start) return text;
    const date = new Date(Date.parse(start + "Z") + 1000 * passed);
    return text + ", " + date.toISOString().slice(0, first < 2 ? 16 : 19).replace("T", " ") + " " + system;
  }
  function row(track, i, width) {
    const at = track.length === width ? 0 : i * width;
    return Array.from(track.subarray(at, at + width));
  }
  function between(track, where, width) { // linear for vectors, spherical for quaternions
    const a = row(track, where[0], width), part = where[1];
    if (!part) return a;
    const b = row(track, where[0] + 1, width);
    if (width < 4) return a.map((x, i) => x + part * (b[i] - x));
    const c = dot(a, b) + a[3] * b[3], sign = c < 0 ? -1 : 1, angle = Math.acos(Math.min(1, sign * c)), sine = Math.sin(angle);
    const [u, v] = sine < 1e-4 ? [1 - part, part] : [Math.sin((1 - part) * angle) / sine, Math.sin(part * angle) / sine];
    return unit(a.map((x, i) => u * x + sign * v * b[i]));
  }

  // ---- the page ----------------------------------------------------------------------------------------------------
  const make = (kind, parent, properties = {}) => parent.appendChild(Object.assign(document.createElement(kind), properties));
  const canvas = make("canvas", root), labels = make("div", root, { className: "labels" });
  canvas.setAttribute("aria-label", "moving scene: " + scene.title);
  const title = make("div", root, { className: "title" });
  make("b", title, { textContent: scene.title });
  make("span", title, { textContent: scene.note });
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true });
  if (!gl) { make("p", root, { className: "failed", textContent: "The view needs WebGL 2, which this browser does not support." }); return; }
  const FINER = 4, AXES = ["#D55E00", "#009E73", "#0072B2"];
  const legend = make("div", root, { className: "legend" }), listed = new Set();
  const entry = (name, colour, kind) => {
    if (!name || listed.has(name)) return;
    listed.add(name);
    const line = make("div", legend);
    make("i", line, { className: kind }).style.background = colour;
    make("span", line, { textContent: name });
  };
  for (const item of scene.objects) entry(item.name, item.colour, "dot");
  for (const arrow of scene.arrows) entry(arrow.name, arrow.colour, "line");
  if (scene.objects.some((item) => item.axis_lengths)) AXES.forEach((colour, i) => entry("axis " + (i + 1), colour, "line"));

  const bar = make("div", root, { className: "controls" });
  const play = make("button", bar, { className: "play", type: "button" });
  const slider = make("input", bar, { type: "range", min: 0, max: 1, step: "any", value: 0 });
  slider.setAttribute("aria-label", "time");
  const clock = make("output", bar), speed = make("select", bar, { title: "speed" });
  for (const x of [0.125, 0.25, 0.5, 1, 2, 4, 8]) make("option", speed, { value: x, textContent: x + "×", selected: x === 1 });
  const toggle = (name, has) => {
    const label = make("label", bar, { hidden: !has }), box = make("input", label, { type: "checkbox", checked: has });
    label.append(name);
    box.addEventListener("change", redraw);
    return box;
  };
  const showAxes = toggle("axes", scene.objects.some((item) => item.axis_lengths));
  const showArrows = toggle("vectors", scene.arrows.length > 0);
  const showTrails = toggle("trails", frames > 1 && scene.interpolated && scene.objects.some((item) => item.trail_point));
  const home = make("button", bar, { type: "button", textContent: "reset view" });

  // ---- WebGL -------------------------------------------------------------------------------------------------------
  function program(vertex, fragment) {
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, "#version 300 es\nprecision highp float;\n" + text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
      const { name } = gl.getActiveUniform(made, i);
      uniforms[name] = gl.getUniformLocation(made, name);
    }
    return { made, uniforms };
  }
  const solid = program(`
    layout(location = 0) in vec3 point; layout(location = 1) in vec3 normal;
    uniform mat4 view; uniform vec3 shift, size; uniform vec4 q;
    out vec3 facing, seen;
    vec3 rotated(vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
    void main() {
      seen = rotated(size * point) + shift;
      facing = rotated(normal / size);
      gl_Position = view * vec4(seen, 1.0);
    }`, `
    in vec3 facing, seen; uniform vec3 colour, eye, light; out vec4 result;
    void main() {
      vec3 n = normalize(facing), e = normalize(eye - seen), l = normalize(light);
      if (dot(n, e) < 0.0) n = -n;
      float lit = 0.5 + 0.1 * n.z + 0.5 * max(dot(n, l), 0.0);
      float shine = 0.16 * pow(max(dot(n, normalize(l + e)), 0.0), 40.0);
      result = vec4(min(colour * lit + shine, 1.0), 1.0);
    }`);
  const ribbon = program(`
    layout(location = 0) in vec4 from; layout(location = 1) in vec4 to;
    uniform mat4 view; uniform vec2 pixels; uniform float now, span, width;
    out float strength;
    void main() {
      float part = clamp((now - from.w) / max(to.w - from.w, 1e-12), 0.0, 1.0);
      vec4 a = view * vec4(from.xyz, 1.0), b = view * vec4(mix(from.xyz, to.xyz, part), 1.0);
      vec2 way = (b.xy / b.w - a.xy / a.w) * pixels;
      vec2 side = length(way) > 0.0 ? normalize(vec2(-way.y, way.x)) : vec2(0.0);
      bool end = gl_VertexID > 1;
      vec4 p = end ? b : a;
      p.xy += (gl_VertexID % 2 == 0 ? 1.0 : -1.0) * side * width / pixels * p.w;
      float age = now - (end ? mix(from.w, to.w, part) : from.w);
      strength = from.w > now || a.w <= 0.0 || b.w <= 0.0 ? -1.0 : 1.0 - 0.9 * clamp(age / span, 0.0, 1.0);
      if (age > span) strength = -1.0;
      gl_Position = p;
    }`, `
    in float strength; uniform vec3 colour; out vec4 result;
    void main() { if (strength <= 0.0) discard; result = vec4(colour, 1.0) * strength; }`);

  const buffer = (target, data) => { const b = gl.createBuffer(); gl.bindBuffer(target, b); gl.bufferData(target, data, gl.STATIC_DRAW); };
  function mesh(points, faces) { // normals: the mean over the adjacent triangles, weighted by area
    const normals = new Float32Array(points.length), at = (i) => points.subarray(3 * i, 3 * i + 3);
    for (let f = 0; f < faces.length; f += 3) {
      const [a, b, c] = [at(faces[f]), at(faces[f + 1]), at(faces[f + 2])];
      const n = cross(add(b, a, -1), add(c, a, -1));
      for (let k = 0; k < 3; k++) for (let i = 0; i < 3; i++) normals[3 * faces[f + k] + i] += n[i];
    }
    for (let i = 0; i < normals.length; i += 3) normals.set(unit([...normals.subarray(i, i + 3)]), i);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [points, normals].forEach((data, i) => {
      buffer(gl.ARRAY_BUFFER, data);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
    });
    buffer(gl.ELEMENT_ARRAY_BUFFER, faces);
    return { array, count: faces.length };
  }
  function revolve(profile, steps = 20) { // a surface of revolution about z through points (r, z)
    const points = [], faces = [];
    profile.forEach(([r, z], j) => {
      for (let i = 0; i < steps; i++) {
        const a = (2 * Math.PI * i) / steps, u = j * steps + i, v = j * steps + ((i + 1) % steps);
        points.push(r * Math.cos(a), r * Math.sin(a), z);
        if (j) faces.push(u - steps, v - steps, v, u - steps, v, u);
      }
    });
    return mesh(new Float32Array(points), new Uint32Array(faces));
  }
  function path(item) {
    const count = FINER * (frames - 1) + 1, data = new Float32Array(4 * count);
    for (let i = 0; i < count; i++) {
      const at = Math.floor(i / FINER), part = (i % FINER) / FINER, where = [at, part];
      data.set(add(between(item.position, where, 3), rotate(between(item.q, where, 4), item.trail_point)), 4 * i);
      data[4 * i + 3] = part ? s[at] + part * (s[at + 1] - s[at]) : s[at];
    }
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    buffer(gl.ARRAY_BUFFER, data);
    for (const i of [0, 1]) {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 4, gl.FLOAT, false, 16, 16 * i);
      gl.vertexAttribDivisor(i, 1);
    }
    return array;
  }
  const rod = revolve([[1, 0], [1, 1]]), head = revolve([[0, 0], [1, 0], [1, 0], [0, 1]]);
  for (const item of scene.objects) {
    const points = unpack(item.vertices, Float32Array);
    item.mesh = mesh(points, unpack(item.faces, Uint32Array));
    item.size = points.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    if (item.trail_point && frames > 1 && scene.interpolated) item.path = path(item);
  }
  const bodies = scene.objects.filter((item) => item.axis_lengths && item.name);
  const places = new Set(bodies.map((item) => row(item.position, 0, 3).join()));
  const labelled = places.size > 1 ? bodies : [];
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  // ---- the camera: z is up -----------------------------------------------------------------------------------------
  const FIELD = 0.6, camera = {};
  function reset() {
    const v = unit(scene.view_direction);
    Object.assign(camera, { shift: [0, 0, 0], azimuth: Math.atan2(v[1], v[0]), height: Math.asin(v[2]), zoom: 1 });
    redraw();
  }
  function viewing() {
    const where = frameAt(now), centre = between(scene.centre, where, 3), radius = between(scene.radius, where, 1)[0];
    const aspect = canvas.width / canvas.height, f = 1 / Math.tan(FIELD / 2);
    const raised = Math.min(0.4, (bar.offsetHeight + 16) / canvas.clientHeight); // above the controls
    const distance = (0.95 * radius * camera.zoom) / Math.sin(FIELD / 2) / Math.min(1 - raised, aspect);
    const c = Math.cos(camera.height), back = [c * Math.cos(camera.azimuth), c * Math.sin(camera.azimuth), Math.sin(camera.height)];
    const eye = add(add(centre, camera.shift), back, distance), right = unit([-back[1], back[0], 0]), up = cross(back, right);
    const near = distance * 0.02, far = distance + 20 * radius, g = 1 / (near - far);
    const P = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, -raised, (far + near) * g, -1, 0, 0, 2 * far * near * g, 0];
    const V = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
    const light = add(add(back, right, -0.45), up, 0.55);
    return { matrix: multiply(P, V), centre, radius, eye, light, right, up, pixel: (2 * distance * Math.tan(FIELD / 2)) / canvas.clientHeight };
  }

  // ---- drawing -----------------------------------------------------------------------------------------------------
  let now = 0, playing = false, wanted = false, last = 0, texts = 0;
  function put(shape, colour, shift, q, size) {
    gl.uniform3fv(solid.uniforms.colour, colour);
    gl.uniform3fv(solid.uniforms.shift, shift);
    gl.uniform4fv(solid.uniforms.q, q);
    gl.uniform3fv(solid.uniforms.size, size);
    gl.bindVertexArray(shape.array);
    gl.drawElements(gl.TRIANGLES, shape.count, gl.UNSIGNED_INT, 0);
  }
  function putArrow(colour, start, vector, thick) {
    const length = norm(vector);
    if (!(length > 0)) return;
    const q = fromZ(unit(vector)), tip = Math.min(6 * thick, 0.5 * length);
    put(rod, colour, start, q, [thick, thick, length - tip]);
    put(head, colour, add(start, vector, 1 - tip / length), q, [0.42 * tip, 0.42 * tip, tip]);
  }
  function write(text, at, seen, className, offset) {
    const m = seen.matrix, w = m[3] * at[0] + m[7] * at[1] + m[11] * at[2] + m[15];
    const span = labels.children[texts] || make("span", labels);
    texts++;
    span.hidden = w <= 0;
    const [x, y] = [0, 1].map((i) => (m[i] * at[0] + m[i + 4] * at[1] + m[i + 8] * at[2] + m[i + 12]) / w);
    const left = (0.5 + 0.5 * x) * canvas.clientWidth, top = (0.5 - 0.5 * y) * canvas.clientHeight - offset;
    Object.assign(span, { className, textContent: text });
    span.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px) translate(-50%, -100%)`;
  }
  function draw(clockTime) {
    wanted = false;
    if (playing) {
      const done = Math.min(0.1, (clockTime - (last || clockTime)) / 1000);
      now = (now + (done * speed.value) / scene.playback_seconds) % 1;
      last = clockTime;
      redraw();
    }
    slider.value = now;
    const where = frameAt(now), shownTime = t[where[0]] + where[1] * ((t[where[0] + 1] || 0) - t[where[0]]);
    clock.value = scene.clock?.seconds ? readTime(shownTime) : "t = " + Number(shownTime.toPrecision(5)).toFixed(Math.max(0, 4 - Math.ceil(Math.log10(Math.abs(t[0]) + Math.abs(span)))));
    const ratio = window.devicePixelRatio || 1, size = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * ratio)));
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    gl.viewport(0, 0, ...size);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const seen = viewing(), dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    texts = 0;
    gl.useProgram(solid.made);
    gl.uniformMatrix4fv(solid.uniforms.view, false, seen.matrix);
    gl.uniform3fv(solid.uniforms.eye, seen.eye);
    gl.uniform3fv(solid.uniforms.light, seen.light);
    const identity = [0, 0, 0, 1], units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], thin = 1.1 * seen.pixel;
    if (showAxes.checked) units.forEach((e, i) => { // the axes of space
      putArrow([0.7, 0.73, 0.77], seen.centre, e.map((x) => 0.8 * seen.radius * x), 0.6 * thin);
      write("xyz"[i], add(seen.centre, e, 0.85 * seen.radius), seen, "faint", -6);
    });
    for (const item of scene.objects) {
      const at = between(item.position, where, 3), q = between(item.q, where, 4);
      put(item.mesh, rgb(item.colour), at, q, [1, 1, 1]);
      if (item.axis_lengths && showAxes.checked)
        units.forEach((e, i) => putArrow(rgb(AXES[i]), at, rotate(q, e.map((x) => x * item.axis_lengths[i])), Math.min(1.5 * thin, 0.05 * item.size)));
      if (labelled.includes(item)) write(item.name, add(at, seen.up, 1.15 * item.size), seen, "", 4);
    }
    if (showArrows.checked) for (const arrow of scene.arrows)
      putArrow(rgb(arrow.colour), between(arrow.start, where, 3), between(arrow.vector, where, 3), 2 * thin);
    gl.useProgram(ribbon.made);
    gl.uniformMatrix4fv(ribbon.uniforms.view, false, seen.matrix);
    gl.uniform2fv(ribbon.uniforms.pixels, size);
    gl.uniform1f(ribbon.uniforms.now, now);
    gl.uniform1f(ribbon.uniforms.span, Math.max(1e-6, Math.abs(scene.trail_duration / span)));
    gl.uniform1f(ribbon.uniforms.width, 1.8 * ratio);
    for (const item of scene.objects) if (item.path && showTrails.checked) {
      gl.uniform3fv(ribbon.uniforms.colour, rgb(item.colour).map((x) => (dark ? 1 : 0.8) * x));
      gl.bindVertexArray(item.path);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, FINER * (frames - 1));
    }
    while (labels.children.length > texts) labels.lastChild.remove();
  }
  function redraw() { if (!wanted) { wanted = true; requestAnimationFrame(draw); } }

  // ---- user input -----------------------------------------------------------------------------------------------
  function start(yes) {
    playing = yes && frames > 1;
    last = 0;
    play.textContent = playing ? "❚❚ pause" : "▶ play";
    redraw();
  }
  function go(to) { start(false); now = Math.min(1, Math.max(0, to)); redraw(); }
  const step = (by) => go(s[Math.min(frames - 1, Math.max(0, frameAt(now)[0] + by))]);
  play.addEventListener("click", () => start(!playing));
  slider.addEventListener("input", () => go(Number(slider.value)));
  home.addEventListener("click", reset);
  const fingers = new Map();
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, e); });
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (e) => fingers.delete(e.pointerId));
  canvas.addEventListener("pointermove", (e) => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    const [dx, dy] = [e.clientX - before.clientX, e.clientY - before.clientY];
    if (fingers.size > 1) {
      const other = [...fingers.values()].find((f) => f.pointerId !== e.pointerId);
      const far = (f) => Math.hypot(f.clientX - other.clientX, f.clientY - other.clientY) || 1;
      zoom(far(before) / far(e));
    } else if (e.shiftKey || e.buttons === 2) {
      const seen = viewing();
      camera.shift = add(add(camera.shift, seen.right, -dx * seen.pixel), seen.up, dy * seen.pixel);
    } else {
      camera.azimuth -= 0.008 * dx;
      camera.height = Math.min(1.55, Math.max(-1.55, camera.height + 0.008 * dy));
    }
    fingers.set(e.pointerId, e);
    redraw();
  });
  function zoom(by) { camera.zoom = Math.min(10, Math.max(0.005, camera.zoom * by)); redraw(); }
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoom(Math.exp(0.0012 * e.deltaY)); }, { passive: false });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  root.tabIndex = 0;
  root.addEventListener("keydown", (e) => {
    const actions = { " ": () => start(!playing), ArrowRight: () => step(1), ArrowLeft: () => step(-1), Home: () => go(0), End: () => go(1) };
    if (!(e.key in actions) || e.target === play || e.target === speed || e.target.type === "checkbox") return;
    e.preventDefault();
    actions[e.key]();
  });
  new ResizeObserver(redraw).observe(root);
  reset();
  start(!window.matchMedia("(prefers-reduced-motion: reduce)").matches);
}
