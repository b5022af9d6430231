package film

// Changed is changed.
var Changed = changed

// Wrap is wrap.
var Wrap = wrap
