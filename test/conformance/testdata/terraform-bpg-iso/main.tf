# One machine that boots from an ISO with all the hardware a person can ask for, in a pool, and an account that may see it.
# At stage 2 the ISO is out, a disk and a NIC are added, ballooning is off, and the account may do less.

terraform {
  required_providers {
    proxmox = { source = "bpg/proxmox" }
  }
}

variable "endpoint" { type = string }
variable "token" {
  type      = string
  sensitive = true
}
variable "stage" { type = number }

provider "proxmox" {
  endpoint  = var.endpoint
  api_token = var.token
}

data "proxmox_virtual_environment_nodes" "all" {}
data "proxmox_virtual_environment_version" "server" {}
data "proxmox_virtual_environment_datastores" "hydra" {
  node_name = "hydra"
}

output "seen" {
  value = join(" ", concat(
    [data.proxmox_virtual_environment_version.server.version],
    sort(data.proxmox_virtual_environment_nodes.all.names),
    sort(data.proxmox_virtual_environment_datastores.hydra.datastores[*].id),
  ))
}

resource "proxmox_virtual_environment_pool" "lab" {
  pool_id = "lab"
  comment = "stage ${var.stage}"
}

resource "proxmox_virtual_environment_role" "lab" {
  role_id    = "Lab"
  privileges = var.stage == 1 ? ["VM.Audit", "VM.PowerMgmt"] : ["VM.Audit"]
}

resource "proxmox_virtual_environment_user" "lab" {
  user_id = "lab@pve"
  comment = "stage ${var.stage}"
  acl {
    path    = "/pool/lab"
    role_id = proxmox_virtual_environment_role.lab.role_id
  }
}

resource "proxmox_virtual_environment_user_token" "lab" {
  user_id    = proxmox_virtual_environment_user.lab.user_id
  token_name = "ci"
  comment    = "stage ${var.stage}"
}

resource "proxmox_virtual_environment_download_file" "iso" {
  content_type = "iso"
  datastore_id = "local"
  node_name    = "hydra"
  url          = "https://images.example/talos.iso"
}

resource "proxmox_virtual_environment_vm" "iso" {
  name            = "iso"
  node_name       = "hydra"
  pool_id         = proxmox_virtual_environment_pool.lab.pool_id
  bios            = "ovmf"
  machine         = "q35"
  scsi_hardware   = "virtio-scsi-single"
  boot_order      = var.stage == 1 ? ["ide3", "scsi0"] : ["scsi0"]
  on_boot         = var.stage == 1
  stop_on_destroy = true

  startup {
    order    = "3"
    up_delay = "60"
  }
  cdrom {
    file_id   = var.stage == 1 ? proxmox_virtual_environment_download_file.iso.id : "none"
    interface = "ide3"
  }
  efi_disk {
    datastore_id = "local-lvm"
    type         = "4m"
  }
  tpm_state {
    datastore_id = "local-lvm"
    version      = "v2.0"
  }
  serial_device {}
  vga {
    type = "serial0"
  }
  cpu {
    cores = 2
    numa  = true
    type  = "x86-64-v2-AES"
    flags = ["+aes"]
    units = 1024
  }
  memory {
    dedicated = 4096
    floating  = var.stage == 1 ? 2048 : 0
  }
  disk {
    datastore_id = "local-lvm"
    interface    = "scsi0"
    size         = 20
    ssd          = true
    discard      = "on"
    iothread     = true
  }
  dynamic "disk" {
    for_each = var.stage == 2 ? [50] : []
    content {
      datastore_id = "local-lvm"
      interface    = "scsi1"
      size         = disk.value
      backup       = false
    }
  }
  network_device {
    bridge   = "vmbr0"
    vlan_id  = 20
    mtu      = 1400
    firewall = true
  }
  dynamic "network_device" {
    for_each = var.stage == 2 ? ["BC:24:11:00:00:77"] : []
    content {
      bridge      = "vmbr0"
      mac_address = network_device.value
    }
  }
}
