package mujoco

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/rein-robotics/rein/sim/mujoco/emhost"
	"github.com/rein-robotics/rein/sim/mujoco/fetch"
	"github.com/tetratelabs/wazero"
)

// Version is the MuJoCo version this package hosts, as mj_version reports it.
const Version = 3012000

// Options says where the engine file may come from. The zero value works on a machine with npm or a filled cache.
type Options struct {
	// Path names a file given by the user (--engine, REIN_ENGINE): the npm archive (.tgz) or the mujoco.wasm inside it. It is checked by
	// hash. When Path is set the npm client is never run.
	Path string
	// CacheDir is the folder that keeps the engine file and its compiled code; "" means "rein" in os.UserCacheDir.
	CacheDir string
	// Progress receives one line before each slow step; nil discards them.
	Progress func(string)
}

// Engine is the compiled physics engine, from which scenes are loaded. All methods may be called from many goroutines.
type Engine struct {
	// fixed at creation
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule

	mu     sync.Mutex
	closed bool          // guarded by mu
	open   map[*Sim]bool // guarded by mu
}

// ErrClosed is the error of calls to an Engine or a Sim after its Close.
var ErrClosed = errors.New("the physics engine is closed")

// Open obtains the engine file (cache, then Options.Path, then the npm client; the error names all three), compiles it or reads the compiled
// code from the cache, and checks its version. Cold it takes seconds, warm about a tenth of one. The caller closes the Engine.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if err := thisMachine().supported(); err != nil {
		return nil, err
	}
	dir, err := cacheDir(o.CacheDir)
	if err != nil {
		return nil, err
	}
	src := fetch.Source{Dir: dir, Path: o.Path, Progress: o.Progress}
	wasm, err := patchedWasm(ctx, src)
	if err != nil {
		return nil, err
	}
	e := &Engine{open: map[*Sim]bool{}}
	if err := e.compile(ctx, wasm, newCompiledCache(src)); err != nil {
		return nil, errors.Join(err, e.Close(context.WithoutCancel(ctx)))
	}
	if err := e.check(ctx); err != nil {
		return nil, errors.Join(err, e.Close(context.WithoutCancel(ctx)))
	}
	return e, nil
}

// cacheDir is the folder of this engine version.
func cacheDir(root string) (string, error) {
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding the user's cache folder: %w (set HOME or XDG_CACHE_HOME)", err)
		}
		root = filepath.Join(user, "rein")
	}
	return filepath.Join(root, "mujoco-3.12.0"), nil
}

// check starts an instance once and compares its version with the one the struct layout belongs to.
func (e *Engine) check(ctx context.Context) error {
	in, err := e.instantiate(ctx, nil)
	if err != nil {
		return err
	}
	defer in.close(ctx)
	got, err := in.call("mj_version")
	if err != nil {
		return fmt.Errorf("asking the physics engine for its version: %w", err)
	}
	if got != Version {
		return fmt.Errorf("the physics engine is version %d, wanted %d", got, Version)
	}
	return nil
}

// Close frees the engine and every Sim that is still open. No Sim may be in use meanwhile.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	sims := e.open
	e.open, e.closed = nil, true
	e.mu.Unlock()
	var errs []error
	for s := range sims {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, e.release(ctx))...)
}

// Load compiles the MJCF file called name in files, with its includes, meshes and textures from the same file system (paths relative to the
// folder of name, as MuJoCo resolves them), and evaluates it once (Forward), so that all views hold values. What MuJoCo objects to comes back as
// a *ModelError. Each Sim has an engine instance of its own; the caller closes it.
func (e *Engine) Load(ctx context.Context, files fs.FS, name string) (*Sim, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	in, err := e.instantiate(ctx, files)
	if err != nil {
		return nil, err
	}
	s := &Sim{engine: e, in: in, mem: in.mem}
	if err := s.load(name); err != nil {
		in.close(ctx)
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		in.close(ctx)
		return nil, ErrClosed
	}
	e.open[s] = true
	return s, nil
}

// instantiate makes a fresh instance whose program reads from files.
func (e *Engine) instantiate(ctx context.Context, files fs.FS) (*instance, error) {
	e.mu.Lock()
	closed := e.closed
	e.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	mod, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("starting the physics engine: %w", err)
	}
	in := &instance{mod: mod, mem: mod.Memory(), process: emhost.NewProcess(files)}
	if err := in.process.Attach(mod); err != nil {
		in.close(ctx)
		return nil, fmt.Errorf("starting the physics engine: %w", err)
	}
	return in, nil
}

// forget takes a closed Sim off the list.
func (e *Engine) forget(s *Sim) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.open, s)
}

// say reports a slow step.
func say(progress func(string), line string) {
	if progress != nil {
		progress(line)
	}
}

// engineError adds what the engine printed to an error of a call.
func engineError(err error, printed string) string {
	return cmp.Or(printed, err.Error())
}
