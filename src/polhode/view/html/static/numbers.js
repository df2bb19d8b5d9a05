// Vectors, quaternions (scalar last), matrices of 4 × 4, and values over time.

const unpack = (text, Kind) => new Kind(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(...a);
const unit = (a) => { const n = norm(a) || 1; return a.map((x) => x / n); };
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);

const IDENTITY = [0, 0, 0, 1];
const inverse = (q) => [-q[0], -q[1], -q[2], q[3]];
const rotate = (q, v) => {
  const c = cross(q, v), u = add(c, v, q[3]);
  return add(v, cross(q, u), 2);
};
const fromZ = (v) => v[2] < -0.999999 ? [1, 0, 0, 0] : unit([-v[1], v[0], 0, 1 + v[2]]); // that takes z to a unit vector
function fromAxes(x, y, z) { // the quaternion that takes the axes to three orthonormal vectors
  const squares = [x[0] - y[1] - z[2], y[1] - x[0] - z[2], z[2] - x[0] - y[1], x[0] + y[1] + z[2]];
  const first = squares.indexOf(Math.max(...squares));
  const m = (i, j) => [x, y, z][j][i];
  const q = [0, 0, 0, 0], [i, j, k] = [first % 3, (first + 1) % 3, (first + 2) % 3];
  if (first === 3) Object.assign(q, [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1), 1 + squares[3]]);
  else { q[i] = 1 + squares[i]; q[j] = m(i, j) + m(j, i); q[k] = m(i, k) + m(k, i); q[3] = m(k, j) - m(j, k); }
  return unit(q);
}
function multiply(A, B) { // columns first
  const C = new Float32Array(16);
  for (let j = 0; j < 4; j++) for (let i = 0; i < 4; i++) for (let k = 0; k < 4; k++) C[4 * j + i] += A[4 * k + i] * B[4 * j + k];
  return C;
}
function looking(right, up, back, eye) { // the matrix that takes space to the axes of a camera
  return [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
}

class Timeline { // the times of the frames; s runs from 0 to 1. A place in time is [frame, fraction of the way to the next]
  constructor(t, interpolated) {
    this.t = t;
    this.frames = t.length;
    this.span = t[t.length - 1] - t[0] || 1;
    this.s = Float64Array.from(t, (x) => (x - t[0]) / this.span);
    this.interpolated = interpolated;
  }
  at(s) {
    let low = 0, high = this.frames - 1;
    while (high - low > 1) { const mid = (low + high) >> 1; if (this.s[mid] <= s) low = mid; else high = mid; }
    const part = high > low ? Math.min(1, Math.max(0, (s - this.s[low]) / (this.s[high] - this.s[low]))) : 0;
    return this.interpolated ? [low, part] : [part < 1 ? low : high, 0];
  }
  time(where) { return this.t[where[0]] + (where[1] ? where[1] * (this.t[where[0] + 1] - this.t[where[0]]) : 0); }
}
function row(track, i, width) { // of a track with one row per frame, or one for all
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

function clockText({ seconds, first, start, system }, time) { // "3 d 4 h", and the date where there is an epoch, as `Clock.text` says it
  const passed = time * seconds, parts = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  let text = Number(passed.toPrecision(4)) + " s";
  if (first < 3) {
    const [[large, size], [small, part]] = parts.slice(first), whole = Math.floor(Math.abs(passed) / part + 1e-6), many = size / part;
    text = (passed < 0 ? "−" : "") + Math.floor(whole / many) + " " + large + " " + (whole % many) + " " + small;
  }
  if (!start) return text;
  const date = new Date(Date.parse(start + "Z") + 1000 * passed);
  return text + ", " + date.toISOString().slice(0, first < 2 ? 16 : 19).replace("T", " ") + " " + system;
}
