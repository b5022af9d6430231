package language

// verbs are the first words of a clause.
var verbs = map[string]Verb{
	"put": Put, "place": Put, "move": Put, "drop": Put, "throw": Put, "toss": Put, "lay": Put, "set": Put, "insert": Put, "bring": Put,
	"transfer": Put, "deposit": Put, "collect": Put, "gather": Put, "load": Put, "carry": Put, "store": Put, "sort": Put, "stick": Put,
	"stack": Stack, "pile": Stack,
	"pick": Pick, "lift": Pick, "grab": Pick, "grasp": Pick, "take": Pick, "hold": Pick, "raise": Pick, "grip": Pick, "get": Pick, "remove": Pick,
	"push": Push, "slide": Push, "shove": Push, "nudge": Push, "shift": Push,
	"open": Open, "pull": Open,
	"close": Close, "shut": Close,
	"press": Press, "hit": Press, "tap": Press, "click": Press, "touch": Press,
}

// tosses are verbs of carrying that let go of a thing, gives those that bring it to a person.
var (
	tosses = set("throw", "toss", "drop")
	gives  = set("bring", "get", "give", "hand", "fetch", "pass")
)

// kinds are nouns and what a detector calls such things.
var kinds = map[string][]string{
	"battery": {"battery"}, "cell": {"battery"}, "accumulator": {"battery"},
	"can": {"can"}, "tin": {"can"},
	"cylinder": {"battery", "can"}, "tube": {"battery", "can"}, "rod": {"battery", "can"}, "capsule": {"battery"},
	"block": {"block"}, "cube": {"block"}, "brick": {"block"}, "cuboid": {"block"}, "die": {"block"}, "dice": {"block"},
	"ball": {"ball"}, "sphere": {"ball"}, "marble": {"ball"},
	"mug": {"mug"}, "cup": {"mug"}, "beaker": {"mug"},
	"box": {"box"}, "bin": {"box"}, "tray": {"box"}, "container": {"box"}, "basket": {"box"}, "crate": {"box"}, "carton": {"box"}, "bucket": {"box"},
	"drawer": {"drawer"}, "handle": {"drawer"},
	"button": {"button"}, "switch": {"button"},
}

// things are nouns that fit everything that can be carried.
var things = set("thing", "object", "item", "one", "stuff", "piece", "everything", "anything", "something", "rest")

var colours = map[string]string{
	"red": "red", "orange": "orange", "yellow": "yellow", "green": "green", "blue": "blue", "purple": "purple", "violet": "purple",
	"pink": "pink", "magenta": "pink", "brown": "brown", "black": "black", "white": "white", "grey": "grey", "gray": "grey",
}

// which are adjectives that choose.
var which = map[string]Which{
	"leftmost": Leftmost, "left": Leftmost, "rightmost": Rightmost, "right": Rightmost,
	"nearest": Nearest, "closest": Nearest, "near": Nearest, "nearer": Nearest, "closer": Nearest,
	"farthest": Farthest, "furthest": Farthest, "far": Farthest,
	"biggest": Biggest, "largest": Biggest, "big": Biggest, "large": Biggest, "bigger": Biggest, "larger": Biggest, "tallest": Biggest, "longest": Biggest,
	"smallest": Smallest, "small": Smallest, "little": Smallest, "smaller": Smallest, "tiny": Smallest, "shortest": Smallest,
	"middle": Middle, "central": Middle, "centre": Middle, "center": Middle, "middlemost": Middle,
}

var numbers = map[string]int{
	"a": 1, "an": 1, "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
}

// articles say nothing about how many.
var articles = set("the", "this", "that", "these", "those", "my", "your", "our", "its", "their")

// every are words for all of them.
var every = set("all", "every", "each", "both", "any")

// empties are adjectives that say nothing that can be told by sight, and that people put before these nouns.
var empties = set("light", "dark", "bright", "pale", "deep", "aa", "aaa", "coffee", "tea", "toy", "storage", "push", "coloured", "colored", "soda", "drinks", "building",
	"open", "empty", "loose", "remaining", "single", "same")

// polite words are dropped wherever they stand.
var polite = set("please", "kindly", "now", "just", "carefully", "gently", "slowly", "quickly", "ok", "okay", "hey", "hi", "hello", "robot",
	"thanks", "thank", "also", "immediately", "again", "simply", "finally", "too", "first", "next", "afterwards", "afterward", "together", "completely", "fully")

// openers are ways to begin a request.
var openers = [][]string{
	{"could", "you"}, {"can", "you"}, {"would", "you"}, {"will", "you"}, {"i", "want", "you", "to"}, {"i", "would", "like", "you", "to"},
	{"i", "need", "you", "to"}, {"you", "should"}, {"try", "to"}, {"go", "and"}, {"help", "me"}, {"let", "us"}, {"lets"}, {"your", "task", "is", "to"},
	{"i'd", "like", "you", "to"}, {"go", "ahead", "and"}, {"make", "sure", "to"}, {"you", "have", "to"}, {"you", "must"},
}

// phrases are several words that mean one, the longest first where one begins another.
var phrases = []struct {
	words []string
	as    string
}{
	{[]string{"on", "the", "left", "side", "of"}, relationWord(LeftOf)},
	{[]string{"to", "the", "left", "side", "of"}, relationWord(LeftOf)},
	{[]string{"to", "the", "left", "of"}, relationWord(LeftOf)},
	{[]string{"on", "the", "left", "of"}, relationWord(LeftOf)},
	{[]string{"left", "of"}, relationWord(LeftOf)},
	{[]string{"on", "the", "right", "side", "of"}, relationWord(RightOf)},
	{[]string{"to", "the", "right", "side", "of"}, relationWord(RightOf)},
	{[]string{"to", "the", "right", "of"}, relationWord(RightOf)},
	{[]string{"on", "the", "right", "of"}, relationWord(RightOf)},
	{[]string{"right", "of"}, relationWord(RightOf)},
	{[]string{"in", "front", "of"}, relationWord(Before)},
	{[]string{"on", "the", "top", "of"}, relationWord(On)},
	{[]string{"on", "top", "of"}, relationWord(On)},
	{[]string{"on", "to"}, relationWord(On)},
	{[]string{"in", "the", "inside", "of"}, relationWord(In)},
	{[]string{"inside", "of"}, relationWord(In)},
	{[]string{"in", "to"}, relationWord(In)},
	{[]string{"over", "to"}, relationWord(To)},
	{[]string{"next", "to"}, relationWord(Beside)},
	{[]string{"close", "to"}, relationWord(Beside)},
	{[]string{"near", "to"}, relationWord(Beside)},
	{[]string{"side", "by", "side", "with"}, relationWord(Beside)},
	{[]string{"out", "of"}, fromWord},
	{[]string{"away", "from", "you"}, string(Away)},
	{[]string{"away", "from", "me"}, string(Away)},
	{[]string{"away", "from", "yourself"}, string(Away)},
	{[]string{"away", "from", "the", "arm"}, string(Away)},
	{[]string{"away", "from", "the", "robot"}, string(Away)},
	{[]string{"closer", "to", "you"}, closerWord}, {[]string{"closer", "to", "me"}, closerWord},
	{[]string{"closer", "to", "the", "arm"}, closerWord}, {[]string{"closer", "to", "the", "robot"}, closerWord},
	{[]string{"toward", "you"}, closerWord}, {[]string{"towards", "you"}, closerWord}, {[]string{"toward", "me"}, closerWord},
	{[]string{"towards", "me"}, closerWord}, {[]string{"toward", "the", "arm"}, closerWord}, {[]string{"towards", "the", "arm"}, closerWord},
	{[]string{"toward", "the", "robot"}, closerWord}, {[]string{"towards", "the", "robot"}, closerWord},
	{[]string{"toward", "yourself"}, closerWord}, {[]string{"towards", "yourself"}, closerWord},
	{[]string{"and", "then"}, thenWord}, {[]string{"after", "that"}, thenWord}, {[]string{"after", "which"}, thenWord},
	{[]string{"apart", "from"}, "except"}, {[]string{"other", "than"}, "except"}, {[]string{"but", "not"}, "except"}, {[]string{"except", "for"}, "except"},
	{[]string{"the", "rest", "of", "the"}, "all"}, {[]string{"all", "of", "the"}, "all"}, {[]string{"all", "the"}, "all"}, {[]string{"all", "of"}, "all"},
	{[]string{"each", "of", "the"}, "all"}, {[]string{"every", "one", "of", "the"}, "all"}, {[]string{"both", "of", "the"}, "both"}, {[]string{"both", "the"}, "both"},
	{[]string{"one", "of", "the"}, "one"}, {[]string{"any", "of", "the"}, "one"}, {[]string{"a", "bit"}, "slightly"}, {[]string{"a", "little"}, "slightly"},
	{[]string{"a", "little", "bit"}, "slightly"}, {[]string{"half", "a"}, "half"},
	{[]string{"far", "away"}, "farthest"},
	{[]string{"one", "by", "one"}, "please"}, {[]string{"one", "after", "the", "other"}, "please"}, {[]string{"one", "at", "a", "time"}, "please"},
}

const (
	fromWord   = "from"
	thenWord   = "then"
	closerWord = "closer!" // a direction for sure, not an adjective
)

// relations are words for where something goes.
var relations = map[string]Relation{
	"in": In, "into": In, "inside": In, "within": In,
	"on": On, "onto": On, "atop": On, "upon": On,
	"beside": Beside, "near": Beside, "by": Beside, "alongside": Beside, "against": Beside,
	"behind": Behind, "to": To, "at": To,
	relationWord(LeftOf): LeftOf, relationWord(RightOf): RightOf, relationWord(Before): Before,
	relationWord(Beside): Beside, relationWord(On): On, relationWord(In): In, relationWord(To): To,
}

// relationWord is what a phrase becomes.
func relationWord(r Relation) string { return string(r) + "!" }

var directions = map[string]Direction{
	"left": Left, "leftward": Left, "leftwards": Left, "right": Right, "rightward": Right, "rightwards": Right,
	"away": Away, "back": Away, "backward": Away, "backwards": Away, "forward": Away, "forwards": Away, "farther": Away, "further": Away,
	"closer": Closer, "nearer": Closer, closerWord: Closer,
}

// units in metres.
var units = map[string]float64{
	"mm": 0.001, "millimetre": 0.001, "millimeter": 0.001, "cm": 0.01, "centimetre": 0.01, "centimeter": 0.01, "dm": 0.1,
	"m": 1, "metre": 1, "meter": 1, "inch": 0.0254,
}

// plurals that no rule gives.
var plurals = map[string]string{
	"batteries": "battery", "boxes": "box", "switches": "switch", "inches": "inch", "accumulators": "accumulator", "bushes": "bush", "knives": "knife",
	"accumulator": "accumulator", "glasses": "glass", "glass": "glass",
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
