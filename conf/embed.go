// Package conf holds the configuration folders that are part of the program: real folders to copy and edit.
//
// Its one invariant: what is embedded is what lies in the repository.
package conf

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed tabletop wrist
var folders embed.FS

// Default is the configuration that is used when no other is asked for.
const Default = "tabletop"

// Open is the embedded configuration of that name.
func Open(name string) (fs.FS, error) {
	if slices.Contains(Names(), name) {
		return fs.Sub(folders, name)
	}
	return nil, fmt.Errorf("opening configuration: none is called %q; there are %s", name, strings.Join(Names(), ", "))
}

// Names lists the embedded configurations, the default first.
func Names() []string { return []string{Default, "wrist"} }
