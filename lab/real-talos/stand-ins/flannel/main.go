// The CNI plugin "flannel", which no module mirror has: reads what flanneld wrote and lets "bridge" do the work.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	raw, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	var asked map[string]any
	if err := json.Unmarshal(raw, &asked); err != nil {
		fail(err)
	}
	subnet, err := readSubnet()
	if err != nil && os.Getenv("CNI_COMMAND") == "ADD" {
		fail(err)
	}
	bridge, _ := asked["delegate"].(map[string]any)
	if bridge == nil {
		bridge = map[string]any{}
	}
	for _, name := range []string{"name", "cniVersion", "prevResult"} {
		if value, ok := asked[name]; ok {
			bridge[name] = value
		}
	}
	bridge["type"], bridge["isGateway"], bridge["ipMasq"] = "bridge", true, false
	bridge["ipam"] = map[string]any{
		"type":   "host-local",
		"ranges": []any{[]any{map[string]any{"subnet": subnet["FLANNEL_SUBNET"]}}},
		"routes": []any{map[string]any{"dst": subnet["FLANNEL_NETWORK"]}},
	}
	if mtu, err := strconv.Atoi(subnet["FLANNEL_MTU"]); err == nil {
		bridge["mtu"] = mtu
	}
	in, _ := json.Marshal(bridge)
	self, _ := os.Executable()
	plugin := exec.Command(filepath.Join(filepath.Dir(self), "bridge"))
	plugin.Stdin, plugin.Stdout, plugin.Stderr = bytes.NewReader(in), os.Stdout, os.Stderr
	if plugin.Run() != nil {
		os.Exit(1)
	}
}

func readSubnet() (map[string]string, error) {
	raw, err := os.ReadFile("/run/flannel/subnet.env")
	found := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		found[name] = value
	}
	return found, err
}

func fail(why error) {
	fmt.Printf(`{"cniVersion":"1.0.0","code":100,"msg":%q}`, why.Error())
	os.Exit(1)
}
