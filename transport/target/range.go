package target

import "net/netip"

// A Reason says why a target is refused.
type Reason string

// The reasons.
const (
	Scheme        Reason = "only https is allowed"
	Metadata      Reason = "a cloud's metadata service"
	Loopback      Reason = "a loopback address"
	Private       Reason = "a private address"
	LinkLocal     Reason = "a link-local address"
	UniqueLocal   Reason = "a unique local address"
	CarrierNAT    Reason = "an address behind carrier-grade NAT"
	Unspecified   Reason = "an unspecified address"
	Multicast     Reason = "a multicast address"
	Documentation Reason = "an address for documentation"
	Benchmark     Reason = "an address for benchmarks"
	Translation   Reason = "an address of local IPv6 translation"
	Reserved      Reason = "a reserved address"
	Unreadable    Reason = "not an IP address"
)

// A block is a range of addresses that are refused.
type block struct {
	prefix netip.Prefix
	reason Reason
}

// blocks are the ranges that no public server has. The first that holds an
// address gives the reason.
//
// Source: IANA special-purpose address registries (RFC 6890); the addresses of
// metadata services, from the documentation of each cloud.
var blocks = []block{
	in("169.254.169.254/32", Metadata),     // AWS, Azure, Google Cloud, Oracle, DigitalOcean, Hetzner
	in("169.254.170.0/24", Metadata),       // AWS: credentials of containers
	in("169.254.0.23/32", Metadata),        // Tencent Cloud
	in("169.254.42.42/32", Metadata),       // Scaleway
	in("100.100.100.200/32", Metadata),     // Alibaba Cloud
	in("192.0.0.192/32", Metadata),         // Oracle Cloud, classic
	in("168.63.129.16/32", Metadata),       // Azure's wire server, a public address otherwise
	in("fd00:ec2::/32", Metadata),          // AWS
	in("fd20:ce::254/128", Metadata),       // Google Cloud
	in("fd00:42::42/128", Metadata),        // Scaleway
	in("fd00:c1::a9fe:a9fe/128", Metadata), // Oracle Cloud

	in("0.0.0.0/8", Unspecified),
	in("10.0.0.0/8", Private),
	in("100.64.0.0/10", CarrierNAT),
	in("127.0.0.0/8", Loopback),
	in("169.254.0.0/16", LinkLocal),
	in("172.16.0.0/12", Private),
	in("192.0.0.0/24", Reserved), // protocol assignments
	in("192.0.2.0/24", Documentation),
	in("192.88.99.0/24", Reserved), // the former relays of 6to4
	in("192.168.0.0/16", Private),
	in("198.18.0.0/15", Benchmark),
	in("198.51.100.0/24", Documentation),
	in("203.0.113.0/24", Documentation),
	in("224.0.0.0/4", Multicast),
	in("240.0.0.0/4", Reserved), // and the broadcast address

	in("::/128", Unspecified),
	in("::1/128", Loopback),
	in("64:ff9b:1::/48", Translation),
	in("2001:2::/48", Benchmark),
	in("2001::/23", Reserved), // protocol assignments, Teredo among them
	in("2001:db8::/32", Documentation),
	in("3fff::/20", Documentation),
	in("fc00::/7", UniqueLocal),
	in("fe80::/10", LinkLocal),
	in("fec0::/10", Private), // site-local, as it was
	in("ff00::/8", Multicast),
}

// unicast is all of IPv6 that was given out so far.
var unicast = netip.MustParsePrefix("2000::/3")

// Forms in which IPv6 addresses stand for IPv4 ones, beside the mapped.
var (
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
	sixTo = netip.MustParsePrefix("2002::/16")
)

func in(prefix string, reason Reason) block {
	return block{netip.MustParsePrefix(prefix), reason}
}

// judge returns why an address is refused, "" when it is public. What is not
// known to be public is refused.
func judge(addr netip.Addr) Reason {
	addr = plain(addr)
	if !addr.IsValid() {
		return Unreadable
	}
	for _, b := range blocks {
		if b.prefix.Contains(addr) {
			return b.reason
		}
	}
	if addr.Is6() && !unicast.Contains(addr) {
		return Reserved
	}
	return ""
}

// plain returns the IPv4 address that an IPv6 one stands for, or addr itself
// without its zone, which would match no prefix.
func plain(addr netip.Addr) netip.Addr {
	addr = addr.WithZone("").Unmap()
	if !addr.Is6() {
		return addr
	}
	b := addr.As16()
	switch {
	case nat64.Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case sixTo.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6]))
	default:
		return addr
	}
}
