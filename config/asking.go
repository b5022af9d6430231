package config

// rule is the path of rule j of question i in a skill's file.
func (s *SkillFile) rule(i, j int) string {
	at := item("agent.monitor", i)
	return at + "." + s.Questions[i].When.path(s.doc, at, j)
}

// checkNames checks that no two questions have one name: rules and logs know them by it.
func (s *SkillFile) checkNames() Errors {
	var errs Errors
	first := map[string]int{}
	for i, q := range s.Questions {
		if q.Name == "" {
			continue
		}
		at := item("agent.monitor", i) + ".name"
		if j, twice := first[q.Name]; twice {
			line := s.doc.At(item("agent.monitor", j) + ".name").Line
			errs = append(errs, s.doc.Errorf(at, "give each question a name of its own", "two questions are called %q; the first is at line %d", q.Name, line))
			continue
		}
		first[q.Name] = i
	}
	return errs
}

// checkAfter refuses rules that begin to count when the action has been stopped already.
func (s *SkillFile) checkAfter() Errors {
	var errs Errors
	if s.limit == nil {
		return nil
	}
	for i, q := range s.Questions {
		for j, r := range q.When {
			if r.AfterS >= *s.limit {
				errs = append(errs, s.doc.Errorf(s.rule(i, j)+".after_s", "write a smaller after_s, or a larger max_duration_s",
					"the rule never counts: it begins after %g s, and the action ends at %g s", r.AfterS, *s.limit))
			}
		}
	}
	return errs
}
