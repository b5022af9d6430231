package emhost

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// hostFunc is a host function: args are the raw parameters, of which an integer of 32 bits has garbage in its upper half (hence u32); the result
// is ignored when the import has none.
type hostFunc func(p *Process, args []uint64) uint64

func u32(v uint64) uint32  { return uint32(v) }
func i32(v uint64) int32   { return int32(uint32(v)) }
func wide(v uint32) uint64 { return uint64(v) }

// Imports gives runtime everything that compiled imports. It is called once for a runtime, before the first instance.
func Imports(ctx context.Context, runtime wazero.Runtime, compiled wazero.CompiledModule) error {
	known := functions()
	builders := map[string]wazero.HostModuleBuilder{}
	for _, def := range compiled.ImportedFunctions() {
		module, name, _ := def.Import()
		b, ok := builders[module]
		if !ok {
			b = runtime.NewHostModuleBuilder(module)
			builders[module] = b
		}
		f := hostFunction(module, name, def, known)
		b.NewFunctionBuilder().WithGoModuleFunction(f, def.ParamTypes(), def.ResultTypes()).Export(name)
	}
	for module, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("offering the functions of %s: %w", module, err)
		}
	}
	return nil
}

// hostFunction returns the implementation of one import. A function that is not known stops the program when it is called.
func hostFunction(module, name string, def api.FunctionDefinition, known map[string]hostFunc) api.GoModuleFunction {
	if strings.HasPrefix(name, "invoke_") && len(def.ParamTypes()) > 0 {
		return newInvoker(def.ParamTypes(), def.ResultTypes())
	}
	f, ok := known[name]
	if !ok {
		return api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
			panic(&Exit{Reason: "it called " + module + "." + name + ", which this host does not have"})
		})
	}
	results := len(def.ResultTypes())
	return api.GoModuleFunc(func(ctx context.Context, _ api.Module, stack []uint64) {
		v := f(processOf(ctx), stack)
		if results > 0 {
			stack[0] = v
		}
	})
}

// functions lists the imports this host knows, by name.
func functions() map[string]hostFunc {
	all := exceptionFunctions()
	for _, more := range []map[string]hostFunc{fileFunctions(), processFunctions()} {
		maps.Copy(all, more)
	}
	return all
}

func exceptionFunctions() map[string]hostFunc {
	return map[string]hostFunc{
		"__cxa_throw":                 func(p *Process, a []uint64) uint64 { p.cxaThrow(u32(a[0]), u32(a[1]), u32(a[2])); return 0 },
		"__resumeException":           func(p *Process, a []uint64) uint64 { p.resumeException(u32(a[0])); return 0 },
		"__cxa_find_matching_catch_2": func(p *Process, _ []uint64) uint64 { return wide(p.findMatchingCatch()) },
		"__cxa_find_matching_catch_3": func(p *Process, a []uint64) uint64 { return wide(p.findMatchingCatch(u32(a[0]))) },
		"__cxa_find_matching_catch_4": func(p *Process, a []uint64) uint64 {
			return wide(p.findMatchingCatch(u32(a[0]), u32(a[1])))
		},
		"__cxa_begin_catch":               func(p *Process, a []uint64) uint64 { return wide(p.beginCatch(u32(a[0]))) },
		"__cxa_end_catch":                 func(p *Process, _ []uint64) uint64 { p.endCatch(); return 0 },
		"__cxa_rethrow":                   func(p *Process, _ []uint64) uint64 { p.rethrow(); return 0 },
		"__cxa_rethrow_primary_exception": func(p *Process, a []uint64) uint64 { p.rethrowPrimary(u32(a[0])); return 0 },
		"__cxa_current_primary_exception": func(p *Process, _ []uint64) uint64 { return wide(p.currentPrimary()) },
		"__cxa_uncaught_exceptions":       func(p *Process, _ []uint64) uint64 { return wide(uint32(p.exceptions.uncaught)) },
		"llvm_eh_typeid_for":              func(_ *Process, a []uint64) uint64 { return wide(u32(a[0])) },
	}
}

func fileFunctions() map[string]hostFunc {
	return map[string]hostFunc{
		"__syscall_openat":     func(p *Process, a []uint64) uint64 { return wide(p.openat(u32(a[1]), u32(a[2]))) },
		"__syscall_stat64":     func(p *Process, a []uint64) uint64 { return wide(p.stat(u32(a[0]), u32(a[1]))) },
		"__syscall_lstat64":    func(p *Process, a []uint64) uint64 { return wide(p.stat(u32(a[0]), u32(a[1]))) },
		"__syscall_newfstatat": func(p *Process, a []uint64) uint64 { return wide(p.stat(u32(a[1]), u32(a[2]))) },
		"__syscall_fstat64":    func(p *Process, a []uint64) uint64 { return wide(p.fstat(u32(a[0]), u32(a[1]))) },
		"__syscall_fcntl64":    func(p *Process, a []uint64) uint64 { return wide(p.fcntl(i32(a[0]), u32(a[1]))) },
		"__syscall_ioctl":      func(*Process, []uint64) uint64 { return wide(fail(errnoNotTTY)) },
		"__syscall_dup3":       func(*Process, []uint64) uint64 { return wide(fail(errnoBadFile)) },
		"fd_close":             func(p *Process, a []uint64) uint64 { return wide(uint32(p.files.close(i32(a[0])))) },
		"fd_write": func(p *Process, a []uint64) uint64 {
			return wide(p.fdWrite(i32(a[0]), u32(a[1]), u32(a[2]), u32(a[3])))
		},
		"fd_read": func(p *Process, a []uint64) uint64 { return wide(p.fdRead(i32(a[0]), u32(a[1]), u32(a[2]), u32(a[3]))) },
		"fd_seek": func(p *Process, a []uint64) uint64 {
			return wide(p.fdSeek(i32(a[0]), int64(a[1]), u32(a[2]), u32(a[3])))
		},
	}
}

func processFunctions() map[string]hostFunc {
	return map[string]hostFunc{
		"exit":           func(_ *Process, a []uint64) uint64 { panic(&Exit{Code: i32(a[0])}) },
		"_abort_js":      func(*Process, []uint64) uint64 { panic(&Exit{Reason: "abort"}) },
		"__assert_fail":  func(p *Process, a []uint64) uint64 { panic(&Exit{Reason: "assertion failed: " + p.cstring(u32(a[0]))}) },
		"environ_get":    func(*Process, []uint64) uint64 { return 0 },
		"clock_time_get": func(p *Process, a []uint64) uint64 { return wide(p.clockTime(u32(a[0]), u32(a[2]))) },
		"environ_sizes_get": func(p *Process, a []uint64) uint64 {
			p.store32(u32(a[0]), 0)
			p.store32(u32(a[1]), 0)
			return 0
		},
		"emscripten_date_now":     func(*Process, []uint64) uint64 { return api.EncodeF64(unixMilliseconds()) },
		"emscripten_get_now":      func(p *Process, _ []uint64) uint64 { return api.EncodeF64(p.milliseconds()) },
		"emscripten_get_heap_max": func(*Process, []uint64) uint64 { return heapMax },
		"emscripten_resize_heap":  func(p *Process, a []uint64) uint64 { return wide(p.resizeHeap(u32(a[0]))) },
		"_localtime_js":           func(p *Process, a []uint64) uint64 { p.localtime(int64(a[0]), u32(a[1])); return 0 },
		"_mktime_js":              func(p *Process, a []uint64) uint64 { return uint64(p.mktime(u32(a[0]))) },
		"_tzset_js": func(p *Process, a []uint64) uint64 {
			p.store32(u32(a[0]), 0)
			p.store32(u32(a[1]), 0)
			p.store8(u32(a[2]), 0)
			p.store8(u32(a[3]), 0)
			return 0
		},
	}
}
