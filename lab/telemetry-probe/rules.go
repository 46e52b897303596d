package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// Rules as Prometheus loads them: their shape, expressions, durations and templates. Prints the names of the alerts.
func readRules(in io.Reader) (any, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	groups, problems := rulefmt.Parse(text, false)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	names := []string{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			names = append(names, rule.Alert)
		}
	}
	return names, nil
}

// Expressions, one in each line. Prints what each of them yields.
func readExpressions(in io.Reader) (any, error) {
	types := []string{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		expression, err := parser.ParseExpr(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		types = append(types, string(expression.Type()))
	}
	return types, lines.Err()
}
