// A small user of go-proxmox, for the tests that hold the simulated Proxmox against it.
//
// Its JSON decoding is typed, so every answer it reads must have the types of the real server.
// Usage: PVE_URL=… PVE_TOKEN_ID=… PVE_TOKEN_SECRET=… SSL_CERT_FILE=ca.pem go-proxmox-probe list|make|clone|change|remove
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/luthermonson/go-proxmox"
)

const (
	host     = "hydra"
	template = 300
	timeout  = time.Minute
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	client := proxmox.NewClient(
		os.Getenv("PVE_URL")+"/api2/json",
		proxmox.WithAPIToken(os.Getenv("PVE_TOKEN_ID"), os.Getenv("PVE_TOKEN_SECRET")),
	)
	stages := map[string]func(context.Context, *proxmox.Client) error{
		"list": list, "make": makeTemplate, "clone": clone, "change": change, "remove": remove,
	}
	stage, isKnown := stages[os.Args[len(os.Args)-1]]
	if !isKnown {
		fail(fmt.Errorf("say one of list, make, clone, change, remove"))
	}
	if err := stage(ctx, client); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// finish waits for a task and fails with its own words.
func finish(ctx context.Context, task *proxmox.Task, err error) error {
	if err != nil {
		return err
	}
	if task == nil {
		return nil
	}
	if err := task.Wait(ctx, 20*time.Millisecond, timeout); err != nil {
		return err
	}
	if !task.IsSuccessful {
		return fmt.Errorf("%s ended with %s", task.UPID, task.ExitStatus)
	}
	return nil
}

func list(ctx context.Context, client *proxmox.Client) error {
	version, err := client.Version(ctx)
	if err != nil {
		return err
	}
	cluster, err := client.Cluster(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("version %s, cluster %s, quorate %d\n", version.Version, cluster.Name, cluster.Quorate)
	statuses, err := client.Nodes(ctx)
	if err != nil {
		return err
	}
	sort.Slice(statuses, func(a, b int) bool { return statuses[a].Node < statuses[b].Node })
	for _, status := range statuses {
		if err := describe(ctx, client, status); err != nil {
			return err
		}
	}
	resources, err := cluster.Resources(ctx)
	if err != nil {
		return err
	}
	kinds := map[string]int{}
	for _, resource := range resources {
		kinds[resource.Type]++
	}
	tasks, err := cluster.Tasks(ctx)
	if err != nil {
		return err
	}
	pools, err := client.Pools(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%d nodes, %d storages, %d machines, %d pools", kinds["node"], kinds["storage"], kinds["qemu"], len(pools))
	fmt.Printf(", tasks %t\n", len(tasks) > 0)
	return nil
}

func describe(ctx context.Context, client *proxmox.Client, status *proxmox.NodeStatus) error {
	node, err := client.Node(ctx, status.Node)
	if err != nil {
		return err
	}
	storages, err := node.Storages(ctx)
	if err != nil {
		return err
	}
	networks, err := node.Networks(ctx)
	if err != nil {
		return err
	}
	machines, err := node.VirtualMachines(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s, %d CPUs, %d storages, %d networks, %d machines\n",
		node.Name, status.Status, node.CPUInfo.CPUs, len(storages), len(networks), len(machines))
	sort.Slice(machines, func(a, b int) bool { return machines[a].VMID < machines[b].VMID })
	for _, each := range machines {
		machine, err := node.VirtualMachine(ctx, int(each.VMID))
		if err != nil {
			return err
		}
		config := machine.VirtualMachineConfig
		fmt.Printf("  %d %s %s, %d cores, %d MiB, tags %q, %s, template %t\n", machine.VMID, machine.Name, machine.Status,
			config.Cores, config.Memory, config.Tags, config.SCSI0, bool(machine.Template))
	}
	return nil
}

func makeTemplate(ctx context.Context, client *proxmox.Client) error {
	node, err := client.Node(ctx, host)
	if err != nil {
		return err
	}
	upid, err := node.StorageDownloadURL(ctx, &proxmox.StorageDownloadURLOptions{
		Content: "import", Filename: "debian.qcow2", Node: host, Storage: "local",
		URL: "https://images.example/debian.qcow2", VerifyCertificates: true,
	})
	if err != nil {
		return err
	}
	if err := finish(ctx, proxmox.NewTask(proxmox.UPID(upid), client), nil); err != nil {
		return err
	}
	created, err := node.NewVirtualMachine(ctx, template,
		proxmox.VirtualMachineOption{Name: "name", Value: "debian-template"},
		proxmox.VirtualMachineOption{Name: "cores", Value: 2},
		proxmox.VirtualMachineOption{Name: "memory", Value: 2048},
		proxmox.VirtualMachineOption{Name: "agent", Value: true},
		proxmox.VirtualMachineOption{Name: "scsi0", Value: "local-lvm:0,import-from=local:import/debian.qcow2"},
		proxmox.VirtualMachineOption{Name: "net0", Value: "virtio,bridge=vmbr0"},
	)
	if err := finish(ctx, created, err); err != nil {
		return err
	}
	machine, err := node.VirtualMachine(ctx, template)
	if err != nil {
		return err
	}
	converted, err := machine.ConvertToTemplate(ctx)
	return finish(ctx, converted, err)
}

// clone makes three machines: a copy under a chosen id, one under the next free id, and one that stands on the template.
func clone(ctx context.Context, client *proxmox.Client) error {
	node, err := client.Node(ctx, host)
	if err != nil {
		return err
	}
	source, err := node.VirtualMachine(ctx, template)
	if err != nil {
		return err
	}
	for _, wish := range []proxmox.VirtualMachineCloneOptions{
		{NewID: 301, Name: "copy", Full: 1, Storage: "local-lvm"},
		{Name: "next", Full: 1},
		{NewID: 303, Name: "linked"},
	} {
		id, task, err := source.Clone(ctx, &wish)
		if err := finish(ctx, task, err); err != nil {
			return err
		}
		machine, err := node.VirtualMachine(ctx, id)
		if err != nil {
			return err
		}
		started, err := machine.Start(ctx)
		if err := finish(ctx, started, err); err != nil {
			return err
		}
		fmt.Printf("%d %s cloned and started\n", id, wish.Name)
	}
	return nil
}

func change(ctx context.Context, client *proxmox.Client) error {
	return eachClone(ctx, client, func(machine *proxmox.VirtualMachine) error {
		taken, err := machine.NewSnapshot(ctx, "before")
		if err := finish(ctx, taken, err); err != nil {
			return err
		}
		changed, err := machine.Config(ctx,
			proxmox.VirtualMachineOption{Name: "cores", Value: 4},
			proxmox.VirtualMachineOption{Name: "memory", Value: 4096},
		)
		if err := finish(ctx, changed, err); err != nil {
			return err
		}
		tagged, err := machine.AddTag(ctx, "second")
		if err := finish(ctx, tagged, err); err != nil {
			return err
		}
		resized, err := machine.ResizeDisk(ctx, "scsi0", "20G")
		if err := finish(ctx, resized, err); err != nil {
			return err
		}
		rebooted, err := machine.Reboot(ctx)
		if err := finish(ctx, rebooted, err); err != nil {
			return err
		}
		if err := awaitRunning(ctx, machine); err != nil {
			return err
		}
		snapshots, err := machine.Snapshots(ctx)
		if err != nil {
			return err
		}
		fmt.Printf("%d %s changed, %d snapshots\n", machine.VMID, machine.Name, len(snapshots))
		return nil
	})
}

// awaitRunning waits for what follows a reboot task: it ends when the machine is down, and the node starts it again later.
func awaitRunning(ctx context.Context, machine *proxmox.VirtualMachine) error {
	for {
		if err := machine.Ping(ctx); err != nil {
			return err
		}
		if machine.IsRunning() {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func remove(ctx context.Context, client *proxmox.Client) error {
	if err := eachClone(ctx, client, func(machine *proxmox.VirtualMachine) error {
		stopped, err := machine.Stop(ctx)
		if err := finish(ctx, stopped, err); err != nil {
			return err
		}
		removed, err := machine.Delete(ctx)
		return finish(ctx, removed, err)
	}); err != nil {
		return err
	}
	node, err := client.Node(ctx, host)
	if err != nil {
		return err
	}
	machine, err := node.VirtualMachine(ctx, template)
	if err != nil {
		return err
	}
	removed, err := machine.Delete(ctx)
	if err := finish(ctx, removed, err); err != nil {
		return err
	}
	storage, err := node.Storage(ctx, "local")
	if err != nil {
		return err
	}
	contents, err := storage.GetContent(ctx)
	if err != nil {
		return err
	}
	for _, content := range contents {
		var upid proxmox.UPID
		if err := client.Delete(ctx, fmt.Sprintf("/nodes/%s/storage/local/content/%s", host, content.Volid), &upid); err != nil {
			return err
		}
		if err := finish(ctx, proxmox.NewTask(upid, client), nil); err != nil {
			return err
		}
	}
	_, err = node.VirtualMachine(ctx, template)
	fmt.Printf("asked again: %v, not found %t\n", err, proxmox.IsNotFound(err))
	return nil
}

func eachClone(ctx context.Context, client *proxmox.Client, work func(*proxmox.VirtualMachine) error) error {
	node, err := client.Node(ctx, host)
	if err != nil {
		return err
	}
	machines, err := node.VirtualMachines(ctx)
	if err != nil {
		return err
	}
	sort.Slice(machines, func(a, b int) bool { return machines[a].VMID < machines[b].VMID })
	for _, each := range machines {
		if each.VMID == template {
			continue
		}
		machine, err := node.VirtualMachine(ctx, int(each.VMID))
		if err != nil {
			return err
		}
		if err := work(machine); err != nil {
			return err
		}
	}
	return nil
}
