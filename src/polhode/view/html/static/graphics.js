// Drawing by WebGL: solid shapes in the light of the camera or of the Sun, with the shadows that they cast, and trails.

const SHADOW_SIZE = 2048, FINER = 4; // pixels of the shadow's picture; pieces of a trail from frame to frame

const SOLID_VERTEX = `
  layout(location = 0) in vec3 point; layout(location = 1) in vec3 normal;
  uniform mat4 view, sunView; uniform vec3 shift, size; uniform vec4 q;
  out vec3 facing, seen, inSun;
  vec3 rotated(vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
  void main() {
    seen = rotated(size * point) + shift;
    facing = rotated(normal / size);
    inSun = (sunView * vec4(seen, 1.0)).xyz * 0.5 + 0.5;
    gl_Position = view * vec4(seen, 1.0);
  }`;
const SOLID_FRAGMENT = `
  precision highp sampler2DShadow;
  in vec3 facing, seen, inSun; uniform vec3 colour, eye, light; uniform bool sun; uniform sampler2DShadow shadow;
  uniform float alpha; out vec4 result;
  float reached(float slope) { // how much of the Sun's light comes here, from 0 to 1
    float sum = 0.0, bias = 0.0015 + 0.004 * (1.0 - slope);
    for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
      sum += texture(shadow, vec3(inSun.xy + vec2(i, j) / ${SHADOW_SIZE}.0, inSun.z - bias));
    return sum / 9.0;
  }
  void main() {
    vec3 n = normalize(facing), e = normalize(eye - seen), l = normalize(light);
    if (dot(n, e) < 0.0) n = -n;
    float slope = max(dot(n, l), 0.0), shine = 0.16 * pow(max(dot(n, normalize(l + e)), 0.0), 40.0);
    float open = sun ? reached(slope) : 1.0;
    float lit = sun ? 0.3 + 0.72 * slope * open : 0.5 + 0.1 * n.z + 0.5 * slope;
    result = vec4(min(colour * lit + shine * open * step(0.001, slope), 1.0), 1.0) * alpha;
  }`;
const RIBBON_VERTEX = `
  layout(location = 0) in vec4 from; layout(location = 1) in vec4 to;
  uniform mat4 view; uniform vec3 shift; uniform vec4 q; uniform vec2 pixels; uniform float now, span, width;
  out float strength;
  vec3 placed(vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v) + shift; }
  void main() {
    float part = clamp((now - from.w) / max(to.w - from.w, 1e-12), 0.0, 1.0);
    vec4 a = view * vec4(placed(from.xyz), 1.0), b = view * vec4(placed(mix(from.xyz, to.xyz, part)), 1.0);
    vec2 way = (b.xy / b.w - a.xy / a.w) * pixels;
    vec2 side = length(way) > 0.0 ? normalize(vec2(-way.y, way.x)) : vec2(0.0);
    bool end = gl_VertexID > 1;
    vec4 p = end ? b : a;
    p.xy += (gl_VertexID % 2 == 0 ? 1.0 : -1.0) * side * width / pixels * p.w;
    float age = now - (end ? mix(from.w, to.w, part) : from.w);
    strength = from.w > now || a.w <= 0.0 || b.w <= 0.0 ? -1.0 : 1.0 - 0.9 * clamp(age / span, 0.0, 1.0);
    if (age > span) strength = -1.0;
    gl_Position = p;
  }`;
const RIBBON_FRAGMENT = `
  in float strength; uniform vec3 colour; out vec4 result;
  void main() { if (strength <= 0.0) discard; result = vec4(colour, 1.0) * strength; }`;

class Graphics {
  constructor(gl) {
    this.gl = gl;
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.ribbon = this.program(RIBBON_VERTEX, RIBBON_FRAGMENT);
    this.shadow = this.shadowPicture();
    this.rod = this.revolved([[1, 0], [1, 1]]);
    this.head = this.revolved([[0, 0], [1, 0], [1, 0], [0, 1]]);
    this.ball = this.revolved(Array.from({ length: 17 }, (_, i) => [Math.sin((Math.PI * i) / 16), -Math.cos((Math.PI * i) / 16)]), 32);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }
  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram();
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
  shadowPicture() {
    const gl = this.gl, texture = gl.createTexture(), buffer = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    const settings = { MIN_FILTER: "LINEAR", MAG_FILTER: "LINEAR", WRAP_S: "CLAMP_TO_EDGE", WRAP_T: "CLAMP_TO_EDGE", COMPARE_MODE: "COMPARE_REF_TO_TEXTURE" };
    for (const name in settings) gl.texParameteri(gl.TEXTURE_2D, gl["TEXTURE_" + name], gl[settings[name]]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, buffer };
  }
  store(target, data) { const gl = this.gl; gl.bindBuffer(target, gl.createBuffer()); gl.bufferData(target, data, gl.STATIC_DRAW); }
  mesh(points, faces) { // normals: the mean over the adjacent triangles, weighted by area
    const gl = this.gl, normals = new Float32Array(points.length), at = (i) => points.subarray(3 * i, 3 * i + 3);
    for (let f = 0; f < faces.length; f += 3) {
      const [a, b, c] = [at(faces[f]), at(faces[f + 1]), at(faces[f + 2])];
      const n = cross(add(b, a, -1), add(c, a, -1));
      for (let k = 0; k < 3; k++) for (let i = 0; i < 3; i++) normals[3 * faces[f + k] + i] += n[i];
    }
    for (let i = 0; i < normals.length; i += 3) normals.set(unit([...normals.subarray(i, i + 3)]), i);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [points, normals].forEach((data, i) => {
      this.store(gl.ARRAY_BUFFER, data);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
    });
    this.store(gl.ELEMENT_ARRAY_BUFFER, faces);
    return { array, count: faces.length };
  }
  revolved(profile, steps = 20) { // a surface of revolution about z through points (r, z)
    const points = [], faces = [];
    profile.forEach(([r, z], j) => {
      for (let i = 0; i < steps; i++) {
        const a = (2 * Math.PI * i) / steps, u = j * steps + i, v = j * steps + ((i + 1) % steps);
        points.push(r * Math.cos(a), r * Math.sin(a), z);
        if (j) faces.push(u - steps, v - steps, v, u - steps, v, u);
      }
    });
    return this.mesh(new Float32Array(points), new Uint32Array(faces));
  }
  trail(item, timeline, frame) { // the path of its trail point, as seen in a frame that may move: frame(where) gives origin and axes
    const gl = this.gl, pieces = FINER * (timeline.frames - 1), data = new Float32Array(4 * (pieces + 1));
    for (let i = 0; i <= pieces; i++) {
      const at = Math.floor(i / FINER), part = (i % FINER) / FINER, where = [at, part];
      const point = add(between(item.position, where, 3), rotate(between(item.q, where, 4), item.trail_point));
      const [origin, q] = frame(where);
      data.set(rotate(inverse(q), add(point, origin, -1)), 4 * i);
      data[4 * i + 3] = part ? timeline.s[at] + part * (timeline.s[at + 1] - timeline.s[at]) : timeline.s[at];
    }
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    this.store(gl.ARRAY_BUFFER, data);
    for (const i of [0, 1]) {
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 4, gl.FLOAT, false, 16, 16 * i);
      gl.vertexAttribDivisor(i, 1);
    }
    return { array, pieces };
  }
  set(program, values) { // uniforms by name; a value's length says its type
    const gl = this.gl;
    for (const [name, value] of Object.entries(values)) {
      const place = program.uniforms[name];
      if (typeof value === "number") gl.uniform1f(place, value);
      else if (typeof value === "boolean") gl.uniform1i(place, value);
      else if (value.length === 16) gl.uniformMatrix4fv(place, false, value);
      else gl[`uniform${value.length}fv`](place, value);
    }
  }
  castShadows(sunView, drawShapes) { // the picture of depths that the Sun sees
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.buffer);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.solid.made);
    this.set(this.solid, { view: sunView, sun: false });
    drawShapes();
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
  begin(size, seen) { // clear, and set the light: `seen` has view, eye, light, and sunView if the Sun shines
    const gl = this.gl;
    gl.viewport(0, 0, ...size);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.solid.made);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    this.set(this.solid, { view: seen.view, eye: seen.eye, light: seen.light, sunView: seen.sunView || seen.view, sun: Boolean(seen.sunView), alpha: 1 });
  }
  put(shape, colours, shift, q, size = [1, 1, 1]) { // colours: of the first faces, of the next, …; or one for all
    const gl = this.gl, BYTES = 4;
    this.set(this.solid, { shift, q, size });
    gl.bindVertexArray(shape.array);
    let first = 0;
    for (const [colour, faces] of Array.isArray(colours[0]) ? colours : [[colours, shape.count / 3]]) {
      this.set(this.solid, { colour });
      gl.drawElements(gl.TRIANGLES, 3 * faces, gl.UNSIGNED_INT, 3 * first * BYTES);
      first += faces;
    }
  }
  putMarks(marks) { // transparent ellipsoids: [colour, centre, q, semiaxes]
    const gl = this.gl;
    gl.depthMask(false);
    gl.enable(gl.CULL_FACE);
    this.set(this.solid, { alpha: 0.4 });
    for (const mark of marks) this.put(this.ball, ...mark);
    this.set(this.solid, { alpha: 1 });
    gl.disable(gl.CULL_FACE);
    gl.depthMask(true);
  }
  putArrow(colour, start, vector, thick) {
    const length = norm(vector);
    if (!(length > 0)) return;
    const q = fromZ(unit(vector)), tip = Math.min(6 * thick, 0.5 * length);
    this.put(this.rod, colour, start, q, [thick, thick, length - tip]);
    this.put(this.head, colour, add(start, vector, 1 - tip / length), q, [0.42 * tip, 0.42 * tip, tip]);
  }
  beginTrails(settings) { this.gl.useProgram(this.ribbon.made); this.set(this.ribbon, settings); }
  putTrail(trail, colour) {
    const gl = this.gl;
    this.set(this.ribbon, { colour });
    gl.bindVertexArray(trail.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, trail.pieces);
  }
}
