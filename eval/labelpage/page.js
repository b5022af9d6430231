// Keys label, a drag draws the target's box, a right click says that it is out of view.
const tick = Number(document.body.dataset.tick);
const boxes = document.body.dataset.boxes === "true";
const said = document.getElementById("said");

async function send(path, body) {
  const r = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const answer = await r.json();
  if (r.status === 409) location.reload();
  if (!r.ok) throw new Error(answer.message);
  return answer;
}

async function press(key) {
  try {
    const { did } = await send("/monitor/label/key", { key, tick });
    if (did === "quit") document.querySelector("main").textContent = "You have quit. The labels are kept; this page can be closed.";
    else if (did === "boxless") said.textContent = "Labelled. Now the box in each picture, or a right click when the target is out of view; then press the key again.";
    else if (did) location.reload();
  } catch (e) {
    said.textContent = e.message;
  }
}

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.repeat) return;
  if (/^[1-9sbq]$/.test(e.key)) {
    e.preventDefault();
    press(e.key);
  }
});
for (const b of document.querySelectorAll("button[data-key]")) b.addEventListener("click", () => press(b.dataset.key));

function draw(figure, box) {
  const img = figure.querySelector("img"), div = figure.querySelector(".box");
  figure.querySelector(".state").textContent = box === undefined ? "" : box === null ? " · target out of view" : " · box drawn";
  div.hidden = !box;
  if (!box) return;
  const percent = (x, all) => `${(100 * x) / all}%`;
  div.style.left = percent(box[0], img.naturalWidth);
  div.style.top = percent(box[1], img.naturalHeight);
  div.style.width = percent(box[2] - box[0], img.naturalWidth);
  div.style.height = percent(box[3] - box[1], img.naturalHeight);
}

function boxable(figure) {
  const img = figure.querySelector("img"), picture = Number(figure.dataset.picture);
  let kept = figure.dataset.box === "" ? undefined : JSON.parse(figure.dataset.box);
  let from = null;
  const at = (e) => {
    const r = img.getBoundingClientRect();
    const within = (x, all) => Math.min(Math.max(x, 0), all);
    return [within(((e.clientX - r.left) / r.width) * img.naturalWidth, img.naturalWidth), within(((e.clientY - r.top) / r.height) * img.naturalHeight, img.naturalHeight)];
  };
  const around = (a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  const keep = async (box) => {
    try {
      await send("/monitor/label/box", { tick, picture, box });
      kept = box;
    } catch (e) {
      said.textContent = e.message;
    }
    draw(figure, kept);
  };
  if (img.complete) draw(figure, kept);
  else img.addEventListener("load", () => draw(figure, kept));
  img.addEventListener("contextmenu", (e) => { e.preventDefault(); keep(null); });
  img.addEventListener("pointerdown", (e) => {
    if (e.button !== 0) return;
    img.setPointerCapture(e.pointerId);
    from = at(e);
  });
  img.addEventListener("pointermove", (e) => { if (from) draw(figure, around(from, at(e))); });
  img.addEventListener("pointercancel", () => { from = null; draw(figure, kept); });
  img.addEventListener("pointerup", (e) => {
    if (!from) return;
    const box = around(from, at(e));
    from = null;
    if (box[2] - box[0] < 1 || box[3] - box[1] < 1) draw(figure, kept);
    else keep(box);
  });
}
if (boxes) document.querySelectorAll("figure").forEach(boxable);
