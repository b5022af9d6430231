package mujoco

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rein-robotics/rein/sim/mujoco/emhost"
	"github.com/rein-robotics/rein/sim/mujoco/fetch"
	"github.com/rein-robotics/rein/sim/mujoco/wasmpatch"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// WazeroVersion is the version in go.mod. Compiled code is kept apart by it, because wazero itself tells its versions apart only in a finished binary.
const WazeroVersion = "v1.12.0"

// PatchedSHA256 is the hash of the engine file after the changes of plan: it lets a warm start read the small file without the large one. A test
// compares it with a fresh patch.
const PatchedSHA256 = "48de97639927afc3dff142d671b707ee959b97d940828daa2a928aa1fb616528"

// stepLoop is the name of the stepping loop that the patch adds.
const stepLoop = "rein_steps"

// plan is what is changed in the engine file before it is compiled: the C functions that this package calls are exported, the code that binds the
// program to JavaScript is taken out, and the constructors that register those bindings do nothing. Without the last of them MuJoCo keeps its own error
// handling: it prints and exits, which the host turns into a Go error.
func plan() wasmpatch.Plan {
	return wasmpatch.Plan{
		Export: []string{
			"mj_version", "mj_loadXML", "mj_makeData", "mj_forward", "mj_resetData", "mj_resetDataKeyframe",
			"mj_name2id", "mj_id2name", "mj_stateSize", "mj_getState", "mj_setState", "mj_updateSleep",
			"mj_jacSite", "mj_contactForce", "mj_ray",
		},
		Trap: func(name string) bool {
			return strings.Contains(name, "emscripten::") || strings.Contains(name, "mujoco::wasm::")
		},
		Empty: []string{"_GLOBAL__sub_I_bindings.cc", "_GLOBAL__sub_I_bind.cpp", "mujoco::wasm::InitMuJoCoErrorHandler()"},
		Loop:  wasmpatch.Loop{Name: stepLoop, Body: "mj_step"},
	}
}

// patchedWasm returns the patched engine file, from the cache when it is there.
func patchedWasm(ctx context.Context, src fetch.Source) ([]byte, error) {
	name := filepath.Join(src.Dir, "host-"+PatchedSHA256[:16]+".wasm")
	if wasm, err := os.ReadFile(name); err == nil && sha256Hex(wasm) == PatchedSHA256 {
		return wasm, nil
	}
	wasm, err := fetch.Wasm(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("obtaining the physics engine: %w", err)
	}
	patched, err := wasmpatch.Patch(wasm, plan())
	if err != nil {
		return nil, fmt.Errorf("preparing the physics engine: %w", err)
	}
	if err := fetch.WriteFile(name, patched); err != nil {
		return nil, fmt.Errorf("keeping the prepared physics engine: %w", err)
	}
	return patched, nil
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// maxWorkers bounds the goroutines that compile: each needs some 20 MB.
const maxWorkers = 4

// compiledCache is where machine code is kept.
type compiledCache struct {
	dir    string
	source fetch.Source // for its lock and its progress
}

// newCompiledCache names the folder after everything that decides the machine code but wazero's own part, which adds a folder below.
func newCompiledCache(src fetch.Source) compiledCache {
	return compiledCache{filepath.Join(src.Dir, "compiled-"+PatchedSHA256[:8]+"-wazero-"+WazeroVersion), src}
}

// files lists the machine code that is complete, in the folders that match pattern: wazero has one for each of its builds, and a test is another
// build to it than a finished program.
func (c compiledCache) files(pattern string) []string {
	files, err := filepath.Glob(filepath.Join(c.dir, pattern, "*"))
	if err != nil {
		return nil // the pattern is a constant but for the folder
	}
	return slices.DeleteFunc(files, func(name string) bool { return filepath.Ext(name) == ".tmp" })
}

// ready says whether there is machine code for this program.
func (c compiledCache) ready() bool {
	build := "dev"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/tetratelabs/wazero" {
				build = dep.Version
			}
		}
	}
	return len(c.files("wazero-"+build+"-"+runtime.GOARCH+"-"+runtime.GOOS)) > 0
}

// compile fills in the engine's runtime and compiled module. When there is no machine code yet, one process makes it and the others wait. Damaged
// machine code is thrown away and made again.
func (e *Engine) compile(ctx context.Context, wasm []byte, c compiledCache) error {
	if c.ready() {
		err := e.compileOnce(ctx, wasm, c)
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	unlock, err := c.source.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if c.ready() {
		if err := e.compileOnce(ctx, wasm, c); err == nil || ctx.Err() != nil {
			return err // another process has just made it
		}
		say(c.source.Progress, "the compiled physics engine is damaged, making it again")
		if err := c.empty(); err != nil {
			return fmt.Errorf("removing damaged machine code of the physics engine: %w", err)
		}
	}
	say(c.source.Progress, "compiling the physics engine for this machine (a few seconds): once")
	return e.compileOnce(ctx, wasm, c)
}

// empty removes the files of the cache, but neither its folders nor what another process is just writing.
func (c compiledCache) empty() error {
	var errs []error
	for _, name := range c.files("*") {
		errs = append(errs, os.Remove(name))
	}
	return errors.Join(errs...)
}

func (e *Engine) compileOnce(ctx context.Context, wasm []byte, c compiledCache) error {
	if err := e.release(ctx); err != nil {
		return err
	}
	var err error
	if e.cache, err = wazero.NewCompilationCacheWithDir(c.dir); err != nil {
		return fmt.Errorf("opening the cache of compiled code: %w", err)
	}
	// WithCloseOnContextDone stays off: with it stepping is five times slower.
	config := wazero.NewRuntimeConfigCompiler().WithCompilationCache(e.cache)
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	workers := experimental.WithCompilationWorkers(ctx, min(runtime.GOMAXPROCS(0), maxWorkers))
	if e.compiled, err = e.runtime.CompileModule(workers, wasm); err != nil {
		return fmt.Errorf("compiling the physics engine: %w", err)
	}
	return emhost.Imports(ctx, e.runtime, e.compiled)
}

// release closes what an earlier attempt has left.
func (e *Engine) release(ctx context.Context) error {
	var errs []error
	if e.runtime != nil {
		errs = append(errs, e.runtime.Close(ctx))
	}
	if e.cache != nil {
		errs = append(errs, e.cache.Close(ctx))
	}
	e.runtime, e.cache, e.compiled = nil, nil, nil
	return errors.Join(errs...)
}
