// Labels beside what they name: they do not cover each other, nor the title, the legend and the controls.

const LINE = 17; // pixels

class Labels {
  constructor(parent) {
    this.parent = parent;
    this.ruler = document.createElement("canvas").getContext("2d");
    this.widths = new Map();
    this.sides = new Map(); // where each label stood last: it stays there as long as it can
    this.placed = [];
  }
  width(text, bold) {
    const key = text + bold;
    if (!this.widths.has(key)) {
      this.ruler.font = `${bold ? 600 : 400} ${getComputedStyle(this.parent).font.replace(/^.*?(?=\d)/, "")}`;
      this.widths.set(key, Math.ceil(this.ruler.measureText(text).width) + 4);
    }
    return this.widths.get(key);
  }
  // `wanted`: texts in order of importance, each at [x, y] in pixels with `gap` around it. A faint one is left out if there
  // is no room. `taken`: boxes [left, top, right, bottom] that are not free.
  place(wanted, taken, size) {
    const boxes = [...taken];
    const free = ([l, t, r, b]) => l >= 2 && t >= 2 && r <= size[0] - 2 && b <= size[1] - 2 &&
      boxes.every(([l2, t2, r2, b2]) => r <= l2 || r2 <= l || b <= t2 || b2 <= t);
    this.placed = [];
    for (const { text, at, gap, faint } of wanted) {
      if (!at) continue;
      const w = this.width(text, !faint), [x, y] = at;
      const corners = [[x - w / 2, y - gap - LINE], [x - w / 2, y + gap], [x + gap, y - LINE / 2], [x - gap - w, y - LINE / 2]];
      for (let k = 1; k < 8; k++) corners.push([x - w / 2, y - gap - (k + 1) * LINE], [x - w / 2, y + gap + k * LINE]);
      const box = ([l, t]) => [l, t, l + w, t + LINE], last = this.sides.get(text) || 0;
      const order = [last, ...corners.keys()].filter((i, n, all) => all.indexOf(i) === n && (!faint || i < 4));
      const side = order.find((i) => free(box(corners[i])));
      if (side === undefined) continue;
      this.sides.set(text, side);
      boxes.push(box(corners[side]));
      this.placed.push({ text, faint, left: corners[side][0], top: corners[side][1], width: w, at, far: side > 3 });
    }
    this.write();
  }
  write() {
    while (this.parent.children.length > this.placed.length) this.parent.lastChild.remove();
    this.placed.forEach(({ text, faint, left, top, width }, i) => {
      const span = this.parent.children[i] || this.parent.appendChild(document.createElement("span"));
      if (span.textContent !== text) span.textContent = text;
      span.className = faint ? "faint" : "";
      span.style.width = `${width}px`;
      span.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    });
  }
}

// The picture that is shown, with its labels, title, legend and time, as a canvas
function pictureOf(root, canvas, labels, title, entries, time) {
  const style = getComputedStyle(root), ratio = canvas.width / canvas.clientWidth;
  const made = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const pen = made.getContext("2d"), ink = style.getPropertyValue("--ink"), soft = style.getPropertyValue("--soft");
  const back = style.getPropertyValue("--background"), family = style.fontFamily;
  pen.fillStyle = back;
  pen.fillRect(0, 0, made.width, made.height);
  pen.drawImage(canvas, 0, 0);
  pen.scale(ratio, ratio);
  const text = (words, x, y, { colour = ink, weight = 400, align = "left" } = {}) => {
    Object.assign(pen, { font: `${weight} 13px ${family}`, textAlign: align, lineWidth: 3, strokeStyle: back, fillStyle: colour, lineJoin: "round" });
    pen.strokeText(words, x, y);
    pen.fillText(words, x, y);
  };
  for (const { text: words, faint, left, top, width } of labels)
    text(words, left + width / 2, top + 13, { colour: faint ? soft : ink, weight: faint ? 400 : 600, align: "center" });
  text(title, 14, 24, { weight: 600 });
  text(time, 14, canvas.clientHeight - 14);
  entries.forEach(([name, colour], i) => {
    const y = 24 + i * LINE;
    pen.fillStyle = colour;
    pen.fillRect(canvas.clientWidth - 24, y - 9, 10, 10);
    text(name, canvas.clientWidth - 30, y, { align: "right" });
  });
  return made;
}
