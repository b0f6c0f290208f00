package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"time"
)

// A certificate is one that signs itself, made for one run of a server.
type certificate struct {
	der []byte
	pem []byte // what clients need in order to trust it
	key *ecdsa.PrivateKey
}

// certLife is longer than any test and short enough to do no harm.
const certLife = 7 * 24 * time.Hour

// selfSigned makes a certificate for this machine's loopback names and, unless
// it is empty, for host.
func selfSigned(host string) (*certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, elliptic.P256().Params().N)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "mcpera serve"},
		NotBefore:             time.Now().Add(-time.Hour), // clocks differ
		NotAfter:              time.Now().Add(certLife),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true, // so that a pool of roots may hold it
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = append(template.IPAddresses, ip)
	} else if host != "" {
		template.DNSNames = append(template.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &certificate{der: der, pem: text, key: key}, nil
}

// config is a server's TLS configuration with the certificate.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{c.der}, PrivateKey: c.key}},
	}
}
