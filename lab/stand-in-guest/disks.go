package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// What a node wrote lies in the last MiB of its disk, behind everything that an image brings.
const areaBytes = 1 << 20

var magic = []byte("standin1")

type disk struct {
	Name      string          `json:"name"`
	SizeBytes int64           `json:"sizeBytes"`
	Serial    string          `json:"serial"`
	Content   json.RawMessage `json:"content,omitempty"`
}

func readDisks() ([]disk, error) {
	folders, err := filepath.Glob("/sys/block/*d[a-z]")
	if err != nil {
		return nil, err
	}
	sort.Strings(folders)
	var disks []disk
	for _, folder := range folders {
		size, err := os.ReadFile(folder + "/size")
		if err != nil {
			return nil, err
		}
		var sectors int64
		if _, err := fmt.Sscan(string(size), &sectors); err != nil {
			return nil, err
		}
		serial, _ := os.ReadFile(folder + "/serial")
		found := disk{Name: filepath.Base(folder), SizeBytes: sectors * 512, Serial: strings.TrimSpace(string(serial))}
		if found.Content, err = readArea(found); err != nil {
			return nil, err
		}
		disks = append(disks, found)
	}
	return disks, nil
}

func readArea(of disk) (json.RawMessage, error) {
	file, err := os.Open("/dev/" + of.Name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	area := make([]byte, areaBytes)
	if _, err := file.ReadAt(area, of.SizeBytes-areaBytes); err != nil {
		return nil, err
	}
	if string(area[:8]) != string(magic) {
		return nil, nil
	}
	return area[12 : 12+binary.LittleEndian.Uint32(area[8:])], nil
}

func writeDisk(name string, content []byte) error {
	if len(content) > areaBytes-512 {
		return errors.New("more than the area for it holds")
	}
	disks, err := readDisks()
	if err != nil {
		return err
	}
	for _, each := range disks {
		if each.Name != name {
			continue
		}
		file, err := os.OpenFile("/dev/"+name, os.O_WRONLY|os.O_SYNC, 0)
		if err != nil {
			return err
		}
		defer file.Close()
		area := binary.LittleEndian.AppendUint32(append([]byte{}, magic...), uint32(len(content)))
		_, err = file.WriteAt(append(area, content...), each.SizeBytes-areaBytes)
		return err
	}
	return fmt.Errorf("no disk %s", name)
}
