package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/cosi-project/runtime/pkg/state"
	"github.com/cosi-project/runtime/pkg/state/impl/inmem"
	"github.com/cosi-project/runtime/pkg/state/impl/namespaced"
	yaml "go.yaml.in/yaml/v4"
	"golang.org/x/sys/unix"

	"github.com/siderolabs/talos/internal/app/machined/pkg/runtime"
	"github.com/siderolabs/talos/internal/app/machined/pkg/runtime/v1alpha1/platform/nocloud"
	"github.com/siderolabs/talos/pkg/machinery/nethelpers"
	"github.com/siderolabs/talos/pkg/machinery/resources/network"
)

// The files of the disc with the label that Talos looks for, by name. Drives turn up when they please.
func findSeed() (map[string]string, error) {
	for range 1200 {
		devices, err := filepath.Glob("/sys/block/*")
		if err != nil {
			return nil, err
		}
		for _, device := range devices {
			if files, err := readDisc("/dev/" + filepath.Base(device)); err == nil {
				return files, nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, errors.New("no disc with the label cidata")
}

func readDisc(device string) (map[string]string, error) {
	file, err := os.Open(device)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	label := make([]byte, 32)
	// The volume's name in the primary descriptor of ISO 9660.
	if _, err := file.ReadAt(label, 16*2048+40); err != nil {
		return nil, err
	}
	if !bytes.EqualFold(bytes.TrimRight(label, " \x00"), []byte("cidata")) {
		return nil, errors.New("another label")
	}
	if err := os.MkdirAll("/seed", 0o755); err != nil {
		return nil, err
	}
	if err := unix.Mount(device, "/seed", "iso9660", unix.MS_RDONLY, ""); err != nil {
		return nil, err
	}
	names, err := os.ReadDir("/seed")
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, name := range names {
		content, err := os.ReadFile("/seed/" + name.Name())
		if err != nil {
			return nil, err
		}
		files[name.Name()] = string(content)
	}
	return files, nil
}

// What Talos' own platform code makes of the seed on this machine's cards.
func readSeed(files map[string]string) (*runtime.PlatformNetworkConfig, error) {
	decoded, err := nocloud.DecodeNetworkConfig([]byte(files["network-config"]))
	if err != nil {
		return nil, err
	}
	var metadata nocloud.MetadataConfig
	if err := yaml.Unmarshal([]byte(files["meta-data"]), &metadata); err != nil {
		return nil, err
	}
	ctx := context.Background()
	cards := state.WrapCore(namespaced.NewState(inmem.Build))
	found, err := physicalCards()
	if err != nil {
		return nil, err
	}
	for _, card := range found {
		link := network.NewLinkStatus(network.NamespaceName, card.Name)
		link.TypedSpec().Type = nethelpers.LinkEther
		link.TypedSpec().HardwareAddr = nethelpers.HardwareAddr(card.HardwareAddr)
		link.TypedSpec().PermanentAddr = nethelpers.HardwareAddr(card.HardwareAddr)
		if err := cards.Create(ctx, link); err != nil {
			return nil, err
		}
	}
	config, isUnfinished, err := new(nocloud.Nocloud).ParseMetadata(ctx, decoded, cards, &metadata)
	if err == nil && isUnfinished {
		err = errors.New("the seed names a card that this machine does not have")
	}
	return config, err
}

func physicalCards() ([]net.Interface, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var cards []net.Interface
	for _, each := range all {
		if each.Flags&net.FlagLoopback == 0 && len(each.HardwareAddr) > 0 {
			cards = append(cards, each)
		}
	}
	return cards, nil
}
