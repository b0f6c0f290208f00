package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/conformance"
)

// A service holds the flags of serve.
type service struct {
	era      choice
	stdio    bool
	addr     string
	stateful bool
	tls      bool
	certFile string
	seed     string
}

func newServe() *cobra.Command {
	s := &service{era: choice{"both", []string{"both", "modern", "legacy"}}}
	cmd := &cobra.Command{
		Use:     "serve [flags]",
		GroupID: groupTry,
		Short:   "Run a server to test against",
		Long: `Serve runs the reference server of package conformance: both eras on one
endpoint, with tools, resources and prompts made for tests. It prints its URL
on the first line of standard output, or speaks over standard input and output
with --stdio. It ends on an interrupt, and with --stdio at the end of input.`,
		Example: `  mcpera serve --addr 127.0.0.1:8080
  mcpera serve --era legacy --stateful=false
  mcpera tools -- mcpera serve --stdio --era modern
  mcpera serve --tls --cert-file cert.pem
  SSL_CERT_FILE=cert.pem mcpera probe https://127.0.0.1:PORT/mcp`,
		Args:              func(_ *cobra.Command, args []string) error { return noArguments("serve", args) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	s.era.register(cmd, "era", "eras to speak")
	f := cmd.Flags()
	f.BoolVar(&s.stdio, "stdio", false, "serve one client over standard input and output")
	f.StringVar(&s.addr, "addr", "127.0.0.1:0", "`HOST:PORT` to listen on; port 0 picks a free one\n")
	f.BoolVar(&s.stateful, "stateful", true, "keep sessions for legacy clients over HTTP\n")
	f.BoolVar(&s.tls, "tls", false, "serve HTTPS with a certificate made at start")
	f.StringVar(&s.certFile, "cert-file", "", "write the certificate of --tls to `FILE`, so that\nclients can trust it")
	f.StringVar(&s.seed, "seed", "", "derive all random ids and keys from `TEXT`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return s.run(cmd) }
	return cmd
}

func (s *service) run(cmd *cobra.Command) error {
	if err := s.check(cmd); err != nil {
		return err
	}
	server := conformance.New(s.options()...)
	defer server.Close()
	if s.stdio {
		return serveStdio(cmd.Context(), server, cmd.InOrStdin(), cmd.OutOrStdout())
	}
	return s.serveHTTP(cmd, server)
}

// check refuses flags that would be ignored.
func (s *service) check(cmd *cobra.Command) error {
	if s.certFile != "" && !s.tls {
		return usagef("--cert-file needs --tls")
	}
	for _, name := range []string{"addr", "tls", "stateful"} {
		if s.stdio && cmd.Flags().Changed(name) {
			return usagef("--%s is for HTTP; leave it out with --stdio", name)
		}
	}
	return nil
}

func (s *service) options() []conformance.Option {
	opts := []conformance.Option{conformance.WithEra(s.eras()), conformance.WithSeed(s.seed)}
	if !s.stateful {
		opts = append(opts, conformance.WithStateless())
	}
	return opts
}

func (s *service) eras() conformance.Era {
	switch s.era.value {
	case "modern":
		return conformance.Modern
	case "legacy":
		return conformance.Legacy
	default:
		return conformance.Both
	}
}

// serveStdio serves until in ends or ctx does; both are normal ends. in is
// read through a pipe, since nothing can stop a read of standard input itself.
func serveStdio(ctx context.Context, server *conformance.Server, in io.Reader, out io.Writer) error {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	err := server.ServeStdio(ctx, r, out)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// serveHTTP listens, prints the URL, and serves until the context ends.
func (s *service) serveHTTP(cmd *cobra.Command, server *conformance.Server) error {
	web := &http.Server{Handler: server, ErrorLog: log.New(cmd.ErrOrStderr(), "mcpera: ", 0)}
	if s.tls {
		cert, err := selfSigned(hostOf(s.addr))
		if err != nil {
			return err
		}
		if err := s.writeCert(cert); err != nil {
			return err
		}
		web.TLSConfig = cert.config()
	}
	l, err := listen(s.addr, web)
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), l.url)
	select {
	case <-cmd.Context().Done():
	case <-l.ended:
	}
	server.Close() // ends streams, which the HTTP server would wait for
	return l.close()
}

func (s *service) writeCert(cert *certificate) error {
	if s.certFile == "" {
		return nil
	}
	return os.WriteFile(s.certFile, cert.pem, 0o644)
}
