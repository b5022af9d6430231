package mujoco

import (
	"context"
	"errors"
	"io/fs"
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
type Engine struct{}

// Open obtains the engine file (cache, then Options.Path, then the npm client; the error names all three), compiles it or reads the compiled
// code from the cache, and checks its version. Cold it takes seconds, warm about a tenth of one. The caller closes the Engine.
func Open(ctx context.Context, o Options) (*Engine, error) {
	return nil, errors.New("opening the physics engine: not built yet")
}

// Close frees the engine and every Sim that is still open.
func (e *Engine) Close(ctx context.Context) error { return nil }

// Load compiles the MJCF file called name in files, with its includes, meshes and textures from the same file system (paths relative to the
// folder of name, as MuJoCo resolves them), and evaluates it once (Forward), so that all views hold values. What MuJoCo objects to comes back as
// a *ModelError. Each Sim has an engine instance of its own; the caller closes it.
func (e *Engine) Load(ctx context.Context, files fs.FS, name string) (*Sim, error) {
	return nil, errors.New("loading a scene: not built yet")
}
