package mujoco_test

import (
	"context"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/rein-robotics/rein/sim/mujoco"
)

func ExampleOpen() {
	ctx := context.Background()
	engine, err := mujoco.Open(ctx, mujoco.Options{Path: os.Getenv("REIN_ENGINE")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close(ctx)
	scene := `<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body name="ball" pos="0 0 1">
      <freejoint/>
      <geom type="sphere" size="0.1"/>
    </body>
  </worldbody>
</mujoco>`
	sim, err := engine.Load(ctx, fstest.MapFS{"ball.xml": {Data: []byte(scene)}}, "ball.xml")
	if err != nil {
		fmt.Println(err)
		return
	}
	ball := sim.ID(mujoco.KindBody, "ball")
	for range 3 {
		fmt.Printf("%.1f s: height %.2f m, %d contacts\n", sim.Time(), sim.XPos()[3*ball+2], sim.NContact())
		if err := sim.Step(250); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output:
	// 0.0 s: height 1.00 m, 0 contacts
	// 0.5 s: height 0.09 m, 1 contacts
	// 1.0 s: height 0.10 m, 1 contacts
}
