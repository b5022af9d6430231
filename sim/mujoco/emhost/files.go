package emhost

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// Error numbers of the WASI interface, which Emscripten's C library uses.
const (
	errnoAccess   = 2
	errnoBadFile  = 8
	errnoInvalid  = 28
	errnoIO       = 29
	errnoNoEntry  = 44
	errnoNotDir   = 54
	errnoReadOnly = 69
	errnoSpipe    = 70
	errnoNotTTY   = 59
)

// fileTable is what the program sees as its file system: the files of an fs.FS below "/", read only, and anything it writes goes to its output.
type fileTable struct {
	root fs.FS
	open []*openFile // index is the descriptor minus firstFile
}

// firstFile is the lowest descriptor of a file: 0, 1 and 2 are the standard streams.
const firstFile = 3

// openFile is a file being read (content) or written (content unused).
type openFile struct {
	content []byte
	offset  int64
	sink    bool
}

// Flags of openat.
const (
	openAccessMask = 3
	openReadOnly   = 0
)

// clean turns a path of the program into one of the fs.FS.
func clean(name string) string {
	name = strings.ReplaceAll(name, "\\", "/")
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if name == "" {
		return "."
	}
	return name
}

// openat opens a file and returns its descriptor, or a negative error number.
func (t *fileTable) openat(name string, flags uint32) int32 {
	f := &openFile{sink: flags&openAccessMask != openReadOnly}
	if !f.sink {
		content, errno := t.read(name)
		if errno != 0 {
			return -errno
		}
		f.content = content
	}
	for i, old := range t.open {
		if old == nil {
			t.open[i] = f
			return int32(i) + firstFile
		}
	}
	t.open = append(t.open, f)
	return int32(len(t.open)-1) + firstFile
}

func (t *fileTable) read(name string) ([]byte, int32) {
	if t.root == nil {
		return nil, errnoNoEntry
	}
	content, err := fs.ReadFile(t.root, clean(name))
	return content, errnoOf(err)
}

func (t *fileTable) stat(name string) (fs.FileInfo, int32) {
	if t.root == nil {
		return nil, errnoNoEntry
	}
	info, err := fs.Stat(t.root, clean(name))
	return info, errnoOf(err)
}

func errnoOf(err error) int32 {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return errnoNoEntry
	case errors.Is(err, fs.ErrPermission):
		return errnoAccess
	case errors.Is(err, fs.ErrInvalid):
		return errnoInvalid
	}
	return errnoIO
}

// get returns an open file, nil for a descriptor that is none.
func (t *fileTable) get(fd int32) *openFile {
	i := fd - firstFile
	if i < 0 || int(i) >= len(t.open) {
		return nil
	}
	return t.open[i]
}

func (t *fileTable) close(fd int32) int32 {
	if fd >= 0 && fd < firstFile {
		return 0
	}
	if t.get(fd) == nil {
		return errnoBadFile
	}
	t.open[fd-firstFile] = nil
	return 0
}

// seek moves the read position and returns the new one.
func (f *openFile) seek(offset int64, whence uint32) (int64, int32) {
	switch whence {
	case 1:
		offset += f.offset
	case 2:
		offset += int64(len(f.content))
	case 0:
	default:
		return 0, errnoInvalid
	}
	if offset < 0 {
		return 0, errnoInvalid
	}
	f.offset = offset
	return offset, 0
}

// read fills dst from the read position.
func (f *openFile) read(dst []byte) int {
	if f.offset >= int64(len(f.content)) {
		return 0
	}
	n := copy(dst, f.content[f.offset:])
	f.offset += int64(n)
	return n
}

// capture collects what the program writes: the first bytes of it, so that a program that writes for ever costs no memory.
type capture struct{ text []byte }

// captureLimit is how much of the output is kept.
const captureLimit = 64 << 10

func (c *capture) write(b []byte) {
	c.text = append(c.text, b[:min(len(b), captureLimit-len(c.text))]...)
}

func (c *capture) take() string {
	s := string(c.text)
	c.text = c.text[:0]
	return s
}

// fail is the result of a system call that failed: the negative error number.
func fail(errno int32) uint32 { return uint32(-errno) }
