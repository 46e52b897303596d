// Stands before Debian's runc: in a container that may not raise limits (no CAP_SYS_RESOURCE), or whose unified cgroup
// tree has no controllers, it takes out of a bundle what the kernel would refuse. Elsewhere it changes nothing.
package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const realRunc = "/usr/bin/runc.real"

// What of a bundle's resources needs which controller; devices are held by BPF, without one.
var controllerOf = map[string]string{
	"cpu": "cpu", "memory": "memory", "pids": "pids", "blockIO": "io", "hugepageLimits": "hugetlb", "unified": "memory",
}

func main() {
	args := os.Args[1:]
	if slices.Contains(args, "update") && !slices.Contains(controllers(), "memory") {
		return
	}
	if slices.Contains(args, "create") || slices.Contains(args, "run") {
		bundle, _ := os.Getwd()
		for i, arg := range args {
			if (arg == "--bundle" || arg == "-b") && i+1 < len(args) {
				bundle = args[i+1]
			}
		}
		soften(filepath.Join(bundle, "config.json"))
	}
	os.Args[0] = "runc"
	if err := syscall.Exec(realRunc, os.Args, os.Environ()); err != nil {
		println(err.Error())
		os.Exit(127)
	}
}

func soften(path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return
	}
	var spec map[string]any
	if json.Unmarshal(raw, &spec) != nil {
		return
	}
	if process, ok := spec["process"].(map[string]any); ok && !mayRaiseLimits() {
		if score, ok := process["oomScoreAdj"].(float64); ok && score < 0 {
			process["oomScoreAdj"] = 0
		}
		delete(process, "rlimits")
	}
	linux, _ := spec["linux"].(map[string]any)
	if resources, ok := linux["resources"].(map[string]any); ok {
		for kind := range resources {
			if needed, ok := controllerOf[kind]; ok && !slices.Contains(controllers(), needed) {
				delete(resources, kind)
			}
		}
	}
	if out, err := json.Marshal(spec); err == nil {
		_ = os.WriteFile(path, out, 0o600)
	}
}

func controllers() []string {
	raw, _ := os.ReadFile("/sys/fs/cgroup/cgroup.controllers")
	return strings.Fields(string(raw))
}

func mayRaiseLimits() bool {
	const sysResource = 24
	raw, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(raw)) {
		if mask, ok := strings.CutPrefix(line, "CapEff:"); ok {
			held, _ := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			return held>>sysResource&1 == 1
		}
	}
	return false
}
