package main

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/jsimonetti/rtnetlink/v2"
	"golang.org/x/sys/unix"

	"github.com/siderolabs/talos/internal/app/machined/pkg/runtime"
)

// Puts the addresses and routes of the seed into force.
func applyNetwork(platform *runtime.PlatformNetworkConfig) error {
	if err := linkUp("lo"); err != nil {
		return err
	}
	for _, link := range platform.Links {
		if err := linkUp(link.Name); err != nil {
			return err
		}
	}
	for _, each := range platform.Addresses {
		if err := addAddress(each.LinkName, each.Address); err != nil {
			return err
		}
	}
	for _, route := range platform.Routes {
		if err := addRoute(route.OutLinkName, route.Destination, route.Gateway); err != nil {
			return err
		}
	}
	return nil
}

func linkUp(name string) error {
	return withLink(name, func(conn *rtnetlink.Conn, index uint32) error {
		return conn.Link.Set(&rtnetlink.LinkMessage{Index: index, Flags: unix.IFF_UP, Change: unix.IFF_UP})
	})
}

func addAddress(link string, cidr netip.Prefix) error {
	return withLink(link, func(conn *rtnetlink.Conn, index uint32) error {
		return conn.Address.New(addressMessage(index, cidr))
	})
}

func removeAddress(link string, cidr netip.Prefix) error {
	return withLink(link, func(conn *rtnetlink.Conn, index uint32) error {
		return conn.Address.Delete(addressMessage(index, cidr))
	})
}

func addressMessage(index uint32, cidr netip.Prefix) *rtnetlink.AddressMessage {
	address := net.IP(cidr.Addr().AsSlice())
	return &rtnetlink.AddressMessage{
		Family:       familyOf(cidr.Addr()),
		PrefixLength: uint8(cidr.Bits()),
		Index:        index,
		Attributes:   &rtnetlink.AddressAttributes{Address: address, Local: address},
	}
}

func addRoute(link string, to netip.Prefix, gateway netip.Addr) error {
	return withLink(link, func(conn *rtnetlink.Conn, index uint32) error {
		message := &rtnetlink.RouteMessage{
			Family:     familyOf(gateway),
			Table:      unix.RT_TABLE_MAIN,
			Protocol:   unix.RTPROT_STATIC,
			Scope:      unix.RT_SCOPE_UNIVERSE,
			Type:       unix.RTN_UNICAST,
			Attributes: rtnetlink.RouteAttributes{Gateway: gateway.AsSlice(), OutIface: index},
		}
		// Talos means every destination when it names none.
		if to.IsValid() {
			message.DstLength = uint8(to.Bits())
			message.Attributes.Dst = to.Addr().AsSlice()
		}
		return conn.Route.Replace(message)
	})
}

func familyOf(address netip.Addr) uint8 {
	if address.Is6() {
		return unix.AF_INET6
	}
	return unix.AF_INET
}

func withLink(name string, act func(conn *rtnetlink.Conn, index uint32) error) error {
	link, err := net.InterfaceByName(name)
	if err != nil {
		return fmt.Errorf("card %s: %w", name, err)
	}
	conn, err := rtnetlink.Dial(nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := act(conn, uint32(link.Index)); err != nil {
		return fmt.Errorf("card %s: %w", name, err)
	}
	return nil
}
