"""Steps a scene with the native build (pip install mujoco==3.12.0) and prints the steps per second of processor time:
python speed.py SCENE STEPS"""
import sys
import time

import mujoco

model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
steps = int(sys.argv[2])


def run(n):
    for i in range(0, n, 10):
        for a in range(model.nu):
            phase = (i // 250 + a) % 3
            low, high = model.actuator_ctrlrange[a]
            data.ctrl[a] = low * 0.25 if phase == 0 else high * 0.25 if phase == 1 else 0
        mujoco.mj_step(model, data, nstep=10)


run(1000)
mujoco.mj_resetData(model, data)
start = time.process_time()
run(steps)
print(steps / (time.process_time() - start))
