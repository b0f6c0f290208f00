package target

import (
	"errors"
	"net/netip"
	"testing"
)

// S-SEC-03.
func TestCheckAddr(t *testing.T) {
	for addr, want := range map[string]Reason{
		"93.184.215.14":      "",
		"1.1.1.1":            "",
		"9.255.255.255":      "",
		"11.0.0.0":           "",
		"100.63.255.255":     "",
		"100.128.0.0":        "",
		"126.255.255.255":    "",
		"128.0.0.0":          "",
		"169.253.255.255":    "",
		"169.255.0.0":        "",
		"172.15.255.255":     "",
		"172.32.0.0":         "",
		"192.0.1.0":          "",
		"192.167.255.255":    "",
		"192.169.0.0":        "",
		"198.17.255.255":     "",
		"198.20.0.0":         "",
		"223.255.255.255":    "",
		"168.63.129.15":      "",
		"2606:4700::1111":    "",
		"2001:4860:4860::88": "",

		"0.0.0.0":         Unspecified,
		"0.255.255.255":   Unspecified,
		"10.0.0.0":        Private,
		"10.255.255.255":  Private,
		"100.64.0.0":      CarrierNAT,
		"100.127.255.255": CarrierNAT,
		"127.0.0.1":       Loopback,
		"127.255.255.255": Loopback,
		"169.254.0.0":     LinkLocal,
		"169.254.255.255": LinkLocal,
		"172.16.0.0":      Private,
		"172.31.255.255":  Private,
		"192.0.0.0":       Reserved,
		"192.0.2.1":       Documentation,
		"192.88.99.1":     Reserved,
		"192.168.0.0":     Private,
		"192.168.255.255": Private,
		"198.18.0.0":      Benchmark,
		"198.19.255.255":  Benchmark,
		"198.51.100.1":    Documentation,
		"203.0.113.1":     Documentation,
		"224.0.0.1":       Multicast,
		"239.255.255.255": Multicast,
		"240.0.0.1":       Reserved,
		"255.255.255.255": Reserved,

		"169.254.169.254": Metadata,
		"169.254.170.2":   Metadata,
		"169.254.170.23":  Metadata,
		"169.254.0.23":    Metadata,
		"169.254.42.42":   Metadata,
		"100.100.100.200": Metadata,
		"192.0.0.192":     Metadata,
		"168.63.129.16":   Metadata,
		"fd00:ec2::254":   Metadata,
		"fd00:ec2::23":    Metadata,
		"fd20:ce::254":    Metadata,
		"fd00:42::42":     Metadata,

		"fd00:c1::a9fe:a9fe": Metadata,

		"::":                 Unspecified,
		"::1":                Loopback,
		"::127.0.0.1":        Reserved, // the compatible form, long deprecated
		"64:ff9b:1::a00:1":   Translation,
		"100::1":             Reserved, // discarded
		"2001::1":            Reserved, // Teredo
		"2001:2::1":          Benchmark,
		"2001:20::1":         Reserved,
		"2001:db8::1":        Documentation,
		"3fff::1":            Documentation,
		"4000::1":            Reserved,
		"5f00::1":            Reserved,
		"fc00::1":            UniqueLocal,
		"fdff::1":            UniqueLocal,
		"fe80::1":            LinkLocal,
		"fe80::1%eth0":       LinkLocal,
		"fec0::1":            Private,
		"ff02::1":            Multicast,
		"2606:4700::1%zone0": "",

		"::ffff:93.184.215.14":     "",
		"::ffff:127.0.0.1":         Loopback,
		"::ffff:10.0.0.1":          Private,
		"::ffff:169.254.169.254":   Metadata,
		"64:ff9b::93.184.215.14":   "",
		"64:ff9b::127.0.0.1":       Loopback,
		"64:ff9b::192.168.1.1":     Private,
		"64:ff9b::169.254.169.254": Metadata,
		"2002:5db8:d70e::1":        "", // 93.184.215.14
		"2002:7f00:1::":            Loopback,
		"2002:a9fe:a9fe::1":        Metadata,
		"2002:c0a8:101::1%eth0":    Private,
	} {
		t.Run(addr, func(t *testing.T) {
			a := netip.MustParseAddr(addr)
			var got Reason
			err := Public().CheckAddr(a)
			if refused, ok := errors.AsType[*Error](err); ok {
				got = refused.Reason
				if refused.Addr != a {
					t.Errorf("the error names %s", refused.Addr)
				}
			}
			if got != want {
				t.Errorf("refused for %q, want %q", got, want)
			}
		})
	}
	if err := Public().CheckAddr(netip.Addr{}); err == nil {
		t.Error("the zero address was allowed")
	}
}

func TestWhatIsAllowedOnTop(t *testing.T) {
	ten := Allow(netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd12::/16"))
	for name, tc := range map[string]struct {
		opt  Option
		addr string
		want bool
	}{
		"within a prefix":                   {ten, "10.1.2.3", true},
		"outside of it":                     {ten, "10.2.0.1", false},
		"another form of it":                {ten, "::ffff:10.1.2.3", true},
		"within a prefix of IPv6":           {ten, "fd12::1", true},
		"loopback":                          {AllowLoopback(), "127.0.0.1", true},
		"loopback of IPv6":                  {AllowLoopback(), "::1", true},
		"loopback allows nothing else":      {AllowLoopback(), "10.0.0.1", false},
		"a metadata service can be allowed": {Allow(netip.MustParsePrefix("168.63.129.16/32")), "168.63.129.16", true},
	} {
		t.Run(name, func(t *testing.T) {
			err := Public(tc.opt).CheckAddr(netip.MustParseAddr(tc.addr))
			if got := err == nil; got != tc.want {
				t.Errorf("CheckAddr(%s) = %v", tc.addr, err)
			}
		})
	}
}
