// Command docgen writes docs/configuration.md from the structs of the configuration: their yaml and check tags, comments
// and defaults.
//
// Its one invariant: it says nothing that the decoder does not do, for it reads what the decoder reads.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: docgen REPOSITORY FILE")
		os.Exit(2)
	}
	text, err := Page(os.Args[1])
	if err == nil {
		err = os.WriteFile(os.Args[2], []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
