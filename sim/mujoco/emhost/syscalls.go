package emhost

import (
	"io/fs"
	"time"
)

// openat is __syscall_openat: descriptor or negative error number. The directory argument is ignored: every path is taken from the root.
func (p *Process) openat(name, flags uint32) uint32 {
	return uint32(p.files.openat(p.cstring(name), flags))
}

// stat is __syscall_stat64 and its relatives.
func (p *Process) stat(name, buf uint32) uint32 {
	info, errno := p.files.stat(p.cstring(name))
	if errno != 0 {
		return fail(errno)
	}
	p.writeStat(buf, info.Size(), info.Mode())
	return 0
}

func (p *Process) fstat(fd, buf uint32) uint32 {
	if f := p.files.get(int32(fd)); f != nil {
		p.writeStat(buf, int64(len(f.content)), 0o444)
		return 0
	}
	if fd < firstFile {
		p.writeStat(buf, 0, fs.ModeCharDevice|0o666)
		return 0
	}
	return fail(errnoBadFile)
}

// statSize is the size of struct stat.
const statSize = 96

func (p *Process) writeStat(buf uint32, size int64, mode fs.FileMode) {
	const regular, directory, device = 0o100000, 0o040000, 0o020000
	kind := uint32(regular)
	switch {
	case mode.IsDir():
		kind = directory
	case mode&fs.ModeCharDevice != 0:
		kind = device
	}
	clear(p.bytes(buf, statSize))
	p.store32(buf, 1) // device
	p.store32(buf+4, kind|uint32(mode.Perm()))
	p.store32(buf+8, 1) // links
	p.store64(buf+24, uint64(size))
	p.store32(buf+32, 4096) // block size
	p.store32(buf+36, uint32((size+4095)/4096))
}

// fdWrite collects the buffers of an iovec list.
func (p *Process) fdWrite(fd int32, iovs, count, written uint32) uint32 {
	f := p.files.get(fd)
	if fd == 0 || (fd >= firstFile && f == nil) {
		return errnoBadFile
	}
	if f != nil && !f.sink {
		return errnoReadOnly
	}
	var total uint32
	for i := range count {
		b := p.bytes(p.load32(iovs+8*i), p.load32(iovs+8*i+4))
		p.out.write(b)
		total += uint32(len(b))
	}
	p.store32(written, total)
	return 0
}

// fdRead fills the buffers of an iovec list. Standard input is always at its end.
func (p *Process) fdRead(fd int32, iovs, count, got uint32) uint32 {
	f := p.files.get(fd)
	if f == nil && fd != 0 {
		return errnoBadFile
	}
	var total int
	for i := uint32(0); f != nil && i < count; i++ {
		b := p.bytes(p.load32(iovs+8*i), p.load32(iovs+8*i+4))
		n := f.read(b)
		total += n
		if n < len(b) {
			break
		}
	}
	p.store32(got, uint32(total))
	return 0
}

func (p *Process) fdSeek(fd int32, offset int64, whence, result uint32) uint32 {
	f := p.files.get(fd)
	if f == nil {
		return errnoSpipe
	}
	at, errno := f.seek(offset, whence)
	if errno != 0 {
		return uint32(errno)
	}
	p.store64(result, uint64(at))
	return 0
}

// fcntl answers what the C library asks about a stream it opened.
func (p *Process) fcntl(fd int32, cmd uint32) uint32 {
	const getFlags, setFlags, readWrite = 3, 4, 2
	f := p.files.get(fd)
	if f == nil && fd >= firstFile {
		return fail(errnoBadFile)
	}
	if cmd == getFlags && (f == nil || f.sink) {
		return readWrite
	}
	if cmd == setFlags || cmd <= getFlags {
		return 0
	}
	return fail(errnoInvalid)
}

// clockTime is clock_time_get: clock 0 is the wall clock, the others count from the start of the process.
func (p *Process) clockTime(id, result uint32) uint32 {
	ns := time.Since(p.start).Nanoseconds()
	if id == 0 {
		ns = time.Now().UnixNano()
	}
	p.store64(result, uint64(ns))
	return 0
}

// milliseconds since the process started, for emscripten_get_now.
func (p *Process) milliseconds() float64 { return time.Since(p.start).Seconds() * 1e3 }

// unixMilliseconds is emscripten_date_now: whole milliseconds, as Date.now counts.
func unixMilliseconds() float64 { return float64(time.Now().UnixMilli()) }

// localtime writes a struct tm; the program's time zone is UTC.
func (p *Process) localtime(seconds int64, tm uint32) {
	t := time.Unix(seconds, 0).UTC()
	for i, v := range []int{
		t.Second(), t.Minute(), t.Hour(), t.Day(), int(t.Month()) - 1, t.Year() - 1900,
		int(t.Weekday()), t.YearDay() - 1, 0, 0,
	} {
		p.store32(tm+4*uint32(i), uint32(v))
	}
}

// mktime reads a struct tm of UTC.
func (p *Process) mktime(tm uint32) int64 {
	at := func(i uint32) int { return int(int32(p.load32(tm + 4*i))) }
	return time.Date(at(5)+1900, time.Month(at(4)+1), at(3), at(2), at(1), at(0), 0, time.UTC).Unix()
}
