package labelpage

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rein-robotics/rein/eval"
)

//go:embed page.html page.js page.css
var files embed.FS

// limits of the server.
const (
	mostBody   = 4 << 10
	headerWait = 5 * time.Second
	endWait    = 300 * time.Millisecond
)

// Page serves a sheet. Make one with New; its methods may be called from any goroutine.
type Page struct {
	mux  *http.ServeMux
	html *template.Template
	host string
	quit chan struct{}
	once sync.Once

	mu    sync.Mutex
	sheet *eval.Sheet
}

// New makes the page of a sheet that is served at host ("127.0.0.1:7334"). The sheet belongs to the page from here on.
func New(host string, s *eval.Sheet) (*Page, error) {
	html, err := template.ParseFS(files, "page.html")
	if err != nil {
		return nil, fmt.Errorf("label page: %w", err)
	}
	p := &Page{mux: http.NewServeMux(), html: html, host: host, quit: make(chan struct{}), sheet: s}
	p.mux.HandleFunc("GET /monitor/label", p.show)
	p.mux.HandleFunc("GET /monitor/label/{file}", p.file)
	p.mux.HandleFunc("GET /monitor/label/picture/{tick}/{picture}", p.picture)
	p.mux.HandleFunc("POST /monitor/label/key", p.key)
	p.mux.HandleFunc("POST /monitor/label/box", p.box)
	return p, nil
}

// Quit is closed when the person quits.
func (p *Page) Quit() <-chan struct{} { return p.quit }

// Serve serves a sheet at addr, which must be of this machine, until the person quits or ctx ends. ready is told the
// page's address.
func Serve(ctx context.Context, addr string, s *eval.Sheet, ready func(url string)) error {
	name, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("label page: --addr %s: %w", addr, err)
	}
	if ip := net.ParseIP(name); name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("label page: --addr %s: it serves this machine only; write 127.0.0.1 and a port", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("label page: %w; choose another port with --addr", err)
	}
	p, err := New(l.Addr().String(), s)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	var spare unused
	srv := &http.Server{Handler: p, ConnState: spare.state, ReadHeaderTimeout: headerWait, ReadTimeout: 2 * headerWait, MaxHeaderBytes: 16 << 10}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	ready("http://" + l.Addr().String() + "/monitor/label")
	select {
	case err := <-served:
		return fmt.Errorf("label page: %w", err)
	case <-ctx.Done():
	case <-p.quit:
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	spare.close()
	err = srv.Shutdown(end)
	if err != nil {
		err = srv.Close()
	}
	<-served
	p.mu.Lock() // what is being written is written
	defer p.mu.Unlock()
	return err
}

// unused are the connections that nothing has come on. A browser keeps some for later; no shutdown ends them.
type unused struct {
	mu   sync.Mutex
	list map[net.Conn]bool
}

// state hears what becomes of a connection.
func (u *unused) state(c net.Conn, s http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.list == nil {
		u.list = map[net.Conn]bool{}
	}
	if s == http.StateNew {
		u.list[c] = true
	} else {
		delete(u.list, c)
	}
}

func (u *unused) close() {
	u.mu.Lock()
	list := slices.Collect(maps.Keys(u.list))
	u.mu.Unlock()
	for _, c := range list {
		_ = c.Close() // nobody waits for what comes on it
	}
}

// ServeHTTP refuses what another page or another name sends, then serves.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.ours(r.Host) {
		fail(w, http.StatusForbidden, "bad_host", "this page is not served under that name")
		return
	}
	if o := r.Header.Get("Origin"); o != "" {
		if u, err := url.Parse(o); err != nil || u.Scheme != "http" || u.Host != r.Host {
			fail(w, http.StatusForbidden, "bad_origin", "another page may not use this one")
			return
		}
	}
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" { // no form of another page can send it
		fail(w, http.StatusUnsupportedMediaType, "bad_type", "application/json is wanted")
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	p.mux.ServeHTTP(w, r)
}

// ours says that a name is the one that is served, or localhost at the same port.
func (p *Page) ours(host string) bool {
	if host == p.host {
		return true
	}
	_, port, err := net.SplitHostPort(p.host)
	return err == nil && host == "localhost:"+port
}

func (p *Page) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	if name != "page.js" && name != "page.css" {
		http.NotFound(w, r)
		return
	}
	http.ServeFileFS(w, r, files, name)
}

// picture gives a picture by the numbers of its tick and its place there: no request names a file.
func (p *Page) picture(w http.ResponseWriter, r *http.Request) {
	tick, err1 := strconv.Atoi(r.PathValue("tick"))
	n, err2 := strconv.Atoi(r.PathValue("picture"))
	ticks := p.sheet.Ticks // they do not change
	if err1 != nil || err2 != nil || tick < 0 || tick >= len(ticks) || n < 0 || n >= len(ticks[tick].Pictures) {
		http.NotFound(w, r)
		return
	}
	data, err := eval.ReadSeen(&ticks[tick], &ticks[tick].Pictures[n])
	if err != nil {
		fail(w, http.StatusNotFound, "no_picture", "the picture cannot be read from the recordings")
		return
	}
	w.Header().Set("Content-Type", http.DetectContentType(data))
	_, _ = w.Write(data) // an error means that the browser has gone
}

// keyed is a key that was pressed while tick number Tick was shown.
type keyed struct {
	Key  string `json:"key"`
	Tick *int   `json:"tick"`
}

func (p *Page) key(w http.ResponseWriter, r *http.Request) {
	var k keyed
	if !decode(w, r, &k) {
		return
	}
	if k.Tick == nil {
		bad(w)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sheet.Place() != *k.Tick {
		stale(w)
		return
	}
	key, n := utf8.DecodeRuneInString(k.Key)
	if n != len(k.Key) {
		answer(w, eval.Nothing)
		return
	}
	did, err := p.sheet.Key(key)
	if err != nil {
		unwritten(w, err)
		return
	}
	answer(w, did)
	if did == eval.Quit {
		p.once.Do(func() { close(p.quit) })
	}
}

func answer(w http.ResponseWriter, did eval.Did) {
	word := map[eval.Did]string{eval.Labelled: "labelled", eval.Boxless: "boxless", eval.Boxed: "boxed", eval.Back: "back", eval.Quit: "quit"}[did]
	writeJSON(w, http.StatusOK, map[string]string{"did": word})
}

// boxed is where the target is in a picture of the tick, or null when it is out of view.
type boxed struct {
	Tick    *int            `json:"tick"`
	Picture *int            `json:"picture"`
	Box     json.RawMessage `json:"box"`
}

func (p *Page) box(w http.ResponseWriter, r *http.Request) {
	var b boxed
	if !decode(w, r, &b) {
		return
	}
	if b.Tick == nil || b.Picture == nil || len(b.Box) == 0 {
		bad(w)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.sheet.Now()
	if !ok || p.sheet.Place() != *b.Tick || *b.Picture < 0 || *b.Picture >= len(t.Pictures) {
		stale(w)
		return
	}
	if !p.sheet.Asks(t, *b.Picture) {
		fail(w, http.StatusBadRequest, "no_box", "no box is asked for in this picture")
		return
	}
	box, err := corners(b.Box, t.Dir, t.Pictures[*b.Picture].Name)
	if err != nil {
		fail(w, http.StatusBadRequest, "no_box", err.Error())
		return
	}
	did, err := p.sheet.Draw(*b.Picture, box)
	if err != nil {
		unwritten(w, err)
		return
	}
	answer(w, did)
}

// corners are those of a box, which lies inside its picture; null has none.
func corners(raw json.RawMessage, dir, name string) (*[4]float64, error) {
	x, err := eval.Corners(raw)
	if x == nil || err != nil {
		return nil, err
	}
	wide, high := size(dir, name)
	if x[2] > float64(wide) || x[3] > float64(high) {
		return nil, fmt.Errorf("the box reaches outside the picture, which is %d × %d", wide, high)
	}
	return x, nil
}

// decode reads a body, which is one object of known fields and nothing else.
func decode(w http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		bad(w)
		return false
	}
	if _, err := d.Token(); err != io.EOF {
		bad(w)
		return false
	}
	return true
}

func bad(w http.ResponseWriter) {
	fail(w, http.StatusBadRequest, "bad_body", "that is not what this call takes")
}

func stale(w http.ResponseWriter) {
	fail(w, http.StatusConflict, "stale", "another tick is being labelled; the page is loaded anew")
}

func unwritten(w http.ResponseWriter, err error) {
	writeJSON(w, http.StatusInternalServerError, map[string]string{
		"error": "not_written", "message": err.Error(), "hint": "mend that, then try again; what was kept before is safe",
	})
}

func fail(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]string{"error": code, "message": message, "hint": ""})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that the browser has gone
}
