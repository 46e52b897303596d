"""One stage in the life of six machines, by proxmoxer: three from an image, three from a template."""

import os
import sys
import time
from urllib.parse import quote

from proxmoxer import ProxmoxAPI, ResourceException

proxmox = ProxmoxAPI(
    os.environ["PVE_HOST"],
    user=os.environ["PVE_USER"],
    token_name=os.environ["PVE_TOKEN_NAME"],
    token_value=os.environ["PVE_TOKEN_SECRET"],
    verify_ssl=os.environ["PVE_CA"],
)

hosts = ["hydra", "lyra", "orion"]
machines = {201: "hydra", 202: "lyra", 203: "orion", 301: "hydra", 302: "hydra", 303: "hydra"}
template = 300
key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFWAoGSdyx3ecS+y3HvLPDEx5T0XzVLL/sBAsXy3qM0l someone@example"


def finish(upid):
    task = proxmox.nodes(upid.split(":")[1]).tasks(upid)
    status = task.status.get()
    while status["status"] == "running":
        time.sleep(0.02)
        status = task.status.get()
    if status["exitstatus"] != "OK":
        raise SystemExit("%s ended with %s" % (upid, status["exitstatus"]))


def create():
    for host in hosts:
        fetch = proxmox.nodes(host).storage("local")("download-url").post
        finish(fetch(content="import", filename="debian.qcow2", url="https://images.example/debian.qcow2"))
    with open("tools.iso", "rb") as iso:
        finish(proxmox.nodes("hydra").storage("local").upload.post(content="iso", filename=iso))
    for vmid in [*list(machines)[:3], template]:
        finish(
            proxmox.nodes(machines.get(vmid, "hydra")).qemu.post(
                vmid=vmid,
                name="image-%d" % vmid,
                cores=2,
                memory=2048,
                tags="first",
                scsihw="virtio-scsi-single",
                scsi0="local-lvm:0,import-from=local:import/debian.qcow2,discard=on,iothread=1",
                ide2="local-lvm:cloudinit",
                boot="order=scsi0",
                net0="virtio,bridge=vmbr0",
                ciuser="debian",
                sshkeys=quote(key, safe=""),
                ipconfig0="ip=10.44.0.10/24,gw=10.44.0.1",
            )
        )
    hydra = proxmox.nodes("hydra")
    finish(hydra.qemu(template).template.post())
    for vmid in list(machines)[3:]:
        # The last one stands on its template, the others are copies.
        full = 0 if vmid == 303 else 1
        finish(hydra.qemu(template).clone.post(newid=vmid, name="clone-%d" % vmid, full=full))
    for vmid, host in machines.items():
        finish(proxmox.nodes(host).qemu(vmid).status.start.post())
    report()


def change():
    for vmid, host in machines.items():
        machine = proxmox.nodes(host).qemu(vmid)
        machine.config.put(cores=4, memory=4096, tags="first,second", description="grown\nby proxmoxer")
        resized = machine.resize.put(disk="scsi0", size="20G")
        if resized:
            finish(resized)
        finish(machine.status.reboot.post(timeout=30))
        # The task ends when the machine is down; the node starts it again by itself a moment later.
        while machine.status.current.get()["status"] != "running":
            time.sleep(0.02)
        waiting = [row["key"] for row in machine.pending.get() if "pending" in row or "delete" in row]
        if waiting:
            raise SystemExit("%d still waits with %s" % (vmid, waiting))
    report()


def destroy():
    for vmid, host in machines.items():
        finish(proxmox.nodes(host).qemu(vmid).status.stop.post())
    for vmid, host in [*machines.items(), (template, "hydra")]:
        finish(proxmox.nodes(host).qemu(vmid).delete(purge=1))
        try:
            proxmox.nodes(host).qemu(vmid).config.get()
        except ResourceException as gone:
            if "does not exist" not in str(gone):
                raise
    for host in hosts:
        for volume in proxmox.nodes(host).storage("local").content.get():
            finish(proxmox.nodes(host).storage("local").content(volume["volid"]).delete())
    report()


def report():
    # The cluster's own list is up to ten seconds old, those of the nodes are not.
    rows = [row for node in proxmox.nodes.get() for row in proxmox.nodes(node["node"]).qemu.get()]
    running = sum(row["status"] == "running" for row in rows)
    print("%d machines, %d running, next free id %s" % (len(rows), running, proxmox.cluster.nextid.get()))


{"create": create, "change": change, "destroy": destroy}[sys.argv[1]]()
