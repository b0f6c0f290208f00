package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// A choice is a flag with one of a few values.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }

// Type names the value in the help.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("it must be %s", strings.Join(c.allowed, " or "))
	}
	c.value = s
	return nil
}

// register adds the flag, with completion of its values.
func (c *choice) register(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	// It can only fail for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.allowed, cobra.ShellCompDirectiveNoFileComp))
}

// A period is a flag with a duration above zero; zero means that it was not
// given.
type period time.Duration

func (p *period) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

// Type names the value in the help.
func (*period) Type() string { return "duration" }

func (p *period) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		return errors.New(`it must be a duration such as "10s" or "1m30s"`)
	}
	if d <= 0 {
		return errors.New("it must be above zero")
	}
	*p = period(d)
	return nil
}
