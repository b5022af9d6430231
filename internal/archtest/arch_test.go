package archtest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rein-robotics/rein"

// allowed says what each package may import of ours. A name stands for the package and what lies below it.
var allowed = map[string][]string{
	"geom":   {},
	"clock":  {},
	"config": {"robot", "geom"}, // robot.yaml is turned into a robot.Description where it is checked
	"model":  {},
	"tool":   {},
	"robot":  {"geom"},
	"conf":   {},

	"internal/keys":     {}, // what a person types, key by key
	"internal/filelock": {},
	"internal/regular":  {}, // files that others have put there
	"internal/terminal": {}, // what may be printed: for whoever writes words for people

	"vision":          {"robot", "geom"},
	"skill":           {"robot", "geom", "vision", "config"},
	"skill/skilltest": {"robot", "robot/robottest", "geom", "clock", "skill", "vision", "safety", "config"}, // skills on the fake robot, for their tests
	"safety":          {"robot", "geom"},
	"episode":         {"model", "robot", "geom", "internal/terminal", "internal/regular"},

	"sim":                   {"geom", "config", "sim"},
	"sim/mujoco":            {"internal/filelock"},
	"sim/render":            {"geom", "robot"},
	"sim/render/rendertest": {"sim/render", "geom", "robot", "vision"}, // pictures for the tests of what looks at them
	"robot/sim":             {"robot", "geom", "clock", "sim"},
	"robot/robottest":       {"robot", "geom", "clock"},

	"control":  {"robot", "geom", "clock", "skill", "vision", "safety", "episode"},
	"operator": {"episode"},                                                                                                              // front ends give it the control loop
	"agent":    {"robot", "geom", "clock", "skill", "vision", "episode", "control", "model", "tool", "monitor/question", "monitor/rule"}, // the words and the rules of questions, both pure
	"reason":   {"agent", "model", "robot", "geom", "vision", "tool"},

	"monitor":          {"agent", "monitor/question", "monitor/rule", "episode", "model", "robot", "geom", "clock", "vision"},
	"monitor/question": {"config"}, // pure words; eval and the assessors use them without the rest
	"monitor/rule":     {"monitor/question"},

	"eval":         {"eval/measure", "monitor", "monitor/question", "agent", "skill", "episode", "model", "robot", "geom", "vision", "internal/terminal", "internal/regular", "internal/filelock"}, // a recorded tick is asked as the robot asks it
	"eval/measure": {"monitor/question", "monitor/rule", "model"},                                                                                                                                  // numbers, from answers alone
	"eval/report":  {"eval/measure", "monitor/question", "model", "internal/terminal"},

	"app":               {"*"},
	"cmd/rein":          {"app", "internal/terminal"},
	"cmd/grasplab":      {"*"},
	"cmd/seedtable":     {"app"},
	"cmd/picture":       {"*"},
	"internal/archtest": {},
}

// pure packages have no clock, no goroutines and no network of their own.
var pure = []string{
	"geom", "geom/plane", "vision", "vision/detect", "vision/liveness", "safety", "agent/run", "agent/plan", "agent/point", "agent/ledger", "agent/budget", "agent/inbox", "agent/action", "agent/check", "agent/job", "agent/view",
	"monitor/question", "monitor/rule", "monitor/frames", "eval/measure",
}

// Budgets of the style page.
const (
	maxFileLines     = 500
	maxFunctionLines = 100
)

type source struct {
	path string // slashes, relative to the root
	pkg  string
	file *ast.File
	fset *token.FileSet
}

func sources(t *testing.T) []source {
	t.Helper()
	root := "../.."
	var out []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "recordings") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		out = append(out, source{path: filepath.ToSlash(rel), pkg: filepath.ToSlash(filepath.Dir(rel)), file: f, fset: fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("found %d source files only", len(out))
	}
	return out
}

// row is the longest name of the table that stands for the package.
func row(pkg string) (string, bool) {
	for p := pkg; p != "."; p = filepath.ToSlash(filepath.Dir(p)) {
		if _, ok := allowed[p]; ok {
			return p, true
		}
	}
	return "", false
}

func under(pkg, parent string) bool { return pkg == parent || strings.HasPrefix(pkg, parent+"/") }

func mayImport(from, to string) bool {
	r, ok := row(from)
	if !ok {
		return false
	}
	if toRow, ok := row(to); ok && toRow == r {
		return true
	}
	for _, a := range allowed[r] {
		if a == "*" {
			return true
		}
		if toRow, ok := row(to); ok && (toRow == a || toRow == to && to == a || a == r && under(toRow, a)) {
			return true
		}
		// robot/sim may use all of sim; nobody else gets a sub-package with a row of its own by its parent's name.
		if r == "robot/sim" && a == "sim" && under(to, "sim") {
			return true
		}
	}
	return false
}

func TestImportsGoDownOnly(t *testing.T) {
	for _, s := range sources(t) {
		if _, ok := row(s.pkg); !ok {
			t.Errorf("%s: package %s has no row in the table: add it with the reason in the commit", s.path, s.pkg)
			continue
		}
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			to, ours := strings.CutPrefix(path, module+"/")
			if ours && !mayImport(s.pkg, to) {
				t.Errorf("%s: %s may not import %s", s.path, s.pkg, to)
			}
		}
	}
}

func TestOnlyTheRootKnowsTheSimulator(t *testing.T) {
	hidden := []string{"sim", "robot/sim"}
	blind := []string{"reason", "skill", "vision", "agent", "control"}
	for _, s := range sources(t) {
		if !slices.ContainsFunc(blind, func(b string) bool { return under(s.pkg, b) }) {
			continue
		}
		for _, imp := range s.file.Imports {
			path := strings.TrimPrefix(strings.Trim(imp.Path.Value, `"`), module+"/")
			if slices.ContainsFunc(hidden, func(h string) bool { return under(path, h) }) {
				t.Errorf("%s sees the simulator: %s", s.path, path)
			}
		}
	}
}

func TestPurePackagesHaveNoClock(t *testing.T) {
	for _, s := range sources(t) {
		if !slices.Contains(pure, s.pkg) {
			continue
		}
		for _, imp := range s.file.Imports {
			switch path := strings.Trim(imp.Path.Value, `"`); {
			case path == "context", path == "sync", path == "net", strings.HasPrefix(path, "net/"):
				t.Errorf("%s: pure package %s imports %s", s.path, s.pkg, path)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && sel.Sel.Name == "Now" {
					t.Errorf("%s: pure package %s asks for the time", s.fset.Position(sel.Pos()), s.pkg)
				}
			}
			return true
		})
	}
}

func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		if ast.IsGenerated(s.file) {
			continue
		}
		if n := s.fset.File(s.file.Pos()).LineCount(); n > maxFileLines {
			t.Errorf("%s has %d lines, at most %d", s.path, n, maxFileLines)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, at most %d", s.path, f.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

func TestEveryPackageSaysWhatItHolds(t *testing.T) {
	said := map[string]bool{}
	for _, s := range sources(t) {
		said[s.pkg] = said[s.pkg] || s.file.Doc != nil && strings.HasPrefix(s.file.Doc.Text(), fmt.Sprintf("Package %s ", s.file.Name.Name)) ||
			s.file.Name.Name == "main" && s.file.Doc != nil
	}
	for pkg, ok := range said {
		if !ok {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

func TestNoTestSleeps(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "archtest") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), "time.Sleep(") {
			t.Errorf("%s sleeps", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
