package mujoco_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rein-robotics/rein/sim/mujoco"
)

var update = flag.Bool("update", false, "write the golden files from what Node computes")

// goldenFile is the committed record of what Node computed.
var goldenFile = filepath.Join("testdata", "golden.json")

// golden is what goldenFile holds.
type golden struct {
	Trajectories map[string]string // scene → sha256 of the lines of golden.mjs
	Sizes        map[string]int    // view → number of values, for the scene of the sizes test
}

func readGolden(t *testing.T) golden {
	t.Helper()
	raw, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func writeGolden(t *testing.T, g golden) {
	t.Helper()
	raw, err := json.MarshalIndent(g, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenFile, append(raw, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// trajectories are the scenes that are compared, and for how many steps.
var trajectories = []struct {
	scene string
	steps int
}{
	{"box.xml", 1000},
	{"mesh.xml", 600},
	{"table.xml", 1200},
	{"table_sleep.xml", 2000},
}

// every is the number of steps between two lines of a trajectory.
const every = 50

func TestTrajectoriesEqualNodeToTheLastBit(t *testing.T) {
	e := openEngine(t)
	want := readGolden(t)
	args := []string{"trajectories", strconv.Itoa(every)}
	for _, tc := range trajectories {
		args = append(args, fmt.Sprintf("%s=%d", tc.scene, tc.steps))
	}
	out, ok := node(t, args...)
	fromNode := map[string]string{}
	for part := range strings.SplitSeq(string(out), "# ") {
		name, lines, _ := strings.Cut(part, "\n")
		fromNode[name] = lines
	}
	for _, tc := range trajectories {
		t.Run(tc.scene, func(t *testing.T) {
			got := trajectory(t, load(t, e, tc.scene), tc.steps)
			if at := firstDifference(got, fromNode[tc.scene]); ok && at >= 0 {
				t.Errorf("line %d differs from Node's:\n got %s\nwant %s", at, line(got, at), line(fromNode[tc.scene], at))
			}
			if *update && ok {
				want.Trajectories[tc.scene] = hash(fromNode[tc.scene])
				writeGolden(t, want)
			}
			if got, want := hash(got), want.Trajectories[tc.scene]; got != want {
				t.Errorf("trajectory hash %s, wanted %s (made by Node)", got, want)
			}
		})
	}
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// trajectory prints what golden.mjs prints.
func trajectory(t *testing.T, s *mujoco.Sim, steps int) string {
	t.Helper()
	var b strings.Builder
	for i := range steps {
		drive(s, i)
		step(t, s, 1)
		if (i+1)%every == 0 {
			fmt.Fprintln(&b, hexOf(s.QPos()), hexOf(s.QVel()), s.NContact())
		}
	}
	return b.String()
}

func hexOf(v []float64) string {
	b := make([]byte, 0, 8*len(v))
	for _, x := range v {
		bits := math.Float64bits(x)
		for range 8 {
			b = append(b, byte(bits))
			bits >>= 8
		}
	}
	return hex.EncodeToString(b)
}

func firstDifference(a, b string) int {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(la), len(lb)) {
		if line(a, i) != line(b, i) {
			return i
		}
	}
	return -1
}

func line(text string, i int) string {
	lines := strings.Split(text, "\n")
	if i >= len(lines) {
		return "(none)"
	}
	return lines[i]
}

// TestSeveralStepsInOneCallAreTheSameSteps fails when the loop that the patch adds counts wrongly.
func TestSeveralStepsInOneCallAreTheSameSteps(t *testing.T) {
	e := openEngine(t)
	one, many := load(t, e, "table.xml"), load(t, e, "table.xml")
	for range 300 {
		step(t, one, 1)
	}
	step(t, many, 0)
	step(t, many, 299)
	step(t, many, 1)
	if diff := cmp.Diff(many.QPos(), one.QPos()); diff != "" {
		t.Error(diff)
	}
	if got, want := many.Time(), one.Time(); got != want {
		t.Errorf("time %v, wanted %v", got, want)
	}
}

// unreadable are the arrays of bool, which the vendor's JavaScript cannot show.
var unreadable = []string{"model.jnt_limited", "model.actuator_ctrllimited", "model.actuator_forcelimited"}

// TestViewsAreAsLongAsTheEnginesArrays compares every view with the array of the same name in the vendor's package.
func TestViewsAreAsLongAsTheEnginesArrays(t *testing.T) {
	const scene = "sizes.xml"
	s := load(t, openEngine(t), scene)
	got := viewSizes(s)
	want := readGolden(t)
	if out, ok := node(t, "sizes", scene); ok {
		var sizes map[string]int
		if err := json.Unmarshal(bytes.TrimSpace(out), &sizes); err != nil {
			t.Fatal(err)
		}
		for _, name := range unreadable {
			sizes[name] = got[name]
		}
		maps.DeleteFunc(sizes, func(name string, _ int) bool { _, ok := got[name]; return !ok })
		if diff := cmp.Diff(got, sizes); diff != "" {
			t.Errorf("views, got and (+) what Node has:\n%s", diff)
		}
		if *update {
			want.Sizes = sizes
			writeGolden(t, want)
		}
	}
	if diff := cmp.Diff(got, want.Sizes); diff != "" {
		t.Errorf("views, got and (+) wanted:\n%s", diff)
	}
	zero := slices.DeleteFunc(slices.Sorted(maps.Keys(got)), func(name string) bool { return got[name] > 0 })
	if len(zero) > 0 {
		t.Errorf("the scene has nothing to see in %v", zero)
	}
}
