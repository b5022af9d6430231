package modeltest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rein-robotics/rein/model"
)

// refusals: what an answer's status, headers and body make of an error.
func (s Suite) refusals(t *testing.T) {
	type want struct {
		class model.Class
		again bool
		after time.Duration
	}
	plain := func(kind string) string { return s.Wire.errorBody(kind, "it says why") }
	header := func(kv ...string) map[string]string {
		out := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i]] = kv[i+1]
		}
		return out
	}
	tests := map[string]struct {
		step Step
		want want
	}{
		"400":            {Step{Status: 400, Body: plain("invalid_request_error")}, want{model.BadRequest, false, 0}},
		"400_too_long":   {Step{Status: 400, Body: s.Wire.errorBody("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")}, want{model.TooLarge, false, 0}},
		"400_no_credit":  {Step{Status: 400, Body: s.Wire.errorBody("invalid_request_error", "Your credit balance is too low")}, want{model.Quota, false, 0}},
		"401":            {Step{Status: 401, Body: plain("authentication_error")}, want{model.Auth, false, 0}},
		"402":            {Step{Status: 402, Body: plain("")}, want{model.Quota, false, 0}},
		"403":            {Step{Status: 403, Body: plain("permission_error")}, want{model.Auth, false, 0}},
		"404":            {Step{Status: 404, Body: plain("not_found_error")}, want{model.NotFound, false, 0}},
		"408":            {Step{Status: 408, Body: plain("")}, want{model.Timeout, true, 0}},
		"409":            {Step{Status: 409, Body: plain("")}, want{model.ServerFault, true, 0}},
		"413":            {Step{Status: 413, Body: plain("request_too_large")}, want{model.TooLarge, false, 0}},
		"422":            {Step{Status: 422, Body: plain("")}, want{model.BadRequest, false, 0}},
		"429":            {Step{Status: 429, Body: plain("rate_limit_error")}, want{model.RateLimit, true, 0}},
		"429_seconds":    {Step{Status: 429, Header: header("Retry-After", "7"), Body: plain("rate_limit_error")}, want{model.RateLimit, true, 7 * time.Second}},
		"429_ms":         {Step{Status: 429, Header: header("retry-after-ms", "250", "Retry-After", "7"), Body: plain("rate_limit_error")}, want{model.RateLimit, true, 250 * time.Millisecond}},
		"429_quota":      {Step{Status: 429, Header: header("Retry-After", "7"), Body: plain("insufficient_quota")}, want{model.Quota, false, 7 * time.Second}},
		"500":            {Step{Status: 500, Body: plain("api_error")}, want{model.ServerFault, true, 0}},
		"500_no_retry":   {Step{Status: 500, Header: header("x-should-retry", "false"), Body: plain("api_error")}, want{model.ServerFault, false, 0}},
		"400_retry":      {Step{Status: 400, Header: header("x-should-retry", "true"), Body: plain("invalid_request_error")}, want{model.BadRequest, true, 0}},
		"502_html":       {Step{Status: 502, Header: header("Content-Type", "text/html"), Body: "<html>Bad gateway</html>"}, want{model.ServerFault, true, 0}},
		"503":            {Step{Status: 503, Body: `{"detail":"loading"}`}, want{model.Overloaded, true, 0}},
		"529":            {Step{Status: 529, Body: plain("overloaded_error")}, want{model.Overloaded, true, 0}},
		"500_empty_body": {Step{Status: 500}, want{model.ServerFault, true, 0}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, srv := s.once(t, Rules{}, tc.step)
			e := unwrap(t, got.Err)
			if e.Class != tc.want.class || e.Retryable != tc.want.again || e.RetryAfter != tc.want.after || e.Status != tc.step.Status {
				t.Errorf("got %s, retryable %v, after %s, status %d; want %+v", e.Class, e.Retryable, e.RetryAfter, e.Status, tc.want)
			}
			if n := len(srv.Requests()); n != 1 {
				t.Errorf("it was asked %d times", n)
			}
			if strings.Contains(e.Error(), Key) {
				t.Errorf("the key is in %q", e)
			}
		})
	}
	s.refusedByDate(t)
}

func (s Suite) refusedByDate(t *testing.T) {
	t.Run("429_date", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			at := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
			srv := New(t, s.Wire, Rules{}, Step{Status: 429, Header: map[string]string{"Retry-After": at}, Body: s.Wire.errorBody("rate_limit_error", "slow")})
			e := unwrap(t, Collect(t.Context(), s.provider(t, srv), Ask("go")).Err)
			if e.RetryAfter < 89*time.Second || e.RetryAfter > 90*time.Second {
				t.Errorf("got %s", e.RetryAfter)
			}
		})
	})
}

// deadStreams: a stream that has gone quiet is given up, and in time.
func (s Suite) deadStreams(t *testing.T) {
	reply := Reply{Text: "I look", Calls: []model.Call{call("a", "observe", "{}")}}
	tests := map[string]struct {
		fault Fault
		at    int
		want  time.Duration
	}{
		"no_byte":           {Stall, 2, model.DefaultByteWait},
		"no_byte_at_all":    {Stall, 0, model.DefaultByteWait},
		"pings_only":        {OnlyPings, 2, model.DefaultPartWait},
		"pings_from_first":  {OnlyPings, 0, model.DefaultPartWait},
		"nothing_follows_a": {Stall, 3, model.DefaultByteWait},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := New(t, s.Wire, Rules{}, Step{Reply: reply, Fault: tc.fault, At: tc.at})
				began := time.Now()
				got := Collect(t.Context(), s.provider(t, srv), Ask("go"))
				if e := unwrap(t, got.Err); e.Class != model.DeadStream || !e.Retryable {
					t.Errorf("got %v", e)
				}
				if took := time.Since(began); took < tc.want || took > tc.want+time.Second {
					t.Errorf("given up after %s, want %s", took, tc.want)
				}
			})
		})
	}
	t.Run("slow_reader_is_no_dead_stream", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			srv := New(t, s.Wire, Rules{}, Step{Reply: reply})
			for _, err := range s.provider(t, srv).Stream(t.Context(), Ask("go"), model.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				wait(10 * time.Minute)
			}
		})
	})
}

// wait lets simulated time pass.
func wait(d time.Duration) { <-time.After(d) }

// noStream: a server that cannot stream is told as such, and is not asked again.
func (s Suite) noStream(t *testing.T) {
	got, _ := s.once(t, Rules{}, Step{Body: `{"object":"chat.completion"}`})
	if e := unwrap(t, got.Err); e.Class != model.Incompatible || e.Retryable {
		t.Errorf("got %v", e)
	}
}

// readerStops: a reader that stops ends the request.
func (s Suite) readerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := New(t, s.Wire, Rules{}, Step{Reply: Reply{Text: "I look", Calls: []model.Call{call("a", "observe", "{}")}}, Fault: Stall, At: 5})
		for range s.provider(t, srv).Stream(t.Context(), Ask("go"), model.Options{}) {
			break
		}
	}) // a goroutine that is left over fails the bubble
}

// cancel: a call that is cancelled says why, and not that a connection broke.
func (s Suite) cancel(t *testing.T) {
	why := errors.New("the operator took over")
	for name, at := range map[string]int{"before_a_byte": 0, "within": 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := New(t, s.Wire, Rules{}, Step{Reply: Reply{Text: "I look"}, Fault: Stall, At: at})
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(10*time.Second, func() { cancel(why) })
				if got := Collect(ctx, s.provider(t, srv), Ask("go")); !errors.Is(got.Err, why) {
					t.Errorf("got %v", got.Err)
				}
			})
		})
	}
}

// nobodyThere: a server that cannot be reached may come back.
func (s Suite) nobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := s.Make(model.Endpoint{Provider: s.Wire.Name, Model: "any", BaseURL: url, Key: Key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := unwrap(t, Collect(t.Context(), p, Ask("go")).Err); e.Class != model.Connection || !e.Retryable || e.Remedy == "" {
		t.Errorf("got %v", e)
	}
}

// keys: the configured key is sent, none is sent when there is none, and no error holds it.
func (s Suite) keys(t *testing.T) {
	for name, tc := range map[string]struct {
		key   string
		rules Rules
	}{"given": {"another-key", Rules{Key: "another-key"}}, "none": {"", Rules{NoKey: true}}} {
		t.Run(name, func(t *testing.T) {
			srv := Listen(t, s.Wire, tc.rules, Step{Reply: Reply{Text: "yes"}})
			p, err := s.Make(model.Endpoint{Provider: s.Wire.Name, Model: "any", BaseURL: srv.URL, Key: tc.key}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := Collect(t.Context(), p, Ask("go")); got.Err != nil || got.Text != "yes" {
				t.Errorf("got %q, %v", got.Text, got.Err)
			}
		})
	}
}

// poisoned: nothing of the environment reaches a request.
func (s Suite) poisoned(t *testing.T) {
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_ORGANIZATION_ID",
		"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_WEBHOOK_SECRET",
	} {
		t.Setenv(name, "poison")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Leak: poison")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: poison")
	s.keys(t)
	if s.Wire.body == nil {
		s.conversation(t)
	}
}

// addresses: the root, with or without /v1 and slashes, leads to the same place.
func (s Suite) addresses(t *testing.T) {
	for _, tail := range []string{"", "/", "/v1", "/v1/"} {
		srv := New(t, s.Wire, Rules{}, Step{Reply: Reply{Text: "yes"}})
		p, err := s.Make(model.Endpoint{Provider: s.Wire.Name, Model: "any", BaseURL: srv.URL + tail, Key: Key}, srv.Client())
		if err != nil {
			t.Fatal(err)
		}
		if got := Collect(t.Context(), p, Ask("go")); got.Err != nil {
			t.Errorf("%q: %v", tail, got.Err)
		}
	}
	for _, bad := range []string{"127.0.0.1:80", "ftp://host", "http://", "http://host/?x=1"} {
		if _, err := s.Make(model.Endpoint{Provider: s.Wire.Name, Model: "any", BaseURL: bad}, nil); err == nil {
			t.Errorf("%q is taken for an address", bad)
		}
	}
}

// redirect: a key does not follow a server's finger.
func (s Suite) redirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server was asked, with %v", r.Header)
	}))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(first.Close)
	p, err := s.Make(model.Endpoint{Provider: s.Wire.Name, Model: "any", BaseURL: first.URL, Key: Key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := Collect(t.Context(), p, Ask("go"))
	if model.ClassOf(got.Err) != model.Incompatible || !strings.Contains(got.Err.Error(), "a redirect (307) to \""+other.URL) {
		t.Errorf("a redirect is told as %v", got.Err)
	}
}
