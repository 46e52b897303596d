package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"

	platform "github.com/siderolabs/talos/internal/app/machined/pkg/runtime"
)

// Set by the linker: the version of Talos whose code this is built with.
var talosVersion = "unknown"

// What this machine is, found out from inside.
type machineReport struct {
	Talos     string            `json:"talos"`
	UUID      string            `json:"uuid"`
	Cores     int               `json:"cores"`
	MemoryMiB int               `json:"memoryMiB"`
	IsUEFI    bool              `json:"isUefi"`
	Cards     []string          `json:"cards"`
	Hostname  string            `json:"hostname"`
	Addresses []cardAddress     `json:"addresses"`
	DNS       []string          `json:"nameservers"`
	Disks     []disk            `json:"disks"`
	Seed      map[string]string `json:"seed"`
}

type cardAddress struct {
	MAC     string `json:"mac"`
	CIDR    string `json:"cidr"`
	Gateway string `json:"gateway,omitempty"`
}

func makeReport(seed map[string]string, config *platform.PlatformNetworkConfig) (machineReport, string, error) {
	report := machineReport{Talos: talosVersion, Cores: runtime.NumCPU(), Seed: seed}
	uuid, err := os.ReadFile("/sys/class/dmi/id/product_uuid")
	if err != nil {
		return report, "", err
	}
	report.UUID = strings.ToLower(strings.TrimSpace(string(uuid)))
	report.MemoryMiB = memoryMiB()
	_, err = os.Stat("/sys/firmware/efi")
	report.IsUEFI = err == nil
	cards, err := physicalCards()
	if err != nil {
		return report, "", err
	}
	for _, card := range cards {
		report.Cards = append(report.Cards, card.HardwareAddr.String())
	}
	for _, hostname := range config.Hostnames {
		report.Hostname = hostname.Hostname
	}
	for _, resolver := range config.Resolvers {
		for _, server := range resolver.DNSServers {
			report.DNS = append(report.DNS, server.String())
		}
	}
	gateways := map[string]string{}
	gateway := ""
	for _, route := range config.Routes {
		gateway = route.Gateway.String()
		gateways[route.OutLinkName] = gateway
	}
	// Asked of the kernel, not of the seed: what is told is what is in force.
	for _, each := range config.Addresses {
		card, err := net.InterfaceByName(each.LinkName)
		if err != nil {
			return report, "", err
		}
		inForce, err := card.Addrs()
		if err != nil {
			return report, "", err
		}
		for _, address := range inForce {
			if address.String() == each.Address.String() {
				mac := card.HardwareAddr.String()
				report.Addresses = append(report.Addresses, cardAddress{mac, address.String(), gateways[each.LinkName]})
			}
		}
	}
	if gateway == "" {
		return report, "", errors.New("the seed names no gateway, so there is nobody to report to")
	}
	return report, gateway, nil
}

func memoryMiB() int {
	text, _ := os.ReadFile("/proc/meminfo")
	kib := 0
	_, _ = fmt.Sscanf(string(text), "MemTotal: %d kB", &kib)
	return kib / 1024
}
