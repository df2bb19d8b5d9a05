// Where the camera is: what it follows, and from which side it looks. z is up.

const FIELD = 0.6; // the angle that a picture's height covers

// What a camera can follow: `frame(where)` is the origin and the axes of a frame that may move, in which trails are drawn;
// `centre` and `radius` are what the picture shows. `body` counts the bodies that move.
function followed(scene, timeline) {
  const fixed = () => [[0, 0, 0], IDENTITY];
  const wide = (where) => between(scene.radius, where, 1)[0];
  const choices = [{ name: "the whole scene", frame: fixed, centre: (where) => between(scene.centre, where, 3), radius: wide }];
  const moving = scene.objects.filter((item) => item.name && (item.q.length > 4 || item.position.length > 3));
  const travelling = moving.filter((item) => item.position.length > 3);
  moving.forEach((item, body) => {
    const at = (where) => between(item.position, where, 3), near = () => 4 * item.size;
    if (moving.length > 1) choices.push({ name: item.name, body, frame: (where) => [at(where), IDENTITY], centre: at, radius: near });
    choices.push({ name: item.name + ", turning with it", body, frame: (where) => [at(where), between(item.q, where, 4)], centre: at,
      radius: moving.length > 1 ? near : wide });
  });
  for (const other of travelling.slice(1, 5)) {
    const first = travelling[0], axes = lineAxes(first.position, other.position, timeline);
    const centre = travelling.length > 2 ? (where) => between(first.position, where, 3) : (where) => between(scene.centre, where, 3);
    const name = travelling.length > 2 ? `the line from ${first.name} to ${other.name}` : "the relative frame";
    choices.push({ name, frame: (where) => [centre(where), between(axes, where, 4)], centre, radius: wide });
  }
  return choices;
}

function lineAxes(a, b, timeline) { // x along the line from a to b, z normal to the plane in which it turns
  const axes = new Float32Array(4 * timeline.frames), line = (i) => add(row(b, i, 3), row(a, i, 3), -1);
  let normal = [0, 0, 1];
  for (let i = 0; i < timeline.frames; i++) {
    const j = Math.min(i, timeline.frames - 2), x = unit(line(i));
    const turning = timeline.interpolated && timeline.frames > 1 ? cross(line(j), line(j + 1)) : [0, 0, 0];
    if (norm(turning) > 0) normal = unit(turning);
    const across = cross(normal, x), y = unit(norm(across) > 1e-6 ? across : cross([0, 0, 1], x));
    axes.set(fromAxes(x, y, cross(x, y)), 4 * i);
  }
  return axes;
}

class Camera {
  constructor(direction) { this.direction = unit(direction); this.reset(); }
  reset() {
    const [x, y, z] = this.direction;
    Object.assign(this, { shift: [0, 0, 0], azimuth: Math.atan2(y, x), height: Math.asin(z), zoom: 1 });
  }
  turn(dx, dy) {
    this.azimuth -= 0.008 * dx;
    this.height = Math.min(1.55, Math.max(-1.55, this.height + 0.008 * dy));
  }
  move(dx, dy, seen) { // in pixels; the shift is kept in the frame that is followed
    const by = add(seen.right.map((x) => -dx * seen.pixel * x), seen.up, dy * seen.pixel);
    this.shift = add(this.shift, rotate(inverse(seen.frame[1]), by));
  }
  nearer(by) { this.zoom = Math.min(50, Math.max(0.005, this.zoom * by)); }
  // what it sees: `size` is the canvas in pixels of the page, `raised` the part of its height that controls cover
  seen(choice, where, size, raised) {
    const frame = choice.frame(where), turned = (v) => rotate(frame[1], v);
    const radius = choice.radius(where), centre = add(choice.centre(where), turned(this.shift));
    const aspect = size[0] / size[1], f = 1 / Math.tan(FIELD / 2);
    const distance = (1.04 * radius * this.zoom) / Math.sin(FIELD / 2) / Math.min(1 - raised, aspect);
    const c = Math.cos(this.height), level = [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.height)];
    const sideways = unit([-level[1], level[0], 0]);
    const [back, right, up] = [level, sideways, cross(level, sideways)].map(turned);
    const eye = add(centre, back, distance), near = distance * 0.02, far = distance + 200 * radius, g = 1 / (near - far);
    const lens = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, -raised, (far + near) * g, -1, 0, 0, 2 * far * near * g, 0];
    const pixel = (2 * distance * Math.tan(FIELD / 2)) / size[1];
    return { view: multiply(lens, looking(right, up, back, eye)), frame, centre: choice.centre(where), radius, eye, right, up, back, pixel,
      light: add(add(back, right, -0.45), up, 0.55), size };
  }
}

function onScreen(seen, point) { // left and top in pixels of the page; null behind the camera
  const m = seen.view, w = m[3] * point[0] + m[7] * point[1] + m[11] * point[2] + m[15];
  if (w <= 0) return null;
  const [x, y] = [0, 1].map((i) => (m[i] * point[0] + m[i + 4] * point[1] + m[i + 8] * point[2] + m[i + 12]) / w);
  return [(0.5 + 0.5 * x) * seen.size[0], (0.5 - 0.5 * y) * seen.size[1]];
}

function fromTheSun(direction, spheres) { // the view of the Sun, far away, onto spheres [centre, radius]
  const back = unit(direction), right = unit(cross(Math.abs(back[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], back)), up = cross(back, right);
  const reach = [right, up, back].map((axis) => {
    const low = Math.min(...spheres.map(([c, r]) => dot(axis, c) - r)), high = Math.max(...spheres.map(([c, r]) => dot(axis, c) + r));
    return [0.5 * (low + high), 0.5 * (high - low) || 1];
  });
  const box = [1 / reach[0][1], 0, 0, 0, 0, 1 / reach[1][1], 0, 0, 0, 0, -1 / reach[2][1], 0, 0, 0, 0, 1];
  const middle = add(add(right.map((x) => x * reach[0][0]), up, reach[1][0]), back, reach[2][0]);
  return multiply(box, looking(right, up, back, middle));
}
