// Kubernetes and etcd as one program that goes by the name it is called with: their code is mostly the same, and one
// file of it makes one image layer instead of six.
package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllers.NewControllerManagerCommand,
		"kube-proxy":              proxy.NewProxyCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	}
	name := filepath.Base(os.Args[0])
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	command, ok := commands[name]
	if !ok {
		println("no program is called", name)
		os.Exit(2)
	}
	if name == "kubelet" && !hasControllers() {
		os.Args = append(os.Args, "--cgroups-per-qos=false", "--enforce-node-allocatable=none")
	}
	os.Exit(cli.Run(command()))
}

// Where cgroups cannot hold shares of anything, a kubelet finds those of its last start and gives up on what they lack.
func hasControllers() bool {
	raw, err := os.ReadFile("/sys/fs/cgroup/cgroup.controllers")
	return err != nil || strings.Contains(string(raw), "cpu")
}
