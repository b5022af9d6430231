package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

var errNotTried = errors.New("not tried, because a file was named")

// fromNPM lets the npm client download the archive into a folder of its own beside the cache.
func (s Source) fromNPM(ctx context.Context) (file, error) {
	if s.Path != "" {
		return file{}, errNotTried
	}
	program, err := exec.LookPath(cmp.Or(s.NPM, "npm"))
	if err != nil {
		return file{}, errors.New("npm is not installed or not in PATH")
	}
	dir, err := os.MkdirTemp(s.Dir, ".npm-*")
	if err != nil {
		return file{}, err
	}
	defer os.RemoveAll(dir)
	s.say("downloading the physics engine, MuJoCo (" + Package + ", 5 MB), with the npm client: once")
	if err := s.pack(ctx, program, dir); err != nil {
		return file{}, err
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return file{}, fmt.Errorf("%q left %d archives, wanted one", "npm pack", len(archives))
	}
	return read(archives[0])
}

// pack runs the npm client; what it says becomes the error.
func (s Source) pack(ctx context.Context, program, dir string) error {
	limit := cmp.Or(s.Timeout, npmTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("npm took longer than %s", limit))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "pack", Package, "--pack-destination", dir, "--ignore-scripts", "--loglevel=error")
	cmd.Dir = dir
	cmd.WaitDelay = 2 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%q: %w: %s", "npm pack "+Package, err, summary(said.String()))
}

// summary joins the lines of npm's complaint that say something, up to a limit.
func summary(said string) string {
	const limit = 300
	var parts []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{"npm error", "npm ERR!"} {
			line = strings.TrimSpace(strings.TrimPrefix(line, prefix))
		}
		if line == "" || strings.HasPrefix(line, "A complete log of this run") || strings.HasSuffix(line, "-debug-0.log") {
			continue
		}
		parts = append(parts, line)
	}
	all := strings.Join(parts, "; ")
	if len(all) > limit {
		all = all[:limit] + "…"
	}
	return cmp.Or(all, "it said nothing")
}
