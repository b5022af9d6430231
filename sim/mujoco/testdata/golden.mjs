// Steps a scene with the vendor's own package and prints what a test compares bit by bit:
//   node golden.mjs PACKAGE SCENES NAME STEPS EVERY [sizes]
// One line every EVERY steps: the bytes of qpos and qvel in hex, and the number of contacts. With "sizes" it prints the lengths of arrays instead,
// with "speed" the steps per second.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [pkg, scenes, name, steps, every, mode] = process.argv.slice(2);
const load = (await import(pathToFileURL(path.join(pkg, 'mujoco.js')).href)).default;
const mujoco = await load();

function copy(dir, to) {
  for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
    const from = path.join(dir, e.name), dest = to + '/' + e.name;
    if (e.isDirectory()) {
      mujoco.FS.mkdir(dest);
      copy(from, dest);
    } else {
      mujoco.FS.writeFile(dest, fs.readFileSync(from));
    }
  }
}
mujoco.FS.mkdir('/scenes');
copy(scenes, '/scenes');
const model = mujoco.MjModel.mj_loadXML('/scenes/' + name);
const data = new mujoco.MjData(model);

// The controls of the test: every 250 steps each actuator goes to another end of its range, by comparisons only, so that both languages agree.
function drive(step) {
  const ctrl = data.ctrl, range = model.actuator_ctrlrange;
  for (let i = 0; i < model.nu; i++) {
    const phase = (Math.floor(step / 250) + i) % 3;
    ctrl[i] = phase === 0 ? range[2 * i] * 0.25 : phase === 1 ? range[2 * i + 1] * 0.25 : 0;
  }
}
const hex = (a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength).toString('hex');

if (mode === 'sizes') {
  const views = {};
  for (const [prefix, o] of [['model', model], ['data', data]]) {
    for (const key of Object.getOwnPropertyNames(Object.getPrototypeOf(o))) {
      let v;
      try { v = o[key]; } catch { continue; }
      if (ArrayBuffer.isView(v)) views[prefix + '.' + key] = v.length;
    }
  }
  console.log(JSON.stringify(views));
} else if (mode === 'speed') {
  for (let i = 0; i < 200; i++) { drive(i); mujoco.mj_step(model, data); }
  const start = performance.now();
  for (let i = 200; i < 200 + Number(steps); i++) { if (i % 10 === 0) drive(i); mujoco.mj_step(model, data); }
  console.log(Number(steps) / (performance.now() - start) * 1000);
} else {
  for (let i = 0; i < Number(steps); i++) {
    drive(i);
    mujoco.mj_step(model, data);
    if ((i + 1) % Number(every) === 0) console.log(hex(data.qpos), hex(data.qvel), data.ncon);
  }
}
