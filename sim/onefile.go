package sim

import (
	"io/fs"
	"strings"
	"time"
)

// openFile is the engine's document while it is read.
type openFile struct {
	*strings.Reader
	size int64
}

func newOpenFile(text string) *openFile {
	return &openFile{Reader: strings.NewReader(text), size: int64(len(text))}
}

func (f *openFile) Close() error               { return nil }
func (f *openFile) Stat() (fs.FileInfo, error) { return fileInfo(f.size), nil }

// fileInfo describes the document by its size.
type fileInfo int64

func (i fileInfo) Name() string       { return documentName }
func (i fileInfo) Size() int64        { return int64(i) }
func (i fileInfo) Mode() fs.FileMode  { return 0o444 }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }
