// Command picture makes the picture of the README: the default scene with a battery in the gripper, as the simulator
// draws it for people.
//
//	go run ./cmd/picture docs/picture.png
//
// The arm is led by hand here, without planner and skills; physics and drawing are those of every run.
package main

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"time"

	"gonum.org/v1/gonum/spatial/r3"

	"github.com/rein-robotics/rein/app"
	"github.com/rein-robotics/rein/conf"
	"github.com/rein-robotics/rein/config"
	"github.com/rein-robotics/rein/geom"
	"github.com/rein-robotics/rein/robot"
	simrobot "github.com/rein-robotics/rein/robot/sim"
	"github.com/rein-robotics/rein/sim"
	"github.com/rein-robotics/rein/sim/mujoco"
	"github.com/rein-robotics/rein/sim/render"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./cmd/picture FILE.png")
		os.Exit(2)
	}
	if err := draw(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// draw picks battery_1 of the default scene up and draws what there is to see.
func draw(ctx context.Context, path string) (err error) {
	eng, err := mujoco.Open(ctx, mujoco.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eng.Close(ctx)) }()
	h, err := open(ctx, eng)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.robot.Close()) }()
	yaw := geom.Rad(20) // as battery_1 lies
	on := geom.Vec{X: 0.190, Y: 0.015, Z: 0.006}
	over := geom.Vec{X: on.X, Y: on.Y, Z: 0.10}
	if err := errors.Join(
		h.jaw(ctx, 0.035), h.line(ctx, over, on, yaw), h.jaw(ctx, 0), h.line(ctx, on, over, yaw),
		h.line(ctx, over, geom.Vec{X: 0.17, Y: 0.14, Z: 0.15}, yaw),
	); err != nil {
		return err
	}
	return write(h.robot, path)
}

func write(r *simrobot.Robot, path string) error {
	var seen *render.Scene
	r.Film(time.Second, func(_ time.Duration, s *render.Scene) { seen = s })()
	seen.Background = render.Room()
	var pen render.Renderer
	img, _ := pen.Render(seen, app.Beside(960, 720), render.Options{Quality: robot.Fine})
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(file, img), file.Close())
}

// hand leads the arm of the default configuration.
type hand struct {
	robot        *simrobot.Robot
	arm, gripper string
	shape        geom.ArmShape
	q            []float64
}

func open(ctx context.Context, eng *mujoco.Engine) (*hand, error) {
	files, err := conf.Open(conf.Default)
	if err != nil {
		return nil, err
	}
	folder, err := config.Load(files)
	if err != nil {
		return nil, err
	}
	scene, err := sim.LoadScene(files, folder.Robot.Scene)
	if err != nil {
		return nil, err
	}
	h := &hand{shape: geom.DefaultArmShape()}
	h.q = h.shape.Home()
	body := folder.Robot.Description()
	for i := range body.Modules {
		if a := body.Modules[i].Arm; a != nil {
			h.arm, h.gripper = body.Modules[i].Name, a.Gripper
		}
	}
	h.robot, err = simrobot.Open(ctx, simrobot.Config{Description: body, Home: map[string][]float64{h.arm: h.q}, Scene: scene, Engine: eng})
	return h, err
}

// line leads the fingertips along a line in two seconds, from wherever they are.
func (h *hand) line(ctx context.Context, from, to geom.Vec, yaw float64) error {
	const steps = 200
	begin := h.q
	for i := 1; i <= steps; i++ {
		s := float64(i) / steps
		q, err := h.shape.ToolDown(r3.Add(from, r3.Scale(s, r3.Sub(to, from))), yaw, h.q)
		if err != nil {
			return err
		}
		blend := min(4*s, 1) // the arm joins the line in its first quarter
		for j := range q {
			q[j] = begin[j] + blend*(q[j]-begin[j])
		}
		if err := h.do(ctx, robot.Target{Module: h.arm, Joints: q}, 1); err != nil {
			return err
		}
		h.q = q
	}
	return h.do(ctx, robot.Target{Module: h.arm, Joints: h.q}, 30)
}

func (h *hand) jaw(ctx context.Context, apertureM float64) error {
	return h.do(ctx, robot.Target{Module: h.gripper, ApertureM: &apertureM, ForceN: 4}, 80)
}

// do hands a target to the robot and lets some control periods go by.
func (h *hand) do(ctx context.Context, t robot.Target, periods int) error {
	if err := h.robot.Do(robot.Command{Owner: robot.OwnerOperator, Target: t}); err != nil {
		return err
	}
	for range periods {
		if err := h.robot.Clock().Advance(ctx); err != nil {
			return err
		}
	}
	return nil
}
