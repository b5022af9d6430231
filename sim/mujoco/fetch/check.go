package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// The one version this repository works with, as npm and the vendor published it.
const (
	Package       = "@mujoco/mujoco@3.12.0"
	WasmFile      = "mujoco.wasm"              // name in the cache, when the user gave the bare engine file
	ArchiveFile   = "mujoco-mujoco-3.12.0.tgz" // name in the cache of the npm archive
	archiveMember = "package/mujoco.wasm"

	ArchiveSHA512 = "MPBSdhD7XsVkKD2owRlzf2mZzd8Qiz7v3zK9MaPc6X7ZS7LdBpQ5bgmdSrvXy6AsKHGlSocWRP9UmdV/I5+cZA==" // base64
	WasmSHA256    = "70f991e34b22674611d0cba181a9afb7b66914557c0817d5b5b0f7de10e6d548"                         // hex
)

// sizeLimit bounds what is read from a file that claims to be the engine: twice the size of the real one.
const sizeLimit = 20 << 20

// file is an engine file that has been checked, in one of its two forms.
type file struct {
	content   []byte // as read: archive or engine file
	wasm      []byte // the engine file
	cacheName string // what the cache calls this form
}

// read reads an engine file or the npm archive that holds it; which of the two it is the content says.
func read(name string) (file, error) {
	content, err := readLimited(name)
	if err != nil {
		return file{}, err
	}
	f := file{content: content, wasm: content, cacheName: WasmFile}
	switch {
	case bytes.HasPrefix(content, []byte("\x00asm")):
	case bytes.HasPrefix(content, []byte{0x1f, 0x8b}):
		f.cacheName = ArchiveFile
		if f.wasm, err = extract(name, content); err != nil {
			return file{}, err
		}
	default:
		return file{}, fmt.Errorf("%s is neither the archive (.tgz) nor the engine file (.wasm) of %s", name, Package)
	}
	return f, checkWasm(name, f.wasm)
}

func readLimited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, sizeLimit+1))
	if err == nil && len(content) > sizeLimit {
		err = fmt.Errorf("%s is larger than the engine file can be", name)
	}
	return content, err
}

func checkWasm(name string, wasm []byte) error {
	sum := sha256.Sum256(wasm)
	if got := hex.EncodeToString(sum[:]); got != WasmSHA256 {
		return fmt.Errorf("%s is not the engine file of %s: its sha256 is %s, wanted %s", name, Package, got, WasmSHA256)
	}
	return nil
}

// extract checks the archive as a whole, then takes the engine file out of it.
func extract(name string, archive []byte) ([]byte, error) {
	sum := sha512.Sum512(archive)
	if got := base64.StdEncoding.EncodeToString(sum[:]); got != ArchiveSHA512 {
		return nil, fmt.Errorf("%s is not the archive of %s: its sha512 is %s, wanted %s", name, Package, got, ArchiveSHA512)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", name, err)
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s holds no %s", name, archiveMember)
		}
		if err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", name, err)
		}
		if h.Name != archiveMember {
			continue
		}
		wasm, err := io.ReadAll(io.LimitReader(r, sizeLimit))
		if err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", name, err)
		}
		return wasm, nil
	}
}
