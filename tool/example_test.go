package tool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/rein-robotics/rein/tool"
)

// area is what the planner says.
type area struct {
	Length float64 `json:"length_m" jsonschema:"along x, metres"`
	Width  float64 `json:"width_m" jsonschema:"along y, metres"`
	Rim    float64 `json:"rim_m,omitempty" jsonschema:"that stays free all around, metres"`
}

// places is what it gets back.
type places struct {
	Cubes int `json:"cubes"`
}

// fit says how many cubes of 4 cm stand on an area.
func fit(ctx context.Context, in area) (places, error) {
	const cube = 0.04
	l, w := in.Length-2*in.Rim, in.Width-2*in.Rim
	if l <= 0 || w <= 0 {
		return places{}, fmt.Errorf("the rim of %.2f m leaves nothing of %.2f × %.2f m", in.Rim, in.Length, in.Width)
	}
	tool.Print(ctx, "reckoned\n") // read with read_job, if the tool runs in the background
	return places{Cubes: int(l/cube) * int(w/cube)}, nil
}

// A tool is a typed function with a name, a description and what it does to the world.
func Example() {
	t, err := tool.New("fit", "How many cubes stand on an area.", tool.Reads, fit)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, args := range []string{`{"length_m":0.21,"width_m":0.13}`, `{"length_m":0.21,"width_m":0.13,"rim_m":0.1}`, `{"length_m":"0.21","width_m":0.13}`, `{"length_m":0.21,"width_m":0.13,"rim":0.1}`} {
		got, err := t.Run(context.Background(), json.RawMessage(args))
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Printf("%+v\n", got)
	}
	// Output:
	// {Cubes:15}
	// refused: the rim of 0.10 m leaves nothing of 0.21 × 0.13 m
	// refused: length_m must be number, got "0.21"
	// refused: rim is not a parameter; known are length_m, rim_m, width_m
}
