// Package fetch obtains the engine file: the one mujoco.wasm that the rest of this repository was checked against.
//
// Its one invariant: what Wasm returns has the known sha256, wherever it came from. Start with Wasm.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Source says where to look. Fields marked "fake" have working defaults and exist so that a test can stand in for the machine.
type Source struct {
	Dir      string       // cache folder, created when needed
	Path     string       // file given by the user, "" for none
	Progress func(string) // receives one line before each slow step; may be nil

	NPM     string        // fake: the npm program, "" = "npm" from PATH
	Timeout time.Duration // fake: limit of one run of npm, 0 = 5 minutes
}

// Remedy is how a user gets the engine file onto a machine; every error of this package that has a remedy ends with it.
const Remedy = "on a machine with a network run \"npm pack " + Package + "\", copy the .tgz here and pass it with --engine FILE or REIN_ENGINE=FILE"

// npmTimeout is how long the npm client may take.
const npmTimeout = 5 * time.Minute

// Wasm returns the engine file, from the first of: the cache folder, Source.Path, the npm client. What it had to obtain it puts into the cache
// folder (under a lock, by renaming), so that several processes may do this at once. When nothing serves, the one error names all three.
func Wasm(ctx context.Context, s Source) ([]byte, error) {
	wasm, cacheErr := s.fromCache()
	if cacheErr == nil {
		return wasm, nil
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("creating the engine's cache folder: %w", err)
	}
	unlock, err := s.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if wasm, cacheErr = s.fromCache(); cacheErr == nil {
		return wasm, nil // another process has just put it there
	}
	got, pathErr := s.fromPath()
	if pathErr != nil {
		var npmErr error
		if got, npmErr = s.fromNPM(ctx); npmErr != nil {
			return nil, missing(cacheErr, pathErr, npmErr)
		}
	}
	if err := WriteFile(filepath.Join(s.Dir, got.cacheName), got.content); err != nil {
		return nil, fmt.Errorf("keeping the engine file: %w", err)
	}
	return got.wasm, nil
}

// fromCache reads whichever form of the engine file the cache folder holds.
func (s Source) fromCache() ([]byte, error) {
	var errs []error
	for _, name := range []string{ArchiveFile, WasmFile} {
		f, err := read(filepath.Join(s.Dir, name))
		if err == nil {
			return f.wasm, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 {
		return nil, errors.New("not there yet")
	}
	return nil, errors.Join(errs...)
}

// missing is the error when no source serves.
func missing(cache, path, npm error) error {
	return fmt.Errorf("the physics engine (MuJoCo, %s) is not on this machine:\n  cache: %w\n  --engine or REIN_ENGINE: %w\n  npm client: %w\nremedy: install npm (it comes with Node.js) and connect once, or %s",
		Package, cache, path, npm, Remedy)
}

var errNotGiven = errors.New("not given")

// fromPath reads the file the user named.
func (s Source) fromPath() (file, error) {
	if s.Path == "" {
		return file{}, errNotGiven
	}
	s.say("reading the physics engine from " + s.Path)
	return read(s.Path)
}

func (s Source) say(line string) {
	if s.Progress != nil {
		s.Progress(line)
	}
}

// WriteFile writes a file so that a reader sees all of it or nothing: under another name first, then renamed.
func WriteFile(name string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails, as it should, once renamed
	_, err = tmp.Write(content)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
