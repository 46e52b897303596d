package main

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
)

// The ports of this machine that answer, each connection passed on to the service.
var listeners = listenerTable{open: map[string]net.Listener{}, borrowed: map[netip.Addr]string{}}

type listenerTable struct {
	lock sync.Mutex
	open map[string]net.Listener
	// Addresses that are not of the seed: the shared one, as long as this machine holds it.
	borrowed map[netip.Addr]string
}

func (table *listenerTable) set(wanted []string, service string) {
	table.lock.Lock()
	defer table.lock.Unlock()
	keep := map[string]bool{}
	kept := map[netip.Addr]bool{}
	for _, each := range wanted {
		keep[each] = true
		if target, err := netip.ParseAddrPort(each); err == nil {
			kept[target.Addr()] = true
		}
	}
	for each, listener := range table.open {
		if !keep[each] {
			listener.Close()
			delete(table.open, each)
		}
	}
	for address, card := range table.borrowed {
		if !kept[address] {
			_ = removeAddress(card, netip.PrefixFrom(address, address.BitLen()))
			delete(table.borrowed, address)
		}
	}
	for _, each := range wanted {
		if table.open[each] != nil {
			continue
		}
		if err := table.listen(each, service); err != nil {
			fmt.Println("stand-in guest:", err)
		}
	}
}

func (table *listenerTable) listen(wanted, service string) error {
	target, err := netip.ParseAddrPort(wanted)
	if err != nil {
		return err
	}
	if err := table.borrow(target.Addr()); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", wanted)
	if err != nil {
		return err
	}
	table.open[wanted] = listener
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go pass(conn.(*net.TCPConn), wanted, service)
		}
	}()
	return nil
}

// Gives the first card an address it does not have yet.
func (table *listenerTable) borrow(address netip.Addr) error {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return err
	}
	for _, each := range all {
		if prefix, err := netip.ParsePrefix(each.String()); err == nil && prefix.Addr() == address {
			return nil
		}
	}
	cards, err := physicalCards()
	if err != nil || len(cards) == 0 {
		return fmt.Errorf("no card for %s: %w", address, err)
	}
	if err := addAddress(cards[0].Name, netip.PrefixFrom(address, address.BitLen())); err != nil {
		return err
	}
	table.borrowed[address] = cards[0].Name
	return nil
}

// The service is told first what was called, then it hears the caller.
func pass(caller *net.TCPConn, called, service string) {
	defer caller.Close()
	conn, err := net.Dial("tcp", service)
	if err != nil {
		return
	}
	behind := conn.(*net.TCPConn)
	defer behind.Close()
	if _, err := fmt.Fprintf(behind, "{\"called\":%q}\n", called); err != nil {
		return
	}
	done := make(chan struct{}, 2)
	copyHalf := func(to, from *net.TCPConn) {
		_, _ = io.Copy(to, from)
		_ = to.CloseWrite()
		done <- struct{}{}
	}
	go copyHalf(behind, caller)
	go copyHalf(caller, behind)
	<-done
	<-done
}
