// Keys label; a drag or the arrows draw the target's box; a right click says that it is out of view. What the server did
// not take stays on the page, and can be sent again.
const tick = Number(document.body.dataset.tick);
const boxes = document.body.dataset.boxes === "true";
const said = document.getElementById("said");
const trouble = document.getElementById("trouble");
const patience = 10000; // ms, for one answer
const wanted = "box wanted";
const slack = 3; // a mouse that moved less than this, in CSS pixels, has clicked

let queue = Promise.resolve(); // what is sent arrives in its order
let leaving = false; // the page is being loaded anew
const unsent = new Map(); // what the server did not take, by what it is about

function reload() {
  leaving = true;
  location.reload();
}

async function post(path, body) {
  let r, answer;
  try {
    r = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: AbortSignal.timeout(patience) });
    answer = await r.json();
  } catch {
    throw new Error("The server does not answer. Is rein monitor label still running?");
  }
  if (r.ok) return answer;
  if (r.status === 409) reload();
  throw new Error(answer.hint ? `${answer.message}; ${answer.hint}` : answer.message);
}

function tell() {
  trouble.hidden = unsent.size === 0;
  if (unsent.size > 0) trouble.querySelector("p").textContent = `Not kept yet. ${[...unsent.values()].at(-1).why}`;
}

// send hands something to the server after all that was sent before.
function send(about, path, body, then) {
  queue = queue.then(async () => {
    if (leaving) return;
    try {
      const { did } = await post(path, body);
      unsent.delete(about);
      then(did);
    } catch (e) {
      if (!leaving) unsent.set(about, { why: e.message, again: () => send(about, path, body, then) });
    }
    tell();
  });
}

function again() {
  for (const u of [...unsent.values()]) u.again();
}

function press(key) {
  if (key !== "q" && [...unsent.keys()].some((about) => about !== "key")) {
    said.textContent = `A box is not kept yet: try that again before ${key}.`;
    return;
  }
  send("key", "/monitor/label/key", { key, tick }, (did) => {
    if (did === "quit") leave();
    else if (did === "boxless") labelled(key);
    else if (did) reload();
    else said.textContent = `${key} is no key here.`;
  });
}

function labelled(key) {
  for (const b of document.querySelectorAll(".options button")) b.setAttribute("aria-pressed", String(b.dataset.key === key));
  said.textContent = "Labelled. A box is missing; with the last one, the next tick comes.";
}

function leave() {
  leaving = true;
  const h = document.createElement("h1"), p = document.createElement("p");
  h.textContent = "You have quit";
  p.textContent = "The labels are kept. This page can be closed; rein monitor label goes on where you left.";
  document.querySelector("main").replaceChildren(h, p);
}

document.addEventListener("keydown", (e) => {
  if (leaving || e.ctrlKey || e.metaKey || e.altKey || e.repeat || !/^[1-9sbq]$/.test(e.key)) return;
  e.preventDefault();
  press(e.key);
});
for (const b of document.querySelectorAll("button[data-key]")) b.addEventListener("click", () => press(b.dataset.key));
trouble.querySelector("button").addEventListener("click", again);

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const around = (a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];

// boxable lets a person say where the target is in a picture.
function boxable(figure) {
  const picture = Number(figure.dataset.picture), wide = Number(figure.dataset.wide), high = Number(figure.dataset.high);
  const frame = figure.querySelector(".frame"), out = figure.querySelector(".out");
  let kept = figure.dataset.box === "" ? undefined : JSON.parse(figure.dataset.box); // null = out of view
  let drawn = null; // by the arrows, before Enter

  const draw = (box, state) => {
    const words = figure.querySelector(".state");
    words.textContent = state;
    words.classList.toggle("wanted", state === wanted);
    const div = figure.querySelector(".box");
    if (!div) return;
    div.hidden = !box;
    if (!box) return;
    const percent = (x, all) => `${(100 * x) / all}%`;
    div.style.left = percent(box[0], wide);
    div.style.top = percent(box[1], high);
    div.style.width = percent(box[2] - box[0], wide);
    div.style.height = percent(box[3] - box[1], high);
  };
  const rest = () => draw(kept, kept === undefined ? wanted : kept === null ? "target out of view" : "box kept");
  const keep = (corners) => {
    const box = corners && corners.map((x) => Math.round(x * 100) / 100);
    drawn = null;
    draw(box, box ? "box not kept yet" : "out of view, not kept yet");
    send(`box ${picture}`, "/monitor/label/box", { tick, picture, box }, (did) => {
      if (did === "labelled") reload();
      kept = box;
      rest();
    });
  };
  out.addEventListener("click", () => keep(null));
  if (frame) byMouse(frame, [wide, high], { draw, rest, keep });
  if (frame) {
    frame.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const to = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (to) {
        drawn = arrowed(drawn ?? kept, to.map((x) => x * (e.repeat ? 4 : 1)), e.shiftKey, [wide, high]);
        draw(drawn, "Enter keeps this box");
      } else if (e.key === "Enter" && drawn) {
        keep(drawn);
      } else if (e.key === "Escape" && drawn) {
        drawn = null;
        rest();
      } else return;
      e.preventDefault();
    });
  }
  rest();
}

// arrowed is a box that an arrow has moved or sized; without one, it begins in the middle.
function arrowed(box, by, sizes, all) {
  if (!box) return [all[0] / 4, all[1] / 4, (3 * all[0]) / 4, (3 * all[1]) / 4];
  const axis = (k) => {
    if (sizes) return [box[k], clamp(box[k + 2] + by[k], Math.min(box[k] + 1, all[k]), all[k])];
    const d = clamp(by[k], -box[k], all[k] - box[k + 2]);
    return [box[k] + d, box[k + 2] + d];
  };
  const [x, y] = [axis(0), axis(1)];
  return [x[0], y[0], x[1], y[1]];
}

// byMouse draws boxes by dragging, in pixels of the picture however large it is shown.
function byMouse(frame, all, { draw, rest, keep }) {
  let from = null;
  const at = (e) => {
    const r = frame.querySelector("img").getBoundingClientRect();
    return [clamp(((e.clientX - r.left) / r.width) * all[0], 0, all[0]), clamp(((e.clientY - r.top) / r.height) * all[1], 0, all[1])];
  };
  const give = () => {
    from = null;
    rest();
  };
  frame.addEventListener("contextmenu", (e) => {
    e.preventDefault();
    from = null;
    keep(null);
  });
  frame.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    frame.setPointerCapture(e.pointerId);
    from = { at: at(e), x: e.clientX, y: e.clientY };
  });
  frame.addEventListener("pointermove", (e) => {
    if (from) draw(around(from.at, at(e)), "");
  });
  frame.addEventListener("pointercancel", give);
  frame.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && from) give();
  });
  frame.addEventListener("pointerup", (e) => {
    if (!from || e.button !== 0) return;
    const box = around(from.at, at(e)), moved = Math.hypot(e.clientX - from.x, e.clientY - from.y);
    if (moved < slack || box[2] - box[0] < 1 || box[3] - box[1] < 1) return give();
    from = null;
    keep(box);
  });
}

// Both pictures are as large as fits, and keep their shape.
for (const f of document.querySelectorAll("figure")) f.style.setProperty("--shape", String(f.dataset.wide / f.dataset.high || 4 / 3));
if (boxes) document.querySelectorAll(".out").forEach((b) => boxable(b.closest("figure")));
