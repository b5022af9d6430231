// Steps scenes with the vendor's own package, for the tests and the compare command:
//
//   node golden.mjs PACKAGE SCENES trajectories EVERY NAME=STEPS …   what a test compares bit by bit: a line "# NAME", then one line every EVERY
//                                                                    steps with the bytes of qpos and qvel in hex and the number of contacts
//   node golden.mjs PACKAGE SCENES sizes NAME                        the lengths of all arrays of the model and its state, as JSON
//   node golden.mjs PACKAGE SCENES speed NAME STEPS MILLISECONDS     steps per second of processor time, after so many milliseconds of warming up
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [pkg, scenes, mode, ...args] = process.argv.slice(2);
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

function open(name) {
  const model = mujoco.MjModel.mj_loadXML('/scenes/' + name);
  return { model, data: new mujoco.MjData(model) };
}

// The controls of the tests: every 250 steps each actuator goes to another end of its range, by comparisons only, so that both languages agree.
function drive({ model, data }, step) {
  const ctrl = data.ctrl, range = model.actuator_ctrlrange;
  for (let i = 0; i < model.nu; i++) {
    const phase = (Math.floor(step / 250) + i) % 3;
    ctrl[i] = phase === 0 ? range[2 * i] * 0.25 : phase === 1 ? range[2 * i + 1] * 0.25 : 0;
  }
}

const hex = (a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength).toString('hex');

function trajectories(every, list) {
  for (const item of list) {
    const [name, steps] = item.split('=');
    const sim = open(name);
    console.log('#', name);
    for (let i = 0; i < Number(steps); i++) {
      drive(sim, i);
      mujoco.mj_step(sim.model, sim.data);
      if ((i + 1) % every === 0) console.log(hex(sim.data.qpos), hex(sim.data.qvel), sim.data.ncon);
    }
  }
}

function sizes(name) {
  const all = {};
  for (const [prefix, o] of Object.entries(open(name))) {
    for (const key of Object.getOwnPropertyNames(Object.getPrototypeOf(o))) {
      let v;
      try { v = o[key]; } catch { continue; } // arrays of bool
      if (ArrayBuffer.isView(v)) all[prefix + '.' + key] = v.length;
    }
  }
  console.log(JSON.stringify(all));
}

// Ten steps between two changes of the controls. V8 compiles the module twice, the second time well: hence the warming up.
function speed(name, steps, warm) {
  const sim = open(name);
  const run = (from, n) => {
    for (let i = from; i < from + n; i++) {
      if (i % 10 === 0) drive(sim, i);
      mujoco.mj_step(sim.model, sim.data);
    }
  };
  let at = 0;
  for (const end = performance.now() + warm; performance.now() < end; at += 1000) run(at, 1000);
  mujoco.mj_resetData(sim.model, sim.data);
  const start = process.cpuUsage();
  run(0, steps);
  const used = process.cpuUsage(start);
  console.log(steps / (used.user + used.system) * 1e6);
}

switch (mode) {
  case 'trajectories': trajectories(Number(args[0]), args.slice(1)); break;
  case 'sizes': sizes(args[0]); break;
  case 'speed': speed(args[0], Number(args[1]), Number(args[2])); break;
  default: throw new Error('unknown mode ' + mode);
}
