package config

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// field is a key that a struct takes.
type field struct {
	index    []int
	checks   []check
	required bool
}

// check is one word of a check tag: `check:"required,min=0,max=1"`.
//
//	required        the key must be there
//	min= max=       bounds, included; above= below= not included; of a list, of each of its values
//	oneof=a|b       one of these texts
//	name            a text of lower case letters, digits and _ that begins with a letter
//	size=           at least so many values (list, map) or characters (text)
type check struct {
	word, arg string
	bound     float64
}

// fieldsOf lists the keys of a struct type. A bad tag is a bug of this program.
func fieldsOf(t reflect.Type) map[string]field {
	fields := map[string]field{}
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, ok := sf.Tag.Lookup("yaml")
		name, opt, _ := strings.Cut(tag, ",")
		switch {
		case opt == "inline":
			for n, f := range fieldsOf(sf.Type) {
				f.index = append([]int{i}, f.index...)
				fields[n] = f
			}
		case !ok || name == "-" || name == "":
		default:
			checks, required := checksOf(sf.Tag.Get("check"))
			fields[name] = field{index: []int{i}, checks: checks, required: required}
		}
	}
	return fields
}

func checksOf(tag string) (checks []check, required bool) {
	for w := range strings.SplitSeq(tag, ",") {
		word, arg, _ := strings.Cut(w, "=")
		c := check{word: word, arg: arg}
		switch word {
		case "":
			continue
		case "required":
			required = true
			continue
		case "min", "max", "above", "below", "size":
			b, err := strconv.ParseFloat(arg, 64)
			if err != nil {
				panic("config: check tag " + strconv.Quote(tag))
			}
			c.bound = b
		case "oneof", "name":
		default:
			panic("config: check tag " + strconv.Quote(tag))
		}
		checks = append(checks, c)
	}
	return checks, required
}

// check judges a decoded value.
func (d *decoder) check(v reflect.Value, checks []check, path string) {
	for _, c := range checks {
		if c.word == "size" {
			d.checkSize(v, c, path)
			continue
		}
		d.checkOne(v, c, path)
	}
}

func (d *decoder) checkSize(v reflect.Value, c check, path string) {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	v = reflect.Indirect(v)
	if v.Len() >= int(c.bound) {
		return
	}
	if c.bound == 1 {
		d.fail(path, "", "it is empty")
		return
	}
	d.fail(path, "", "at least %s values are wanted, not %d", c.arg, v.Len())
}

// checkOne judges a value, or each value of a list.
func (d *decoder) checkOne(v reflect.Value, c check, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			d.checkOne(v.Elem(), c, path)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			d.checkOne(v.Index(i), c, item(path, i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			d.checkOne(v.MapIndex(k), c, join(path, k.String()))
		}
	case reflect.Float64:
		d.checkNumber(v.Float(), c, path)
	case reflect.Int, reflect.Int64:
		d.checkNumber(float64(v.Int()), c, path)
	case reflect.String:
		d.checkText(v.String(), c, path)
	default:
		panic(fmt.Sprintf("config: check tag %s on a %s", c.word, v.Type()))
	}
}

func (d *decoder) checkNumber(x float64, c check, path string) {
	switch {
	case c.word == "min" && x < c.bound:
		d.fail(path, "", "%v is too small: at least %s", x, c.arg)
	case c.word == "max" && x > c.bound:
		d.fail(path, "", "%v is too large: at most %s", x, c.arg)
	case c.word == "above" && x <= c.bound:
		d.fail(path, "", "%v is too small: more than %s", x, c.arg)
	case c.word == "below" && x >= c.bound:
		d.fail(path, "", "%v is too large: less than %s", x, c.arg)
	}
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// IsName says whether s can name a module, a field, a tool or a pose: such a name is safe in files and engines.
func IsName(s string) bool { return namePattern.MatchString(s) }

const nameHint = "a name has lower case letters, digits and _, begins with a letter and has at most 63 characters"

func (d *decoder) checkText(s string, c check, path string) {
	switch c.word {
	case "oneof":
		choices := strings.Split(c.arg, "|")
		if slices.Contains(choices, s) {
			return
		}
		choices = slices.DeleteFunc(choices, func(c string) bool { return c == "" }) // the key may be left empty
		d.fail(path, "write one of "+strings.Join(choices, ", "), "%q is not known%s", s, didYouMean(s, choices))
	case "name":
		if !IsName(s) {
			d.fail(path, nameHint, "%q is no name", s)
		}
	}
}

var digitsPattern = regexp.MustCompile(`^[0-9]+$`)

func (d *decoder) unknownKey(e entry, fields map[string]field) {
	known := sortedKeys(fields)
	hint := "known are " + strings.Join(known, ", ")
	switch {
	case digitsPattern.MatchString(e.key):
		hint = "is this a number with a decimal comma? Write a point"
	case len(known) == 0:
		hint = "no key is taken here"
	}
	d.errs = append(d.errs, Error{
		Pos: e.at, Hint: hint, Msg: fmt.Sprintf("unknown key %q%s", e.key, didYouMean(e.key, known)),
	})
}

// DidYouMean is "; did you mean …?", to go behind a message about s, when one of the choices is close to s; else "".
func DidYouMean(s string, choices []string) string { return didYouMean(s, choices) }

// didYouMean is "; did you mean …?" when one of the choices is close to s.
func didYouMean(s string, choices []string) string {
	best, at := 3, ""
	for _, c := range choices {
		if n := distance(s, c); n < best && n < len(c) {
			best, at = n, c
		}
	}
	if at == "" {
		return ""
	}
	if !isASCII(s) { // it may look the same
		return fmt.Sprintf("; did you mean %q? What is written has letters that only look like it: %+q", at, s)
	}
	return fmt.Sprintf("; did you mean %q?", at)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// distance counts the letters to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, diag+1)
		}
	}
	return row[len(b)]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func itoa(n int) string { return strconv.Itoa(n) }
