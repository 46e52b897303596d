# Three machines from an image, one on each host, and three from a template, one of them a linked clone.

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
variable "cores" { default = 2 }
variable "memory" { default = 2048 }
variable "disk" { default = 10 }
variable "tags" {
  type    = list(string)
  default = ["first"]
}

locals {
  hosts = toset(["hydra", "lyra", "orion"])
  clones = {
    one   = { full = true }
    two   = { full = true }
    three = { full = false }
  }
}

provider "proxmox" {
  endpoint  = var.endpoint
  api_token = var.token
}

resource "proxmox_virtual_environment_download_file" "image" {
  for_each     = local.hosts
  content_type = "import"
  datastore_id = "local"
  node_name    = each.key
  url          = "https://images.example/debian-13-amd64.qcow2"
  file_name    = "debian-13.qcow2"
}

resource "proxmox_virtual_environment_vm" "from_image" {
  for_each        = local.hosts
  name            = "image-${each.key}"
  description     = "Made by Terraform"
  tags            = var.tags
  node_name       = each.key
  stop_on_destroy = true

  cpu {
    cores = var.cores
    type  = "x86-64-v2-AES"
  }
  memory {
    dedicated = var.memory
  }
  disk {
    datastore_id = "local-lvm"
    import_from  = proxmox_virtual_environment_download_file.image[each.key].id
    interface    = "scsi0"
    discard      = "on"
    iothread     = true
    size         = var.disk
  }
  scsi_hardware = "virtio-scsi-single"
  initialization {
    ip_config {
      ipv4 {
        address = "10.44.0.10/24"
        gateway = "10.44.0.1"
      }
    }
    user_account {
      username = "debian"
      keys     = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFWAoGSdyx3ecS+y3HvLPDEx5T0XzVLL/sBAsXy3qM0l someone@example"]
    }
  }
  network_device {
    bridge = "vmbr0"
  }
  operating_system {
    type = "l26"
  }
  serial_device {}
}

resource "proxmox_virtual_environment_vm" "template" {
  name      = "debian-template"
  node_name = "hydra"
  vm_id     = 9000
  template  = true
  started   = false

  cpu {
    type = "x86-64-v2-AES"
  }
  disk {
    datastore_id = "local-lvm"
    import_from  = proxmox_virtual_environment_download_file.image["hydra"].id
    interface    = "virtio0"
    size         = 5
  }
  network_device {
    bridge = "vmbr0"
  }
  operating_system {
    type = "l26"
  }
}

resource "proxmox_virtual_environment_vm" "from_template" {
  for_each        = local.clones
  name            = "clone-${each.key}"
  tags            = var.tags
  node_name       = "hydra"
  stop_on_destroy = true

  clone {
    vm_id = proxmox_virtual_environment_vm.template.vm_id
    full  = each.value.full
  }
  cpu {
    cores = var.cores
    type  = "x86-64-v2-AES"
  }
  memory {
    dedicated = var.memory
  }
  disk {
    datastore_id = "local-lvm"
    interface    = "virtio0"
    size         = var.disk
  }
  network_device {
    bridge = "vmbr0"
  }
}
