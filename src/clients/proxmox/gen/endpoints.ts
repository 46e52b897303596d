// Made by scripts/generate-proxmox.ts from the schemas of real servers.
import type { Endpoint } from "../endpoints/schema.ts";

const $access = { anyOf: [{ on: "/", privs: ["Sys.Audit", "Sys.Modify"] }, { on: "/nodes/{node}", privs: ["Sys.AccessNetwork"] }] } as const;
const $bwlimit = { type: "string", properties: { clone: { type: "number", min: 0 }, default: { type: "number", min: 0 }, migration: { type: "number", min: 0 }, move: { type: "number", min: 0 }, restore: { type: "number", min: 0 } } } as const;
const $keyboard = { type: "string", enum: ["de", "de-ch", "da", "en-gb", "en-us", "es", "fi", "fr", "fr-be", "fr-ca", "fr-ch", "hu", "is", "it", "ja", "lt", "mk", "nl", "no", "pl", "pt", "pt-br", "sv", "sl", "tr"] } as const;
const $migration = { network: { type: "string", format: "CIDR" }, type: { type: "string", isDefault: true, required: true, enum: ["secure", "insecure"] } } as const;
const $agent = { type: "string", properties: { enabled: { type: "boolean", isDefault: true, required: true }, "freeze-fs": { type: "boolean", since: 9 }, "freeze-fs-on-backup": { alias: "freeze-fs", in8: { type: "boolean" } }, fstrim_cloned_disks: { type: "boolean" }, "guest-fsfreeze": { alias: "freeze-fs", since: 9 }, type: { type: "string", enum: ["virtio", "isa"] } } } as const;
const $amd_sev = { type: "string", format: "pve-qemu-sev-fmt", properties: { "allow-smt": { type: "boolean" }, "kernel-hashes": { type: "boolean" }, "no-debug": { type: "boolean" }, "no-key-sharing": { type: "boolean" }, type: { type: "string", required: true, enum: ["std", "es", "snp"], maxLength: 3, isDefault: true } } } as const;
const $audio0 = { type: "string", properties: { device: { type: "string", required: true, enum: ["ich9-intel-hda", "intel-hda", "AC97"] }, driver: { type: "string", enum: ["spice", "none"] } } } as const;
const $boot = { type: "string", format: "pve-qm-boot", properties: { legacy: { type: "string", pattern: "[acdn]{1,4}", isDefault: true }, order: { type: "string", format: "pve-qm-bootdev-list" } } } as const;
const $cdrom = { type: "string", format: "pve-qm-ide", properties: { aio: { type: "string", enum: ["native", "threads", "io_uring"] }, backup: { type: "boolean" }, bps: { type: "integer" }, bps_max_length: { type: "integer", min: 1 }, bps_rd: { type: "integer" }, bps_rd_length: { alias: "bps_rd_max_length" }, bps_rd_max_length: { type: "integer", min: 1 }, bps_wr: { type: "integer" }, bps_wr_length: { alias: "bps_wr_max_length" }, bps_wr_max_length: { type: "integer", min: 1 }, cache: { type: "string", enum: ["none", "writethrough", "writeback", "unsafe", "directsync"] }, cyls: { type: "integer", until: 8 }, detect_zeroes: { type: "boolean" }, discard: { type: "string", enum: ["ignore", "on"] }, file: { type: "string", required: true, format: "pve-volume-id-or-qm-path", isDefault: true }, format: { type: "string", enum: ["raw", "qcow", "qed", "qcow2", "vmdk", "cloop"] }, heads: { type: "integer", until: 8 }, iops: { type: "integer" }, iops_max: { type: "integer" }, iops_max_length: { type: "integer", min: 1 }, iops_rd: { type: "integer" }, iops_rd_length: { alias: "iops_rd_max_length" }, iops_rd_max: { type: "integer" }, iops_rd_max_length: { type: "integer", min: 1 }, iops_wr: { type: "integer" }, iops_wr_length: { alias: "iops_wr_max_length" }, iops_wr_max: { type: "integer" }, iops_wr_max_length: { type: "integer", min: 1 }, mbps: { type: "number" }, mbps_max: { type: "number" }, mbps_rd: { type: "number" }, mbps_rd_max: { type: "number" }, mbps_wr: { type: "number" }, mbps_wr_max: { type: "number" }, media: { type: "string", enum: ["cdrom", "disk"] }, model: { type: "string", format: "urlencoded", maxLength: 120 }, replicate: { type: "boolean" }, rerror: { type: "string", enum: ["ignore", "report", "stop"] }, secs: { type: "integer", until: 8 }, serial: { type: "string", format: "urlencoded", maxLength: 60 }, shared: { type: "boolean" }, size: { type: "string", format: "disk-size" }, snapshot: { type: "boolean" }, ssd: { type: "boolean" }, trans: { type: "string", enum: ["none", "lba", "auto"], until: 8 }, volume: { alias: "file" }, werror: { type: "string", enum: ["enospc", "ignore", "report", "stop"] }, wwn: { type: "string", pattern: "(0x)[0-9a-fA-F]{16}" } } } as const;
const $cicustom = { type: "string", format: "pve-qm-cicustom", properties: { meta: { type: "string", format: "pve-volume-id" }, network: { type: "string", format: "pve-volume-id" }, user: { type: "string", format: "pve-volume-id" }, vendor: { type: "string", format: "pve-volume-id" } } } as const;
const $cpu = { type: "string", format: "pve-vm-cpu-conf", properties: { cputype: { type: "string", isDefault: true }, flags: { type: "string", pattern: "[+-][a-zA-Z0-9\\-_.]+(?:;[+-][a-zA-Z0-9\\-_.]+)*" }, "guest-phys-bits": { type: "integer", min: 32, max: 64 }, hidden: { type: "boolean" }, "hv-vendor-id": { type: "string", pattern: "[a-zA-Z0-9]{1,12}" }, level: { type: "integer", min: 0, max: 4294967295, since: 9 }, "phys-bits": { type: "string", format: "pve-phys-bits" }, "reported-model": { type: "string" } } } as const;
const $efidisk0 = { type: "string", properties: { efitype: { type: "string", enum: ["2m", "4m"] }, file: { type: "string", isDefault: true, required: true, format: "pve-volume-id-or-qm-path" }, format: { type: "string", enum: ["raw", "qcow", "qed", "qcow2", "vmdk", "cloop"] }, "import-from": { type: "string", format: "pve-volume-id-or-absolute-path" }, "ms-cert": { type: "string", enum: ["2011", "2023", "2023w", "2023k"] }, "pre-enrolled-keys": { type: "boolean" }, size: { type: "string", format: "disk-size" }, volume: { alias: "file" } } } as const;
const $hostpci_n = { type: "string", format: "pve-qm-hostpci", properties: { "device-id": { type: "string", pattern: "0x[0-9a-fA-F]{4}" }, driver: { type: "string", enum: ["vfio", "keep"], since: 9 }, host: { type: "string", pattern: "(?:[a-f0-9]{4,}:)?[a-f0-9]{2}:[a-f0-9]{2}(?:\\.[a-f0-9])?(;(?:[a-f0-9]{4,}:)?[a-f0-9]{2}:[a-f0-9]{2}(?:\\.[a-f0-9])?)*", isDefault: true }, "legacy-igd": { type: "boolean" }, mapping: { type: "string", format: "pve-configid" }, mdev: { type: "string", pattern: "[^/.:]+" }, pcie: { type: "boolean" }, rombar: { type: "boolean" }, romfile: { type: "string", pattern: "[^,;]+" }, "sub-device-id": { type: "string", pattern: "0x[0-9a-fA-F]{4}" }, "sub-vendor-id": { type: "string", pattern: "0x[0-9a-fA-F]{4}" }, "vendor-id": { type: "string", pattern: "0x[0-9a-fA-F]{4}" }, "x-vga": { type: "boolean" } }, count: 16 } as const;
const $ide_n = { type: "string", properties: { aio: { type: "string", enum: ["native", "threads", "io_uring"] }, backup: { type: "boolean" }, bps: { type: "integer" }, bps_max_length: { type: "integer", min: 1 }, bps_rd: { type: "integer" }, bps_rd_length: { alias: "bps_rd_max_length" }, bps_rd_max_length: { type: "integer", min: 1 }, bps_wr: { type: "integer" }, bps_wr_length: { alias: "bps_wr_max_length" }, bps_wr_max_length: { type: "integer", min: 1 }, cache: { type: "string", enum: ["none", "writethrough", "writeback", "unsafe", "directsync"] }, cyls: { type: "integer", until: 8 }, detect_zeroes: { type: "boolean" }, discard: { type: "string", enum: ["ignore", "on"] }, file: { type: "string", isDefault: true, required: true, format: "pve-volume-id-or-qm-path" }, format: { type: "string", enum: ["raw", "qcow", "qed", "qcow2", "vmdk", "cloop"] }, heads: { type: "integer", until: 8 }, "import-from": { type: "string", format: "pve-volume-id-or-absolute-path" }, iops: { type: "integer" }, iops_max: { type: "integer" }, iops_max_length: { type: "integer", min: 1 }, iops_rd: { type: "integer" }, iops_rd_length: { alias: "iops_rd_max_length" }, iops_rd_max: { type: "integer" }, iops_rd_max_length: { type: "integer", min: 1 }, iops_wr: { type: "integer" }, iops_wr_length: { alias: "iops_wr_max_length" }, iops_wr_max: { type: "integer" }, iops_wr_max_length: { type: "integer", min: 1 }, mbps: { type: "number" }, mbps_max: { type: "number" }, mbps_rd: { type: "number" }, mbps_rd_max: { type: "number" }, mbps_wr: { type: "number" }, mbps_wr_max: { type: "number" }, media: { type: "string", enum: ["cdrom", "disk"] }, model: { type: "string", maxLength: 120, format: "urlencoded" }, replicate: { type: "boolean" }, rerror: { type: "string", enum: ["ignore", "report", "stop"] }, secs: { type: "integer", until: 8 }, serial: { type: "string", maxLength: 60, format: "urlencoded" }, shared: { type: "boolean" }, size: { type: "string", format: "disk-size" }, snapshot: { type: "boolean" }, ssd: { type: "boolean" }, trans: { type: "string", enum: ["none", "lba", "auto"], until: 8 }, volume: { alias: "file" }, werror: { type: "string", enum: ["enospc", "ignore", "report", "stop"] }, wwn: { type: "string", pattern: "(?:^(0x)[0-9a-fA-F]{16})" } }, count: 4 } as const;
const $intel_tdx = { type: "string", format: "pve-qemu-tdx-fmt", properties: { type: { type: "string", required: true, enum: ["tdx"], isDefault: true }, attestation: { type: "boolean", required: true }, "vsock-cid": { type: "integer", min: 2 }, "vsock-port": { type: "integer", min: 0 } }, since: 9 } as const;
const $ipconfig_n = { type: "string", format: "pve-qm-ipconfig", properties: { gw: { type: "string", format: "ipv4", requires: "ip" }, gw6: { type: "string", format: "ipv6", requires: "ip6" }, ip: { type: "string", format: "pve-ipv4-config" }, ip6: { type: "string", format: "pve-ipv6-config" } }, count: 32 } as const;
const $ivshmem = { type: "string", properties: { name: { type: "string", pattern: "[a-zA-Z0-9\\-]+" }, size: { type: "integer", required: true, min: 1 } } } as const;
const $lock = { type: "string", enum: ["backup", "clone", "create", "migrate", "rollback", "snapshot", "snapshot-delete", "suspending", "suspended"] } as const;
const $machine = { type: "string", properties: { "aw-bits": { type: "number", min: 32, max: 64, since: 9 }, "enable-s3": { type: "boolean" }, "enable-s4": { type: "boolean" }, type: { type: "string", isDefault: true, pattern: "(pc|pc(-i440fx)?-\\d+(\\.\\d+)+(\\+pve\\d+)?(\\.pxe)?|q35|pc-q35-\\d+(\\.\\d+)+(\\+pve\\d+)?(\\.pxe)?|virt(?:-\\d+(\\.\\d+)+)?(\\+pve\\d+)?)", maxLength: 40 }, viommu: { type: "string", enum: ["intel", "virtio"] } } } as const;
const $memory = { type: "string", properties: { current: { type: "integer", isDefault: true, required: true, min: 16 } } } as const;
const $net_n = { type: "string", properties: { bridge: { type: "string", format: "pve-bridge-id" }, e1000: { alias: "macaddr", keyAlias: "model" }, "e1000-82540em": { alias: "macaddr", keyAlias: "model" }, "e1000-82544gc": { alias: "macaddr", keyAlias: "model" }, "e1000-82545em": { alias: "macaddr", keyAlias: "model" }, e1000e: { alias: "macaddr", keyAlias: "model" }, firewall: { type: "boolean" }, "host-tunnel": { type: "boolean", since: 9 }, i82551: { alias: "macaddr", keyAlias: "model" }, i82557b: { alias: "macaddr", keyAlias: "model" }, i82559er: { alias: "macaddr", keyAlias: "model" }, link_down: { type: "boolean" }, macaddr: { type: "string", format: "mac-addr" }, model: { type: "string", isDefault: true, required: true, enum: ["e1000", "e1000-82540em", "e1000-82544gc", "e1000-82545em", "e1000e", "i82551", "i82557b", "i82559er", "ne2k_isa", "ne2k_pci", "pcnet", "rtl8139", "virtio", "vmxnet3"] }, mtu: { type: "integer", min: 1, max: 65520 }, ne2k_isa: { alias: "macaddr", keyAlias: "model" }, ne2k_pci: { alias: "macaddr", keyAlias: "model" }, pcnet: { alias: "macaddr", keyAlias: "model" }, queues: { type: "integer", min: 0, max: 64 }, rate: { type: "number", min: 0 }, rtl8139: { alias: "macaddr", keyAlias: "model" }, tag: { type: "integer", min: 1, max: 4094 }, trunks: { type: "string", pattern: "(?:\\d+(?:-\\d+)?(?:;\\d+(?:-\\d+)?)*)" }, virtio: { alias: "macaddr", keyAlias: "model" }, vmxnet3: { alias: "macaddr", keyAlias: "model" } }, count: 32 } as const;
const $numa_n = { type: "string", properties: { cpus: { type: "string", required: true, pattern: "(?:\\d+(?:-\\d+)?(?:;\\d+(?:-\\d+)?)*)" }, hostnodes: { type: "string", pattern: "(?:\\d+(?:-\\d+)?(?:;\\d+(?:-\\d+)?)*)" }, memory: { type: "number" }, policy: { type: "string", enum: ["preferred", "bind", "interleave"] } }, count: 8 } as const;
const $ostype = { type: "string", enum: ["other", "wxp", "w2k", "w2k3", "w2k8", "wvista", "win7", "win8", "win10", "win11", "l24", "l26", "solaris"] } as const;
const $rng0 = { type: "string", format: "pve-qm-rng", properties: { max_bytes: { type: "integer" }, period: { type: "integer" }, source: { type: "string", required: true, enum: ["/dev/urandom", "/dev/random", "/dev/hwrng"], isDefault: true } } } as const;
const $sata_n = { type: "string", properties: { aio: { type: "string", enum: ["native", "threads", "io_uring"] }, backup: { type: "boolean" }, bps: { type: "integer" }, bps_max_length: { type: "integer", min: 1 }, bps_rd: { type: "integer" }, bps_rd_length: { alias: "bps_rd_max_length" }, bps_rd_max_length: { type: "integer", min: 1 }, bps_wr: { type: "integer" }, bps_wr_length: { alias: "bps_wr_max_length" }, bps_wr_max_length: { type: "integer", min: 1 }, cache: { type: "string", enum: ["none", "writethrough", "writeback", "unsafe", "directsync"] }, cyls: { type: "integer", until: 8 }, detect_zeroes: { type: "boolean" }, discard: { type: "string", enum: ["ignore", "on"] }, file: { type: "string", isDefault: true, required: true, format: "pve-volume-id-or-qm-path" }, format: { type: "string", enum: ["raw", "qcow", "qed", "qcow2", "vmdk", "cloop"] }, heads: { type: "integer", until: 8 }, "import-from": { type: "string", format: "pve-volume-id-or-absolute-path" }, iops: { type: "integer" }, iops_max: { type: "integer" }, iops_max_length: { type: "integer", min: 1 }, iops_rd: { type: "integer" }, iops_rd_length: { alias: "iops_rd_max_length" }, iops_rd_max: { type: "integer" }, iops_rd_max_length: { type: "integer", min: 1 }, iops_wr: { type: "integer" }, iops_wr_length: { alias: "iops_wr_max_length" }, iops_wr_max: { type: "integer" }, iops_wr_max_length: { type: "integer", min: 1 }, mbps: { type: "number" }, mbps_max: { type: "number" }, mbps_rd: { type: "number" }, mbps_rd_max: { type: "number" }, mbps_wr: { type: "number" }, mbps_wr_max: { type: "number" }, media: { type: "string", enum: ["cdrom", "disk"] }, replicate: { type: "boolean" }, rerror: { type: "string", enum: ["ignore", "report", "stop"] }, secs: { type: "integer", until: 8 }, serial: { type: "string", maxLength: 60, format: "urlencoded" }, shared: { type: "boolean" }, size: { type: "string", format: "disk-size" }, snapshot: { type: "boolean" }, ssd: { type: "boolean" }, trans: { type: "string", enum: ["none", "lba", "auto"], until: 8 }, volume: { alias: "file" }, werror: { type: "string", enum: ["enospc", "ignore", "report", "stop"] }, wwn: { type: "string", pattern: "(?:^(0x)[0-9a-fA-F]{16})" } }, count: 6 } as const;
const $scsi_n = { type: "string", properties: { aio: { type: "string", enum: ["native", "threads", "io_uring"] }, backup: { type: "boolean" }, bps: { type: "integer" }, bps_max_length: { type: "integer", min: 1 }, bps_rd: { type: "integer" }, bps_rd_length: { alias: "bps_rd_max_length" }, bps_rd_max_length: { type: "integer", min: 1 }, bps_wr: { type: "integer" }, bps_wr_length: { alias: "bps_wr_max_length" }, bps_wr_max_length: { type: "integer", min: 1 }, cache: { type: "string", enum: ["none", "writethrough", "writeback", "unsafe", "directsync"] }, cyls: { type: "integer", until: 8 }, detect_zeroes: { type: "boolean" }, discard: { type: "string", enum: ["ignore", "on"] }, file: { type: "string", isDefault: true, required: true, format: "pve-volume-id-or-qm-path" }, format: { type: "string", enum: ["raw", "qcow", "qed", "qcow2", "vmdk", "cloop"] }, heads: { type: "integer", until: 8 }, "import-from": { type: "string", format: "pve-volume-id-or-absolute-path" }, iops: { type: "integer" }, iops_max: { type: "integer" }, iops_max_length: { type: "integer", min: 1 }, iops_rd: { type: "integer" }, iops_rd_length: { alias: "iops_rd_max_length" }, iops_rd_max: { type: "integer" }, iops_rd_max_length: { type: "integer", min: 1 }, iops_wr: { type: "integer" }, iops_wr_length: { alias: "iops_wr_max_length" }, iops_wr_max: { type: "integer" }, iops_wr_max_length: { type: "integer", min: 1 }, iothread: { type: "boolean" }, mbps: { type: "number" }, mbps_max: { type: "number" }, mbps_rd: { type: "number" }, mbps_rd_max: { type: "number" }, mbps_wr: { type: "number" }, mbps_wr_max: { type: "number" }, media: { type: "string", enum: ["cdrom", "disk"] }, product: { type: "string", pattern: "[A-Za-z0-9\\-_\\s]{0,16}" }, queues: { type: "integer", min: 2 }, replicate: { type: "boolean" }, rerror: { type: "string", enum: ["ignore", "report", "stop"] }, ro: { type: "boolean" }, scsiblock: { type: "boolean" }, secs: { type: "integer", until: 8 }, serial: { type: "string", maxLength: 60, format: "urlencoded" }, shared: { type: "boolean" }, size: { type: "string", format: "disk-size" }, snapshot: { type: "boolean" }, ssd: { type: "boolean" }, trans: { type: "string", enum: ["none", "lba", "auto"], until: 8 }, vendor: { type: "string", pattern: "[A-Za-z0-9\\-_\\s]{0,8}" }, volume: { alias: "file" }, werror: { type: "string", enum: ["enospc", "ignore", "report", "stop"] }, wwn: { type: "string", pattern: "(?:^(0x)[0-9a-fA-F]{16})" } }, count: 31 } as const;
const $scsihw = { type: "string", enum: ["lsi", "lsi53c810", "virtio-scsi-pci", "virtio-scsi-single", "megasas", "pvscsi"] } as const;
const $smbios1 = { type: "string", maxLength: 512, format: "pve-qm-smbios1", properties: { base64: { type: "boolean" }, family: { type: "string", pattern: "[A-Za-z0-9+/]+={0,2}" }, manufacturer: { type: "string", pattern: "[A-Za-z0-9+/]+={0,2}" }, product: { type: "string", pattern: "[A-Za-z0-9+/]+={0,2}" }, serial: { type: "string", pattern: "[A-Za-z0-9+/]+={0,2}" }, sku: { type: "string", pattern: "[A-Za-z0-9+/]+={0,2}" }, uuid: { type: "string", pattern: "[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}" }, version: { type: "string", pattern: "[A-Za-z0-9+/]+={0,2}" } } } as const;
const $spice_enhancements = { type: "string", properties: { foldersharing: { type: "boolean" }, videostreaming: { type: "string", enum: ["off", "all", "filter"] } } } as const;
const $tpmstate0 = { type: "string", properties: { file: { type: "string", isDefault: true, required: true, format: "pve-volume-id-or-qm-path" }, format: { type: "string", enum: ["raw", "qcow2", "vmdk"], since: 9 }, "import-from": { type: "string", format: "pve-volume-id-or-absolute-path" }, size: { type: "string", format: "disk-size" }, version: { type: "string", enum: ["v1.2", "v2.0"] }, volume: { alias: "file" } } } as const;
const $unused_n = { type: "string", properties: { file: { type: "string", isDefault: true, required: true, format: "pve-volume-id" }, volume: { alias: "file" } }, count: 256 } as const;
const $usb_n = { type: "string", properties: { host: { type: "string", isDefault: true, pattern: "(?:(?:(?:(?:(0x)?([0-9A-Fa-f]{4}):(0x)?([0-9A-Fa-f]{4})))|(?:(?:(\\d+)\\-(\\d+(\\.\\d+)*)))|[Ss][Pp][Ii][Cc][Ee]))" }, mapping: { type: "string", format: "pve-configid" }, usb3: { type: "boolean" } }, count: 14 } as const;
const $vga = { type: "string", properties: { clipboard: { type: "string", enum: ["vnc"] }, memory: { type: "integer", min: 4, max: 512 }, type: { type: "string", isDefault: true, enum: ["cirrus", "qxl", "qxl2", "qxl3", "qxl4", "none", "serial0", "serial1", "serial2", "serial3", "std", "virtio", "virtio-gl", "vmware"] } } } as const;
const $virtio_n = { type: "string", properties: { aio: { type: "string", enum: ["native", "threads", "io_uring"] }, backup: { type: "boolean" }, bps: { type: "integer" }, bps_max_length: { type: "integer", min: 1 }, bps_rd: { type: "integer" }, bps_rd_length: { alias: "bps_rd_max_length" }, bps_rd_max_length: { type: "integer", min: 1 }, bps_wr: { type: "integer" }, bps_wr_length: { alias: "bps_wr_max_length" }, bps_wr_max_length: { type: "integer", min: 1 }, cache: { type: "string", enum: ["none", "writethrough", "writeback", "unsafe", "directsync"] }, cyls: { type: "integer", until: 8 }, detect_zeroes: { type: "boolean" }, discard: { type: "string", enum: ["ignore", "on"] }, file: { type: "string", isDefault: true, required: true, format: "pve-volume-id-or-qm-path" }, format: { type: "string", enum: ["raw", "qcow", "qed", "qcow2", "vmdk", "cloop"] }, heads: { type: "integer", until: 8 }, "import-from": { type: "string", format: "pve-volume-id-or-absolute-path" }, iops: { type: "integer" }, iops_max: { type: "integer" }, iops_max_length: { type: "integer", min: 1 }, iops_rd: { type: "integer" }, iops_rd_length: { alias: "iops_rd_max_length" }, iops_rd_max: { type: "integer" }, iops_rd_max_length: { type: "integer", min: 1 }, iops_wr: { type: "integer" }, iops_wr_length: { alias: "iops_wr_max_length" }, iops_wr_max: { type: "integer" }, iops_wr_max_length: { type: "integer", min: 1 }, iothread: { type: "boolean" }, mbps: { type: "number" }, mbps_max: { type: "number" }, mbps_rd: { type: "number" }, mbps_rd_max: { type: "number" }, mbps_wr: { type: "number" }, mbps_wr_max: { type: "number" }, media: { type: "string", enum: ["cdrom", "disk"] }, replicate: { type: "boolean" }, rerror: { type: "string", enum: ["ignore", "report", "stop"] }, ro: { type: "boolean" }, secs: { type: "integer", until: 8 }, serial: { type: "string", maxLength: 60, format: "urlencoded" }, shared: { type: "boolean" }, size: { type: "string", format: "disk-size" }, snapshot: { type: "boolean" }, trans: { type: "string", enum: ["none", "lba", "auto"], until: 8 }, volume: { alias: "file" }, werror: { type: "string", enum: ["enospc", "ignore", "report", "stop"] } }, count: 16 } as const;
const $virtiofs_n = { type: "string", properties: { cache: { type: "string", enum: ["auto", "always", "metadata", "never"] }, "direct-io": { type: "boolean" }, dirid: { type: "string", isDefault: true, required: true, format: "pve-configid" }, "expose-acl": { type: "boolean" }, "expose-xattr": { type: "boolean" } }, count: 10 } as const;
const $watchdog = { type: "string", format: "pve-qm-watchdog", properties: { action: { type: "string", enum: ["reset", "shutdown", "poweroff", "pause", "debug", "none"] }, model: { type: "string", enum: ["i6300esb", "ib700"], isDefault: true } } } as const;
const $access2 = { on: "/vms/{vmid}", privs: ["VM.Config.Disk", "VM.Config.CDROM", "VM.Config.CPU", "VM.Config.Memory", "VM.Config.Network", "VM.Config.HWType", "VM.Config.Options", "VM.Config.Cloudinit"], any: true } as const;
const $enum = ["ide0", "ide1", "ide2", "ide3", "scsi0", "scsi1", "scsi2", "scsi3", "scsi4", "scsi5", "scsi6", "scsi7", "scsi8", "scsi9", "scsi10", "scsi11", "scsi12", "scsi13", "scsi14", "scsi15", "scsi16", "scsi17", "scsi18", "scsi19", "scsi20", "scsi21", "scsi22", "scsi23", "scsi24", "scsi25", "scsi26", "scsi27", "scsi28", "scsi29", "scsi30", "virtio0", "virtio1", "virtio2", "virtio3", "virtio4", "virtio5", "virtio6", "virtio7", "virtio8", "virtio9", "virtio10", "virtio11", "virtio12", "virtio13", "virtio14", "virtio15", "sata0", "sata1", "sata2", "sata3", "sata4", "sata5", "efidisk0", "tpmstate0"] as const;
const $enum2 = ["ide0", "ide1", "ide2", "ide3", "scsi0", "scsi1", "scsi2", "scsi3", "scsi4", "scsi5", "scsi6", "scsi7", "scsi8", "scsi9", "scsi10", "scsi11", "scsi12", "scsi13", "scsi14", "scsi15", "scsi16", "scsi17", "scsi18", "scsi19", "scsi20", "scsi21", "scsi22", "scsi23", "scsi24", "scsi25", "scsi26", "scsi27", "scsi28", "scsi29", "scsi30", "virtio0", "virtio1", "virtio2", "virtio3", "virtio4", "virtio5", "virtio6", "virtio7", "virtio8", "virtio9", "virtio10", "virtio11", "virtio12", "virtio13", "virtio14", "virtio15", "sata0", "sata1", "sata2", "sata3", "sata4", "sata5", "efidisk0", "tpmstate0", "unused0", "unused1", "unused2", "unused3", "unused4", "unused5", "unused6", "unused7", "unused8", "unused9", "unused10", "unused11", "unused12", "unused13", "unused14", "unused15", "unused16", "unused17", "unused18", "unused19", "unused20", "unused21", "unused22", "unused23", "unused24", "unused25", "unused26", "unused27", "unused28", "unused29", "unused30", "unused31", "unused32", "unused33", "unused34", "unused35", "unused36", "unused37", "unused38", "unused39", "unused40", "unused41", "unused42", "unused43", "unused44", "unused45", "unused46", "unused47", "unused48", "unused49", "unused50", "unused51", "unused52", "unused53", "unused54", "unused55", "unused56", "unused57", "unused58", "unused59", "unused60", "unused61", "unused62", "unused63", "unused64", "unused65", "unused66", "unused67", "unused68", "unused69", "unused70", "unused71", "unused72", "unused73", "unused74", "unused75", "unused76", "unused77", "unused78", "unused79", "unused80", "unused81", "unused82", "unused83", "unused84", "unused85", "unused86", "unused87", "unused88", "unused89", "unused90", "unused91", "unused92", "unused93", "unused94", "unused95", "unused96", "unused97", "unused98", "unused99", "unused100", "unused101", "unused102", "unused103", "unused104", "unused105", "unused106", "unused107", "unused108", "unused109", "unused110", "unused111", "unused112", "unused113", "unused114", "unused115", "unused116", "unused117", "unused118", "unused119", "unused120", "unused121", "unused122", "unused123", "unused124", "unused125", "unused126", "unused127", "unused128", "unused129", "unused130", "unused131", "unused132", "unused133", "unused134", "unused135", "unused136", "unused137", "unused138", "unused139", "unused140", "unused141", "unused142", "unused143", "unused144", "unused145", "unused146", "unused147", "unused148", "unused149", "unused150", "unused151", "unused152", "unused153", "unused154", "unused155", "unused156", "unused157", "unused158", "unused159", "unused160", "unused161", "unused162", "unused163", "unused164", "unused165", "unused166", "unused167", "unused168", "unused169", "unused170", "unused171", "unused172", "unused173", "unused174", "unused175", "unused176", "unused177", "unused178", "unused179", "unused180", "unused181", "unused182", "unused183", "unused184", "unused185", "unused186", "unused187", "unused188", "unused189", "unused190", "unused191", "unused192", "unused193", "unused194", "unused195", "unused196", "unused197", "unused198", "unused199", "unused200", "unused201", "unused202", "unused203", "unused204", "unused205", "unused206", "unused207", "unused208", "unused209", "unused210", "unused211", "unused212", "unused213", "unused214", "unused215", "unused216", "unused217", "unused218", "unused219", "unused220", "unused221", "unused222", "unused223", "unused224", "unused225", "unused226", "unused227", "unused228", "unused229", "unused230", "unused231", "unused232", "unused233", "unused234", "unused235", "unused236", "unused237", "unused238", "unused239", "unused240", "unused241", "unused242", "unused243", "unused244", "unused245", "unused246", "unused247", "unused248", "unused249", "unused250", "unused251", "unused252", "unused253", "unused254", "unused255"] as const;
const $prune_backups = { type: "string", format: "prune-backups", properties: { "keep-all": { type: "boolean" }, "keep-daily": { type: "integer", min: 0 }, "keep-hourly": { type: "integer", min: 0 }, "keep-last": { type: "integer", min: 0 }, "keep-monthly": { type: "integer", min: 0 }, "keep-weekly": { type: "integer", min: 0 }, "keep-yearly": { type: "integer", min: 0 } } } as const;
const $enum3 = ["btrfs", "cephfs", "cifs", "dir", "esxi", "iscsi", "iscsidirect", "lvm", "lvmthin", "nfs", "pbs", "rbd", "zfs", "zfspool"] as const;
const $in8 = { enum: ["btrfs", "cephfs", "cifs", "dir", "esxi", "glusterfs", "iscsi", "iscsidirect", "lvm", "lvmthin", "nfs", "pbs", "rbd", "zfs", "zfspool"] } as const;
const $checksum_algorithm = { type: "string", enum: ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"], requires: "checksum" } as const;

type Name =
  | "GET /access/permissions"
  | "GET /access/domains"
  | "GET /access/ticket"
  | "POST /access/ticket"
  | "GET /access/users"
  | "POST /access/users"
  | "GET /access/users/{userid}"
  | "PUT /access/users/{userid}"
  | "DELETE /access/users/{userid}"
  | "GET /access/users/{userid}/token"
  | "GET /access/users/{userid}/token/{tokenid}"
  | "POST /access/users/{userid}/token/{tokenid}"
  | "PUT /access/users/{userid}/token/{tokenid}"
  | "DELETE /access/users/{userid}/token/{tokenid}"
  | "GET /access/groups"
  | "GET /access/roles"
  | "POST /access/roles"
  | "GET /access/roles/{roleid}"
  | "PUT /access/roles/{roleid}"
  | "DELETE /access/roles/{roleid}"
  | "GET /access/acl"
  | "PUT /access/acl"
  | "GET /version"
  | "GET /cluster/resources"
  | "GET /cluster/status"
  | "GET /cluster/nextid"
  | "GET /cluster/options"
  | "GET /cluster/tasks"
  | "GET /cluster/log"
  | "GET /cluster/backup"
  | "GET /cluster/replication"
  | "GET /cluster/config/nodes"
  | "GET /cluster/config/join"
  | "GET /nodes"
  | "GET /nodes/{node}/status"
  | "GET /nodes/{node}/version"
  | "GET /nodes/{node}/network"
  | "GET /nodes/{node}/network/{iface}"
  | "GET /nodes/{node}/query-url-metadata"
  | "PUT /cluster/options"
  | "GET /access"
  | "GET /cluster"
  | "GET /cluster/acme"
  | "GET /cluster/bulk-action"
  | "GET /cluster/ceph"
  | "GET /cluster/config"
  | "GET /cluster/firewall"
  | "GET /cluster/ha"
  | "GET /cluster/ha/status"
  | "GET /cluster/jobs"
  | "GET /cluster/mapping"
  | "GET /cluster/metrics"
  | "GET /cluster/notifications"
  | "GET /cluster/notifications/endpoints"
  | "GET /cluster/qemu"
  | "GET /cluster/sdn"
  | "GET /nodes/{node}"
  | "GET /nodes/{node}/apt"
  | "GET /nodes/{node}/capabilities"
  | "GET /nodes/{node}/capabilities/qemu"
  | "GET /nodes/{node}/certificates"
  | "GET /nodes/{node}/disks"
  | "GET /nodes/{node}/firewall"
  | "GET /nodes/{node}/hardware"
  | "GET /nodes/{node}/scan"
  | "GET /nodes/{node}/sdn"
  | "GET /nodes/{node}/qemu/{vmid}"
  | "GET /nodes/{node}/qemu/{vmid}/agent"
  | "GET /nodes/{node}/qemu/{vmid}/firewall"
  | "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}"
  | "GET /nodes/{node}/qemu/{vmid}/status"
  | "GET /nodes/{node}/storage/{storage}"
  | "GET /cluster/ha/resources"
  | "POST /cluster/ha/resources"
  | "GET /cluster/ha/resources/{sid}"
  | "PUT /cluster/ha/resources/{sid}"
  | "DELETE /cluster/ha/resources/{sid}"
  | "GET /cluster/ha/rules"
  | "POST /cluster/ha/rules"
  | "GET /cluster/ha/rules/{rule}"
  | "PUT /cluster/ha/rules/{rule}"
  | "DELETE /cluster/ha/rules/{rule}"
  | "GET /cluster/ha/groups"
  | "POST /cluster/ha/groups"
  | "GET /cluster/ha/groups/{group}"
  | "PUT /cluster/ha/groups/{group}"
  | "DELETE /cluster/ha/groups/{group}"
  | "GET /cluster/ha/status/current"
  | "POST /nodes/{node}/status"
  | "GET /nodes/{node}/dns"
  | "GET /nodes/{node}/time"
  | "GET /nodes/{node}/hosts"
  | "GET /nodes/{node}/config"
  | "GET /nodes/{node}/subscription"
  | "GET /nodes/{node}/lxc"
  | "GET /nodes/{node}/services"
  | "GET /nodes/{node}/certificates/info"
  | "GET /nodes/{node}/capabilities/qemu/cpu"
  | "GET /nodes/{node}/capabilities/qemu/machines"
  | "GET /nodes/{node}/capabilities/qemu/migration"
  | "GET /nodes/{node}/rrddata"
  | "GET /nodes/{node}/syslog"
  | "GET /pools"
  | "POST /pools"
  | "PUT /pools"
  | "DELETE /pools"
  | "GET /pools/{poolid}"
  | "PUT /pools/{poolid}"
  | "DELETE /pools/{poolid}"
  | "GET /nodes/{node}/qemu"
  | "POST /nodes/{node}/qemu"
  | "DELETE /nodes/{node}/qemu/{vmid}"
  | "GET /nodes/{node}/qemu/{vmid}/config"
  | "PUT /nodes/{node}/qemu/{vmid}/config"
  | "POST /nodes/{node}/qemu/{vmid}/config"
  | "GET /nodes/{node}/qemu/{vmid}/pending"
  | "GET /nodes/{node}/qemu/{vmid}/feature"
  | "PUT /nodes/{node}/qemu/{vmid}/resize"
  | "PUT /nodes/{node}/qemu/{vmid}/unlink"
  | "POST /nodes/{node}/qemu/{vmid}/template"
  | "GET /nodes/{node}/qemu/{vmid}/cloudinit"
  | "PUT /nodes/{node}/qemu/{vmid}/cloudinit"
  | "GET /nodes/{node}/qemu/{vmid}/cloudinit/dump"
  | "POST /nodes/{node}/qemu/{vmid}/agent/ping"
  | "GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-host-name"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-osinfo"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-time"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-timezone"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-users"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-vcpus"
  | "GET /nodes/{node}/qemu/{vmid}/agent/info"
  | "POST /nodes/{node}/qemu/{vmid}/termproxy"
  | "GET /nodes/{node}/qemu/{vmid}/vncwebsocket"
  | "POST /nodes/{node}/qemu/{vmid}/clone"
  | "POST /nodes/{node}/qemu/{vmid}/move_disk"
  | "GET /nodes/{node}/qemu/{vmid}/snapshot"
  | "POST /nodes/{node}/qemu/{vmid}/snapshot"
  | "DELETE /nodes/{node}/qemu/{vmid}/snapshot/{snapname}"
  | "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config"
  | "PUT /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config"
  | "POST /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/rollback"
  | "GET /nodes/{node}/qemu/{vmid}/migrate"
  | "POST /nodes/{node}/qemu/{vmid}/migrate"
  | "POST /nodes/{node}/vzdump"
  | "GET /nodes/{node}/vzdump/extractconfig"
  | "GET /nodes/{node}/qemu/{vmid}/status/current"
  | "POST /nodes/{node}/qemu/{vmid}/status/start"
  | "POST /nodes/{node}/qemu/{vmid}/status/stop"
  | "POST /nodes/{node}/qemu/{vmid}/status/shutdown"
  | "POST /nodes/{node}/qemu/{vmid}/status/reset"
  | "POST /nodes/{node}/qemu/{vmid}/status/reboot"
  | "POST /nodes/{node}/qemu/{vmid}/status/suspend"
  | "POST /nodes/{node}/qemu/{vmid}/status/resume"
  | "GET /nodes/{node}/qemu/{vmid}/rrddata"
  | "GET /cluster/sdn/zones"
  | "GET /cluster/sdn/vnets"
  | "GET /storage"
  | "GET /storage/{storage}"
  | "GET /nodes/{node}/storage"
  | "GET /nodes/{node}/storage/{storage}/status"
  | "GET /nodes/{node}/storage/{storage}/content"
  | "POST /nodes/{node}/storage/{storage}/content"
  | "GET /nodes/{node}/storage/{storage}/content/{volume}"
  | "DELETE /nodes/{node}/storage/{storage}/content/{volume}"
  | "POST /nodes/{node}/storage/{storage}/upload"
  | "POST /nodes/{node}/storage/{storage}/download-url"
  | "GET /nodes/{node}/storage/{storage}/import-metadata"
  | "POST /storage"
  | "PUT /storage/{storage}"
  | "DELETE /storage/{storage}"
  | "GET /nodes/{node}/tasks"
  | "GET /nodes/{node}/tasks/{upid}"
  | "DELETE /nodes/{node}/tasks/{upid}"
  | "GET /nodes/{node}/tasks/{upid}/status"
  | "GET /nodes/{node}/tasks/{upid}/log"
  | "POST /nodes/{node}/qemu/{vmid}/agent"
  | "POST /nodes/{node}/qemu/{vmid}/agent/exec"
  | "POST /nodes/{node}/qemu/{vmid}/agent/file-write"
  | "POST /nodes/{node}/qemu/{vmid}/agent/fsfreeze-freeze"
  | "POST /nodes/{node}/qemu/{vmid}/agent/fsfreeze-status"
  | "POST /nodes/{node}/qemu/{vmid}/agent/fsfreeze-thaw"
  | "POST /nodes/{node}/qemu/{vmid}/agent/fstrim"
  | "POST /nodes/{node}/qemu/{vmid}/agent/set-user-password"
  | "POST /nodes/{node}/qemu/{vmid}/agent/shutdown"
  | "POST /nodes/{node}/qemu/{vmid}/agent/suspend-disk"
  | "POST /nodes/{node}/qemu/{vmid}/agent/suspend-hybrid"
  | "POST /nodes/{node}/qemu/{vmid}/agent/suspend-ram"
  | "GET /nodes/{node}/qemu/{vmid}/agent/exec-status"
  | "GET /nodes/{node}/qemu/{vmid}/agent/file-read"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-fsinfo"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-memory-block-info"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-memory-blocks"
  | "GET /access/openid"
  | "GET /access/tfa"
  | "GET /access/domains/{realm}"
  | "POST /access/domains"
  | "PUT /access/domains/{realm}"
  | "DELETE /access/domains/{realm}"
  | "PUT /access/password"
  | "GET /access/tfa/{userid}"
  | "GET /access/users/{userid}/tfa"
  | "GET /cluster/config/apiversion"
  | "GET /cluster/config/totem"
  | "PUT /nodes/{node}/storage/{storage}/content/{volume}"
  | "GET /cluster/acme/plugins"
  | "GET /cluster/sdn/ipams"
  | "GET /nodes/{node}/hardware/usb"
  | "POST /access/groups"
  | "GET /access/groups/{groupid}"
  | "PUT /access/groups/{groupid}"
  | "DELETE /access/groups/{groupid}"
  | "GET /cluster/acme/account"
  | "GET /cluster/backup-info"
  | "GET /cluster/backup-info/not-backed-up"
  | "GET /cluster/bulk-action/guest"
  | "GET /cluster/firewall/aliases"
  | "GET /cluster/firewall/groups"
  | "GET /cluster/firewall/ipset"
  | "GET /cluster/firewall/rules"
  | "GET /cluster/jobs/realm-sync"
  | "GET /cluster/mapping/dir"
  | "GET /cluster/mapping/pci"
  | "GET /cluster/mapping/usb"
  | "GET /cluster/sdn/controllers"
  | "GET /cluster/sdn/dns"
  | "GET /cluster/sdn/fabrics"
  | "GET /nodes/{node}/firewall/rules"
  | "GET /nodes/{node}/replication"
  | "GET /nodes/{node}/qemu/{vmid}/firewall/aliases"
  | "GET /nodes/{node}/qemu/{vmid}/firewall/ipset"
  | "GET /nodes/{node}/qemu/{vmid}/firewall/rules";

export const endpoints: { readonly [Call in Name]: Endpoint } = {
  "GET /access/permissions": {
    access: "anyone",
    params: {
      path: { type: "string" },
      userid: { type: "string", pattern: "(?:^(?:[^\\s:/]+)\\@(?:[A-Za-z][A-Za-z0-9\\.\\-_]+)(?:!(?:[A-Za-z][A-Za-z0-9\\.\\-_]+))?$)" },
    },
  },
  "GET /access/domains": {
    access: "world",
    params: {},
  },
  "GET /access/ticket": {
    access: "world",
    params: {},
  },
  "POST /access/ticket": {
    needsTicket: true,
    access: "world",
    params: {
      "new-format": { type: "boolean" },
      otp: { type: "string" },
      password: { type: "string", required: true },
      path: { type: "string", maxLength: 64, requires: "privs" },
      privs: { type: "string", maxLength: 64, format: "pve-priv-list", requires: "path" },
      realm: { type: "string", maxLength: 32, format: "pve-realm" },
      "tfa-challenge": { type: "string" },
      username: { type: "string", required: true, maxLength: 64 },
    },
  },
  "GET /access/users": {
    access: "anyone",
    params: {
      enabled: { type: "boolean" },
      full: { type: "boolean" },
    },
  },
  "POST /access/users": {
    access: { allOf: [{ onRealm: "Realm.AllocateUser" }, { onGroups: ["User.Modify"], groupsOf: "create" }] },
    params: {
      comment: { type: "string", maxLength: 2048 },
      email: { type: "string", maxLength: 254, format: "email-opt" },
      enable: { type: "boolean" },
      expire: { type: "integer", min: 0 },
      firstname: { type: "string", maxLength: 1024 },
      groups: { type: "string", format: "pve-groupid-list" },
      keys: { type: "string", pattern: "[0-9a-zA-Z!=]{0,4096}" },
      lastname: { type: "string", maxLength: 1024 },
      password: { type: "string", minLength: 8, maxLength: 64 },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "GET /access/users/{userid}": {
    access: { onGroups: ["User.Modify", "Sys.Audit"] },
    params: {
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "PUT /access/users/{userid}": {
    access: { onGroups: ["User.Modify"], groupsOf: "update" },
    params: {
      append: { type: "boolean", requires: "groups" },
      comment: { type: "string", maxLength: 2048 },
      email: { type: "string", maxLength: 254, format: "email-opt" },
      enable: { type: "boolean" },
      expire: { type: "integer", min: 0 },
      firstname: { type: "string", maxLength: 1024 },
      groups: { type: "string", format: "pve-groupid-list" },
      keys: { type: "string", pattern: "[0-9a-zA-Z!=]{0,4096}" },
      lastname: { type: "string", maxLength: 1024 },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "DELETE /access/users/{userid}": {
    access: { allOf: [{ onRealm: "Realm.AllocateUser" }, { onGroups: ["User.Modify"] }] },
    params: {
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "GET /access/users/{userid}/token": {
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] },
    params: {
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "GET /access/users/{userid}/token/{tokenid}": {
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] },
    params: {
      tokenid: { type: "string", required: true, pattern: "(?:[A-Za-z][A-Za-z0-9\\.\\-_]+)" },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "POST /access/users/{userid}/token/{tokenid}": {
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] },
    params: {
      comment: { type: "string" },
      expire: { type: "integer", min: 0 },
      privsep: { type: "boolean" },
      tokenid: { type: "string", required: true, pattern: "(?:[A-Za-z][A-Za-z0-9\\.\\-_]+)" },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "PUT /access/users/{userid}/token/{tokenid}": {
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] },
    params: {
      comment: { type: "string" },
      delete: { type: "string", format: "pve-configid-list", since: 9 },
      expire: { type: "integer", min: 0 },
      privsep: { type: "boolean" },
      regenerate: { type: "boolean", since: 9 },
      tokenid: { type: "string", required: true, pattern: "(?:[A-Za-z][A-Za-z0-9\\.\\-_]+)" },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "DELETE /access/users/{userid}/token/{tokenid}": {
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] },
    params: {
      tokenid: { type: "string", required: true, pattern: "(?:[A-Za-z][A-Za-z0-9\\.\\-_]+)" },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "GET /access/groups": {
    access: "anyone",
    params: {},
  },
  "GET /access/roles": {
    access: "anyone",
    params: {},
  },
  "POST /access/roles": {
    access: { on: "/access", privs: ["Sys.Modify"] },
    params: {
      privs: { type: "string", format: "pve-priv-list" },
      roleid: { type: "string", required: true, format: "pve-roleid" },
    },
  },
  "GET /access/roles/{roleid}": {
    access: "anyone",
    params: {
      roleid: { type: "string", required: true, format: "pve-roleid" },
    },
  },
  "PUT /access/roles/{roleid}": {
    access: { on: "/access", privs: ["Sys.Modify"] },
    params: {
      append: { type: "boolean", requires: "privs" },
      privs: { type: "string", format: "pve-priv-list" },
      roleid: { type: "string", required: true, format: "pve-roleid" },
    },
  },
  "DELETE /access/roles/{roleid}": {
    access: { on: "/access", privs: ["Sys.Modify"] },
    params: {
      roleid: { type: "string", required: true, format: "pve-roleid" },
    },
  },
  "GET /access/acl": {
    access: "anyone",
    params: {},
  },
  "PUT /access/acl": {
    access: { modifyPermissions: "{path}" },
    params: {
      delete: { type: "boolean" },
      groups: { type: "string", format: "pve-groupid-list" },
      path: { type: "string", required: true },
      propagate: { type: "boolean" },
      roles: { type: "string", required: true, format: "pve-roleid-list" },
      tokens: { type: "string", format: "pve-tokenid-list" },
      users: { type: "string", format: "pve-userid-list" },
    },
  },
  "GET /version": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/resources": {
    access: "anyone",
    params: {
      type: { type: "string", enum: ["vm", "storage", "node", "sdn"] },
    },
  },
  "GET /cluster/status": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/nextid": {
    access: "anyone",
    params: {
      vmid: { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /cluster/options": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/tasks": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/log": {
    access: "anyone",
    params: {
      max: { type: "integer", min: 1 },
    },
  },
  "GET /cluster/backup": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/replication": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/config/nodes": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/config/join": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", format: "pve-node" },
    },
  },
  "GET /nodes": {
    access: "anyone",
    params: {},
  },
  "GET /nodes/{node}/status": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/version": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/network": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      type: { type: "string", enum: ["bridge", "bond", "eth", "alias", "vlan", "fabric", "OVSBridge", "OVSBond", "OVSPort", "OVSIntPort", "vnet", "any_bridge", "any_local_bridge", "include_sdn"], in8: { enum: ["bridge", "bond", "eth", "alias", "vlan", "OVSBridge", "OVSBond", "OVSPort", "OVSIntPort", "vnet", "any_bridge", "any_local_bridge"] } },
    },
  },
  "GET /nodes/{node}/network/{iface}": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      iface: { type: "string", required: true, minLength: 2, maxLength: 20, format: "pve-iface" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/query-url-metadata": {
    runsOn: "node",
    access: $access,
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      url: { type: "string", required: true, pattern: "https?://.*" },
      "verify-certificates": { type: "boolean" },
    },
  },
  "PUT /cluster/options": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      bwlimit: $bwlimit,
      "consent-text": { type: "string", maxLength: 65536 },
      console: { type: "string", enum: ["applet", "vv", "html5", "xtermjs"] },
      crs: { type: "string", properties: { ha: { type: "string", enum: ["basic", "static", "dynamic"], in8: { enum: ["basic", "static"] } }, "ha-auto-rebalance": { type: "boolean", since: 9 }, "ha-auto-rebalance-hold-duration": { type: "number", min: 0, requires: "ha-auto-rebalance", since: 9 }, "ha-auto-rebalance-margin": { type: "number", min: 0, max: 100, requires: "ha-auto-rebalance", since: 9 }, "ha-auto-rebalance-method": { type: "string", enum: ["bruteforce", "topsis"], requires: "ha-auto-rebalance", since: 9 }, "ha-auto-rebalance-threshold": { type: "number", min: 0, max: 100, requires: "ha-auto-rebalance", since: 9 }, "ha-rebalance-on-start": { type: "boolean" } } },
      delete: { type: "string", format: "pve-configid-list" },
      description: { type: "string", maxLength: 65536 },
      email_from: { type: "string", format: "email-opt" },
      fencing: { type: "string", enum: ["watchdog", "hardware", "both"] },
      ha: { type: "string", properties: { shutdown_policy: { type: "string", required: true, enum: ["freeze", "failover", "conditional", "migrate"] } } },
      http_proxy: { type: "string", pattern: "http://.*" },
      keyboard: $keyboard,
      language: { type: "string", enum: ["ar", "ca", "da", "de", "en", "es", "eu", "fa", "fr", "hr", "he", "it", "ja", "ka", "kr", "nb", "nl", "nn", "pl", "pt_BR", "ru", "sl", "sv", "tr", "ukr", "zh_CN", "zh_TW"] },
      location: { type: "string", format: "pve-node-location", properties: { latitude: { type: "number", required: true }, longitude: { type: "number", required: true }, name: { type: "string" } }, since: 9 },
      mac_prefix: { type: "string", format: "mac-prefix" },
      max_workers: { type: "integer", min: 1 },
      migration: { type: "string", properties: $migration },
      migration_unsecure: { type: "boolean" },
      "next-id": { type: "string", properties: { lower: { type: "integer" }, upper: { type: "integer" } } },
      notify: { type: "string", properties: { fencing: { type: "string", enum: ["always", "never"] }, "package-updates": { type: "string", enum: ["auto", "always", "never"] }, replication: { type: "string", enum: ["always", "never"] }, "target-fencing": { type: "string" }, "target-package-updates": { type: "string" }, "target-replication": { type: "string" } } },
      "registered-tags": { type: "string", pattern: "(?:(?:[a-zA-Z0-9_][a-zA-Z0-9_\\-\\+\\.]*);)*(?:[a-zA-Z0-9_][a-zA-Z0-9_\\-\\+\\.]*)" },
      replication: { type: "string", properties: $migration, since: 9 },
      "tag-style": { type: "string", properties: { "case-sensitive": { type: "boolean" }, "color-map": { type: "string", pattern: "(?:(?:[a-zA-Z0-9_][a-zA-Z0-9_\\-\\+\\.]*):[0-9a-fA-F]{6}(?::[0-9a-fA-F]{6})?)(?:;(?:(?:[a-zA-Z0-9_][a-zA-Z0-9_\\-\\+\\.]*):[0-9a-fA-F]{6}(?::[0-9a-fA-F]{6})?))*" }, ordering: { type: "string", enum: ["config", "alphabetical"] }, shape: { type: "string", enum: ["full", "circle", "dense", "none"] } } },
      u2f: { type: "string", properties: { appid: { type: "string" }, origin: { type: "string" } } },
      "user-tag-access": { type: "string", properties: { "user-allow": { type: "string", enum: ["none", "list", "existing", "free"] }, "user-allow-list": { type: "string", pattern: "(?:[a-zA-Z0-9_][a-zA-Z0-9_\\-\\+\\.]*)(?:;(?:[a-zA-Z0-9_][a-zA-Z0-9_\\-\\+\\.]*))*" } } },
      webauthn: { type: "string", properties: { "allow-subdomains": { type: "boolean" }, id: { type: "string" }, origin: { type: "string" }, rp: { type: "string" } } },
    },
  },
  "GET /access": {
    access: "anyone",
    params: {},
  },
  "GET /cluster": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/acme": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/bulk-action": {
    since: 9,
    access: "anyone",
    params: {},
  },
  "GET /cluster/ceph": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/config": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/firewall": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/ha": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/ha/status": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/jobs": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/mapping": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/metrics": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/notifications": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/notifications/endpoints": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/qemu": {
    since: 9,
    access: "anyone",
    params: {},
  },
  "GET /cluster/sdn": {
    access: { on: "/sdn", privs: ["SDN.Audit"] },
    params: {},
  },
  "GET /nodes/{node}": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/apt": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/capabilities": {
    runsOn: "node since 9",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/capabilities/qemu": {
    runsOn: "node since 9",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/certificates": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/disks": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/firewall": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/hardware": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/scan": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/sdn": {
    runsOn: "node since 9",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent": {
    runsOn: "node",
    takesMore: true,
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/status": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/storage/{storage}": {
    access: { on: "/storage/{storage}", privs: ["Datastore.Audit", "Datastore.AllocateSpace"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
    },
  },
  "GET /cluster/ha/resources": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      type: { type: "string", enum: ["ct", "vm"] },
    },
  },
  "POST /cluster/ha/resources": {
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      comment: { type: "string", maxLength: 4096 },
      failback: { type: "boolean", since: 9 },
      group: { type: "string", format: "pve-configid" },
      max_relocate: { type: "integer", min: 0 },
      max_restart: { type: "integer", min: 0 },
      sid: { type: "string", required: true, format: "pve-ha-resource-or-vm-id" },
      state: { type: "string", enum: ["started", "stopped", "enabled", "disabled", "ignored"] },
      type: { type: "string", enum: ["ct", "vm"] },
    },
  },
  "GET /cluster/ha/resources/{sid}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      sid: { type: "string", required: true, format: "pve-ha-resource-or-vm-id" },
    },
  },
  "PUT /cluster/ha/resources/{sid}": {
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      comment: { type: "string", maxLength: 4096 },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      failback: { type: "boolean", since: 9 },
      group: { type: "string", format: "pve-configid" },
      max_relocate: { type: "integer", min: 0 },
      max_restart: { type: "integer", min: 0 },
      sid: { type: "string", required: true, format: "pve-ha-resource-or-vm-id" },
      state: { type: "string", enum: ["started", "stopped", "enabled", "disabled", "ignored"] },
    },
  },
  "DELETE /cluster/ha/resources/{sid}": {
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      purge: { type: "boolean", since: 9 },
      sid: { type: "string", required: true, format: "pve-ha-resource-or-vm-id" },
    },
  },
  "GET /cluster/ha/rules": {
    since: 9,
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      resource: { type: "string" },
      type: { type: "string", enum: ["node-affinity", "resource-affinity"] },
    },
  },
  "POST /cluster/ha/rules": {
    since: 9,
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      rule: { type: "string", required: true, format: "pve-configid" },
      comment: { type: "string", maxLength: 4096, forType: ["node-affinity", "resource-affinity"] },
      disable: { type: "boolean", forType: ["node-affinity", "resource-affinity"] },
      nodes: { type: "string", required: true, format: "pve-ha-node-list", forType: ["node-affinity"] },
      resources: { type: "string", required: true, format: "pve-ha-resource-id-list", forType: ["node-affinity", "resource-affinity"] },
      strict: { type: "boolean", forType: ["node-affinity"] },
      affinity: { type: "string", required: true, enum: ["positive", "negative"], forType: ["resource-affinity"] },
      type: { type: "string", required: true, enum: ["node-affinity", "resource-affinity"] },
    },
  },
  "GET /cluster/ha/rules/{rule}": {
    since: 9,
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      rule: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "PUT /cluster/ha/rules/{rule}": {
    since: 9,
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      rule: { type: "string", required: true, format: "pve-configid" },
      comment: { type: "string", maxLength: 4096, forType: ["node-affinity", "resource-affinity"] },
      disable: { type: "boolean", forType: ["node-affinity", "resource-affinity"] },
      nodes: { type: "string", format: "pve-ha-node-list", forType: ["node-affinity"] },
      resources: { type: "string", format: "pve-ha-resource-id-list", forType: ["node-affinity", "resource-affinity"] },
      strict: { type: "boolean", forType: ["node-affinity"] },
      affinity: { type: "string", enum: ["positive", "negative"], forType: ["resource-affinity"] },
      type: { type: "string", required: true, enum: ["node-affinity", "resource-affinity"] },
    },
  },
  "DELETE /cluster/ha/rules/{rule}": {
    since: 9,
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      rule: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/ha/groups": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "POST /cluster/ha/groups": {
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      comment: { type: "string", maxLength: 4096 },
      group: { type: "string", required: true, format: "pve-configid" },
      nodes: { type: "string", required: true, format: "pve-ha-node-list", in8: { format: "pve-ha-group-node-list" } },
      nofailback: { type: "boolean" },
      restricted: { type: "boolean" },
      type: { type: "string", enum: ["group"] },
    },
  },
  "GET /cluster/ha/groups/{group}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      group: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "PUT /cluster/ha/groups/{group}": {
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      comment: { type: "string", maxLength: 4096 },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      group: { type: "string", required: true, format: "pve-configid" },
      nodes: { type: "string", format: "pve-ha-node-list", in8: { format: "pve-ha-group-node-list" } },
      nofailback: { type: "boolean" },
      restricted: { type: "boolean" },
    },
  },
  "DELETE /cluster/ha/groups/{group}": {
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      group: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/ha/status/current": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "POST /nodes/{node}/status": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.PowerMgmt"] },
    params: {
      command: { type: "string", required: true, enum: ["reboot", "shutdown"] },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/dns": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/time": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/hosts": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/config": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      property: { type: "string", enum: ["acme", "acmedomain0", "acmedomain1", "acmedomain2", "acmedomain3", "acmedomain4", "acmedomain5", "ballooning-target", "description", "location", "startall-onboot-delay", "wakeonlan"], in8: { enum: ["acme", "acmedomain0", "acmedomain1", "acmedomain2", "acmedomain3", "acmedomain4", "acmedomain5", "ballooning-target", "description", "startall-onboot-delay", "wakeonlan"] } },
    },
  },
  "GET /nodes/{node}/subscription": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/lxc": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/services": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/certificates/info": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/capabilities/qemu/cpu": {
    access: "anyone",
    params: {
      arch: { type: "string", enum: ["x86_64", "aarch64"], since: 9 },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/capabilities/qemu/machines": {
    runsOn: "node",
    access: "anyone",
    params: {
      arch: { type: "string", enum: ["x86_64", "aarch64"], since: 9 },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/capabilities/qemu/migration": {
    since: 9,
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/rrddata": {
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      cf: { type: "string", enum: ["AVERAGE", "MAX"] },
      node: { type: "string", required: true, format: "pve-node" },
      timeframe: { type: "string", required: true, enum: ["hour", "day", "week", "month", "year", "decade"], in8: { enum: ["hour", "day", "week", "month", "year"] } },
    },
  },
  "GET /nodes/{node}/syslog": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Syslog"] },
    params: {
      limit: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", maxLength: 128 },
      since: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2}(:\\d{2})?)?$" },
      start: { type: "integer", min: 0 },
      until: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2}(:\\d{2})?)?$" },
    },
  },
  "GET /pools": {
    access: "anyone",
    params: {
      poolid: { type: "string", format: "pve-poolid" },
      type: { type: "string", enum: ["qemu", "lxc", "storage"], requires: "poolid" },
    },
  },
  "POST /pools": {
    access: { on: "/pool/{poolid}", privs: ["Pool.Allocate"] },
    params: {
      comment: { type: "string" },
      poolid: { type: "string", required: true, format: "pve-poolid" },
    },
  },
  "PUT /pools": {
    access: { on: "/pool/{poolid}", privs: ["Pool.Allocate"] },
    params: {
      "allow-move": { type: "boolean" },
      comment: { type: "string" },
      delete: { type: "boolean" },
      poolid: { type: "string", required: true, format: "pve-poolid" },
      storage: { type: "string", format: "pve-storage-id-list" },
      vms: { type: "string", format: "pve-vmid-list" },
    },
  },
  "DELETE /pools": {
    access: { on: "/pool/{poolid}", privs: ["Pool.Allocate"] },
    params: {
      poolid: { type: "string", required: true, format: "pve-poolid" },
    },
  },
  "GET /pools/{poolid}": {
    access: { on: "/pool/{poolid}", privs: ["Pool.Audit"] },
    params: {
      poolid: { type: "string", required: true, format: "pve-poolid" },
      type: { type: "string", enum: ["qemu", "lxc", "storage"] },
    },
  },
  "PUT /pools/{poolid}": {
    access: { on: "/pool/{poolid}", privs: ["Pool.Allocate"] },
    params: {
      "allow-move": { type: "boolean" },
      comment: { type: "string" },
      delete: { type: "boolean" },
      poolid: { type: "string", required: true, format: "pve-poolid" },
      storage: { type: "string", format: "pve-storage-id-list" },
      vms: { type: "string", format: "pve-vmid-list" },
    },
  },
  "DELETE /pools/{poolid}": {
    access: { on: "/pool/{poolid}", privs: ["Pool.Allocate"] },
    params: {
      poolid: { type: "string", required: true, format: "pve-poolid" },
    },
  },
  "GET /nodes/{node}/qemu": {
    runsOn: "node",
    access: "anyone",
    params: {
      full: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/qemu": {
    runsOn: "node",
    access: "anyone",
    params: {
      acpi: { type: "boolean" },
      affinity: { type: "string", format: "pve-cpuset" },
      agent: $agent,
      "allow-ksm": { type: "boolean", since: 9 },
      "amd-sev": $amd_sev,
      arch: { type: "string", enum: ["x86_64", "aarch64"] },
      archive: { type: "string", maxLength: 255 },
      args: { type: "string" },
      audio0: $audio0,
      autostart: { type: "boolean" },
      balloon: { type: "integer", min: 0 },
      bios: { type: "string", enum: ["seabios", "ovmf"] },
      boot: $boot,
      bootdisk: { type: "string", pattern: "(ide|sata|scsi|virtio)\\d+", format: "pve-qm-bootdisk" },
      bwlimit: { type: "integer", min: 0 },
      cdrom: $cdrom,
      cicustom: $cicustom,
      cipassword: { type: "string" },
      citype: { type: "string", enum: ["configdrive2", "nocloud", "opennebula"] },
      ciupgrade: { type: "boolean" },
      ciuser: { type: "string" },
      cores: { type: "integer", min: 1 },
      cpu: $cpu,
      cpulimit: { type: "number", min: 0, max: 128 },
      cpuunits: { type: "integer", min: 1, max: 262144 },
      description: { type: "string", maxLength: 8192 },
      efidisk0: $efidisk0,
      force: { type: "boolean", requires: "archive" },
      freeze: { type: "boolean" },
      "ha-managed": { type: "boolean", since: 9 },
      hookscript: { type: "string", format: "pve-volume-id" },
      "hostpci[n]": $hostpci_n,
      hotplug: { type: "string", format: "pve-hotplug-features" },
      hugepages: { type: "string", enum: ["any", "2", "1024"] },
      "ide[n]": $ide_n,
      "import-working-storage": { type: "string", format: "pve-storage-id" },
      "intel-tdx": $intel_tdx,
      "ipconfig[n]": $ipconfig_n,
      ivshmem: $ivshmem,
      keephugepages: { type: "boolean" },
      keyboard: $keyboard,
      kvm: { type: "boolean" },
      "live-restore": { type: "boolean" },
      localtime: { type: "boolean" },
      lock: $lock,
      machine: $machine,
      memory: $memory,
      migrate_downtime: { type: "number", min: 0 },
      migrate_speed: { type: "integer", min: 0 },
      name: { type: "string", format: "dns-name" },
      nameserver: { type: "string", format: "address-list" },
      "net[n]": $net_n,
      node: { type: "string", required: true, format: "pve-node" },
      numa: { type: "boolean" },
      "numa[n]": $numa_n,
      onboot: { type: "boolean" },
      ostype: $ostype,
      "parallel[n]": { type: "string", pattern: "/dev/parport\\d+|/dev/usb/lp\\d+", count: 3 },
      pool: { type: "string", format: "pve-poolid" },
      protection: { type: "boolean" },
      reboot: { type: "boolean" },
      rng0: $rng0,
      "sata[n]": $sata_n,
      "scsi[n]": $scsi_n,
      scsihw: $scsihw,
      searchdomain: { type: "string" },
      "serial[n]": { type: "string", pattern: "(/dev/[^,]+|socket)", count: 4, in8: { pattern: "(/dev/.+|socket)" } },
      shares: { type: "integer", min: 0, max: 50000 },
      smbios1: $smbios1,
      smp: { type: "integer", min: 1 },
      sockets: { type: "integer", min: 1 },
      spice_enhancements: $spice_enhancements,
      sshkeys: { type: "string", format: "urlencoded" },
      start: { type: "boolean" },
      startdate: { type: "string", pattern: "(now|\\d{4}-\\d{1,2}-\\d{1,2}(T\\d{1,2}:\\d{1,2}:\\d{1,2})?)" },
      startup: { type: "string", format: "pve-startup-order" },
      storage: { type: "string", format: "pve-storage-id" },
      tablet: { type: "boolean" },
      tags: { type: "string", format: "pve-tag-list" },
      tdf: { type: "boolean" },
      template: { type: "boolean" },
      tpmstate0: $tpmstate0,
      unique: { type: "boolean", requires: "archive" },
      "unused[n]": $unused_n,
      "usb[n]": $usb_n,
      vcpus: { type: "integer", min: 1 },
      vga: $vga,
      "virtio[n]": $virtio_n,
      "virtiofs[n]": $virtiofs_n,
      vmgenid: { type: "string", pattern: "(?:[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}|[01])" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      vmstatestorage: { type: "string", format: "pve-storage-id" },
      watchdog: $watchdog,
    },
  },
  "DELETE /nodes/{node}/qemu/{vmid}": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Allocate"] },
    params: {
      "destroy-unreferenced-disks": { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      purge: { type: "boolean" },
      skiplock: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/config": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      current: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      snapshot: { type: "string", maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/config": {
    runsOn: "node",
    access: $access2,
    params: {
      acpi: { type: "boolean" },
      affinity: { type: "string", format: "pve-cpuset" },
      agent: $agent,
      "allow-ksm": { type: "boolean", since: 9 },
      "amd-sev": $amd_sev,
      arch: { type: "string", enum: ["x86_64", "aarch64"] },
      args: { type: "string" },
      audio0: $audio0,
      autostart: { type: "boolean" },
      balloon: { type: "integer", min: 0 },
      bios: { type: "string", enum: ["seabios", "ovmf"] },
      boot: $boot,
      bootdisk: { type: "string", pattern: "(ide|sata|scsi|virtio)\\d+", format: "pve-qm-bootdisk" },
      cdrom: $cdrom,
      cicustom: $cicustom,
      cipassword: { type: "string" },
      citype: { type: "string", enum: ["configdrive2", "nocloud", "opennebula"] },
      ciupgrade: { type: "boolean" },
      ciuser: { type: "string" },
      cores: { type: "integer", min: 1 },
      cpu: $cpu,
      cpulimit: { type: "number", min: 0, max: 128 },
      cpuunits: { type: "integer", min: 1, max: 262144 },
      delete: { type: "string", format: "pve-configid-list" },
      description: { type: "string", maxLength: 8192 },
      digest: { type: "string", maxLength: 40 },
      efidisk0: $efidisk0,
      force: { type: "boolean", requires: "delete" },
      freeze: { type: "boolean" },
      hookscript: { type: "string", format: "pve-volume-id" },
      "hostpci[n]": $hostpci_n,
      hotplug: { type: "string", format: "pve-hotplug-features" },
      hugepages: { type: "string", enum: ["any", "2", "1024"] },
      "ide[n]": $ide_n,
      "intel-tdx": $intel_tdx,
      "ipconfig[n]": $ipconfig_n,
      ivshmem: $ivshmem,
      keephugepages: { type: "boolean" },
      keyboard: $keyboard,
      kvm: { type: "boolean" },
      localtime: { type: "boolean" },
      lock: $lock,
      machine: $machine,
      memory: $memory,
      migrate_downtime: { type: "number", min: 0 },
      migrate_speed: { type: "integer", min: 0 },
      name: { type: "string", format: "dns-name" },
      nameserver: { type: "string", format: "address-list" },
      "net[n]": $net_n,
      node: { type: "string", required: true, format: "pve-node" },
      numa: { type: "boolean" },
      "numa[n]": $numa_n,
      onboot: { type: "boolean" },
      ostype: $ostype,
      "parallel[n]": { type: "string", pattern: "/dev/parport\\d+|/dev/usb/lp\\d+", count: 3 },
      protection: { type: "boolean" },
      reboot: { type: "boolean" },
      revert: { type: "string", format: "pve-configid-list" },
      rng0: $rng0,
      "sata[n]": $sata_n,
      "scsi[n]": $scsi_n,
      scsihw: $scsihw,
      searchdomain: { type: "string" },
      "serial[n]": { type: "string", pattern: "(/dev/[^,]+|socket)", count: 4, in8: { pattern: "(/dev/.+|socket)" } },
      shares: { type: "integer", min: 0, max: 50000 },
      skiplock: { type: "boolean" },
      smbios1: $smbios1,
      smp: { type: "integer", min: 1 },
      sockets: { type: "integer", min: 1 },
      spice_enhancements: $spice_enhancements,
      sshkeys: { type: "string", format: "urlencoded" },
      startdate: { type: "string", pattern: "(now|\\d{4}-\\d{1,2}-\\d{1,2}(T\\d{1,2}:\\d{1,2}:\\d{1,2})?)" },
      startup: { type: "string", format: "pve-startup-order" },
      tablet: { type: "boolean" },
      tags: { type: "string", format: "pve-tag-list" },
      tdf: { type: "boolean" },
      template: { type: "boolean" },
      tpmstate0: $tpmstate0,
      "unused[n]": $unused_n,
      "usb[n]": $usb_n,
      vcpus: { type: "integer", min: 1 },
      vga: $vga,
      "virtio[n]": $virtio_n,
      "virtiofs[n]": $virtiofs_n,
      vmgenid: { type: "string", pattern: "(?:[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}|[01])" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      vmstatestorage: { type: "string", format: "pve-storage-id" },
      watchdog: $watchdog,
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/config": {
    runsOn: "node",
    access: $access2,
    params: {
      acpi: { type: "boolean" },
      affinity: { type: "string", format: "pve-cpuset" },
      agent: $agent,
      "allow-ksm": { type: "boolean", since: 9 },
      "amd-sev": $amd_sev,
      arch: { type: "string", enum: ["x86_64", "aarch64"] },
      args: { type: "string" },
      audio0: $audio0,
      autostart: { type: "boolean" },
      background_delay: { type: "integer", min: 1, max: 30 },
      balloon: { type: "integer", min: 0 },
      bios: { type: "string", enum: ["seabios", "ovmf"] },
      boot: $boot,
      bootdisk: { type: "string", pattern: "(ide|sata|scsi|virtio)\\d+", format: "pve-qm-bootdisk" },
      cdrom: $cdrom,
      cicustom: $cicustom,
      cipassword: { type: "string" },
      citype: { type: "string", enum: ["configdrive2", "nocloud", "opennebula"] },
      ciupgrade: { type: "boolean" },
      ciuser: { type: "string" },
      cores: { type: "integer", min: 1 },
      cpu: $cpu,
      cpulimit: { type: "number", min: 0, max: 128 },
      cpuunits: { type: "integer", min: 1, max: 262144 },
      delete: { type: "string", format: "pve-configid-list" },
      description: { type: "string", maxLength: 8192 },
      digest: { type: "string", maxLength: 40 },
      efidisk0: $efidisk0,
      force: { type: "boolean", requires: "delete" },
      freeze: { type: "boolean" },
      hookscript: { type: "string", format: "pve-volume-id" },
      "hostpci[n]": $hostpci_n,
      hotplug: { type: "string", format: "pve-hotplug-features" },
      hugepages: { type: "string", enum: ["any", "2", "1024"] },
      "ide[n]": $ide_n,
      "import-working-storage": { type: "string", format: "pve-storage-id" },
      "intel-tdx": $intel_tdx,
      "ipconfig[n]": $ipconfig_n,
      ivshmem: $ivshmem,
      keephugepages: { type: "boolean" },
      keyboard: $keyboard,
      kvm: { type: "boolean" },
      localtime: { type: "boolean" },
      lock: $lock,
      machine: $machine,
      memory: $memory,
      migrate_downtime: { type: "number", min: 0 },
      migrate_speed: { type: "integer", min: 0 },
      name: { type: "string", format: "dns-name" },
      nameserver: { type: "string", format: "address-list" },
      "net[n]": $net_n,
      node: { type: "string", required: true, format: "pve-node" },
      numa: { type: "boolean" },
      "numa[n]": $numa_n,
      onboot: { type: "boolean" },
      ostype: $ostype,
      "parallel[n]": { type: "string", pattern: "/dev/parport\\d+|/dev/usb/lp\\d+", count: 3 },
      protection: { type: "boolean" },
      reboot: { type: "boolean" },
      revert: { type: "string", format: "pve-configid-list" },
      rng0: $rng0,
      "sata[n]": $sata_n,
      "scsi[n]": $scsi_n,
      scsihw: $scsihw,
      searchdomain: { type: "string" },
      "serial[n]": { type: "string", pattern: "(/dev/[^,]+|socket)", count: 4, in8: { pattern: "(/dev/.+|socket)" } },
      shares: { type: "integer", min: 0, max: 50000 },
      skiplock: { type: "boolean" },
      smbios1: $smbios1,
      smp: { type: "integer", min: 1 },
      sockets: { type: "integer", min: 1 },
      spice_enhancements: $spice_enhancements,
      sshkeys: { type: "string", format: "urlencoded" },
      startdate: { type: "string", pattern: "(now|\\d{4}-\\d{1,2}-\\d{1,2}(T\\d{1,2}:\\d{1,2}:\\d{1,2})?)" },
      startup: { type: "string", format: "pve-startup-order" },
      tablet: { type: "boolean" },
      tags: { type: "string", format: "pve-tag-list" },
      tdf: { type: "boolean" },
      template: { type: "boolean" },
      tpmstate0: $tpmstate0,
      "unused[n]": $unused_n,
      "usb[n]": $usb_n,
      vcpus: { type: "integer", min: 1 },
      vga: $vga,
      "virtio[n]": $virtio_n,
      "virtiofs[n]": $virtiofs_n,
      vmgenid: { type: "string", pattern: "(?:[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}|[01])" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      vmstatestorage: { type: "string", format: "pve-storage-id" },
      watchdog: $watchdog,
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/pending": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/feature": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      feature: { type: "string", required: true, enum: ["snapshot", "clone", "copy"] },
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/resize": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Disk"] },
    params: {
      digest: { type: "string", maxLength: 40 },
      disk: { type: "string", required: true, enum: $enum },
      node: { type: "string", required: true, format: "pve-node" },
      size: { type: "string", required: true, pattern: "\\+?\\d+(\\.\\d+)?[KMGT]?" },
      skiplock: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/unlink": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Disk"] },
    params: {
      force: { type: "boolean" },
      idlist: { type: "string", required: true, format: "pve-configid-list" },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/template": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Allocate"] },
    params: {
      disk: { type: "string", enum: $enum },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/cloudinit": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/cloudinit": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Cloudinit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/cloudinit/dump": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      type: { type: "string", required: true, enum: ["user", "network", "meta"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/ping": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-host-name": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-osinfo": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-time": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-timezone": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-users": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-vcpus": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/info": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/termproxy": {
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      serial: { type: "string", enum: ["serial0", "serial1", "serial2", "serial3"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/vncwebsocket": {
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      port: { type: "integer", required: true, min: 5900, max: 5999 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      vncticket: { type: "string", required: true, maxLength: 512 },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/clone": {
    runsOn: "node",
    access: { allOf: [{ on: "/vms/{vmid}", privs: ["VM.Clone"] }, { anyOf: [{ on: "/vms/{newid}", privs: ["VM.Allocate"] }, { on: "/pool/{pool}", privs: ["VM.Allocate"], given: "pool" }] }] },
    params: {
      bwlimit: { type: "integer", min: 0 },
      description: { type: "string" },
      format: { type: "string", enum: ["raw", "qcow2", "vmdk"] },
      full: { type: "boolean" },
      name: { type: "string", format: "dns-name" },
      newid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      node: { type: "string", required: true, format: "pve-node" },
      pool: { type: "string", format: "pve-poolid" },
      snapname: { type: "string", maxLength: 40, format: "pve-configid" },
      storage: { type: "string", format: "pve-storage-id" },
      target: { type: "string", format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/move_disk": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Disk"] },
    params: {
      bwlimit: { type: "integer", min: 0 },
      delete: { type: "boolean" },
      digest: { type: "string", maxLength: 40 },
      disk: { type: "string", required: true, enum: $enum2 },
      format: { type: "string", enum: ["raw", "qcow2", "vmdk"] },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", format: "pve-storage-id" },
      "target-digest": { type: "string", maxLength: 40 },
      "target-disk": { type: "string", enum: $enum2 },
      "target-vmid": { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/snapshot": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/snapshot": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot"] },
    params: {
      description: { type: "string" },
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      vmstate: { type: "boolean" },
    },
  },
  "DELETE /nodes/{node}/qemu/{vmid}/snapshot/{snapname}": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot"] },
    params: {
      force: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot", "VM.Snapshot.Rollback", "VM.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot"] },
    params: {
      description: { type: "string" },
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/rollback": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot", "VM.Snapshot.Rollback"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      start: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/migrate": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Migrate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      target: { type: "string", format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/migrate": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Migrate"] },
    params: {
      bwlimit: { type: "integer", min: 0 },
      force: { type: "boolean" },
      migration_network: { type: "string", format: "CIDR" },
      migration_type: { type: "string", enum: ["secure", "insecure"] },
      node: { type: "string", required: true, format: "pve-node" },
      online: { type: "boolean" },
      target: { type: "string", required: true, format: "pve-node" },
      targetstorage: { type: "string", format: "storage-pair-list" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      "with-conntrack-state": { type: "boolean", since: 9 },
      "with-local-disks": { type: "boolean" },
    },
  },
  "POST /nodes/{node}/vzdump": {
    runsOn: "node",
    access: "anyone",
    params: {
      all: { type: "boolean" },
      bwlimit: { type: "integer", min: 0 },
      compress: { type: "string", enum: ["0", "1", "gzip", "lzo", "zstd"] },
      dumpdir: { type: "string" },
      exclude: { type: "string", format: "pve-vmid-list" },
      "exclude-path": { type: "string", isList: true },
      fleecing: { type: "string", format: "backup-fleecing" },
      ionice: { type: "integer", min: 0, max: 8 },
      "job-id": { type: "string", pattern: "\\S+", maxLength: 50 },
      lockwait: { type: "integer", min: 0 },
      mailnotification: { type: "string", enum: ["always", "failure"] },
      mailto: { type: "string", format: "email-or-username-list" },
      maxfiles: { type: "integer", min: 1, until: 8 },
      mode: { type: "string", enum: ["snapshot", "suspend", "stop"] },
      node: { type: "string", format: "pve-node" },
      "notes-template": { type: "string", maxLength: 1024, requires: "storage" },
      "notification-mode": { type: "string", enum: ["auto", "legacy-sendmail", "notification-system"] },
      "notification-policy": { type: "string", enum: ["always", "failure", "never"], until: 8 },
      "notification-target": { type: "string", format: "pve-configid", until: 8 },
      "pbs-change-detection-mode": { type: "string", enum: ["legacy", "data", "metadata"] },
      performance: { type: "string", format: "backup-performance" },
      pigz: { type: "integer" },
      pool: { type: "string" },
      protected: { type: "boolean", requires: "storage" },
      "prune-backups": $prune_backups,
      quiet: { type: "boolean" },
      remove: { type: "boolean" },
      script: { type: "string" },
      stdexcludes: { type: "boolean" },
      stdout: { type: "boolean" },
      stop: { type: "boolean" },
      stopwait: { type: "integer", min: 0 },
      storage: { type: "string", format: "pve-storage-id" },
      tmpdir: { type: "string" },
      vmid: { type: "string", format: "pve-vmid-list" },
      zstd: { type: "integer" },
    },
  },
  "GET /nodes/{node}/vzdump/extractconfig": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      volume: { type: "string", required: true },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/status/current": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/start": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      "force-cpu": { type: "string" },
      machine: $machine,
      migratedfrom: { type: "string", format: "pve-node" },
      migration_network: { type: "string", format: "CIDR" },
      migration_type: { type: "string", enum: ["secure", "insecure"] },
      "nets-host-mtu": { type: "string", pattern: "net\\d+=\\d+(,net\\d+=\\d+)*" },
      node: { type: "string", required: true, format: "pve-node" },
      skiplock: { type: "boolean" },
      stateuri: { type: "string", maxLength: 128 },
      targetstorage: { type: "string", format: "storage-pair-list" },
      timeout: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      "with-conntrack-state": { type: "boolean", since: 9 },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/stop": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      keepActive: { type: "boolean" },
      migratedfrom: { type: "string", format: "pve-node" },
      node: { type: "string", required: true, format: "pve-node" },
      "overrule-shutdown": { type: "boolean" },
      skiplock: { type: "boolean" },
      timeout: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/shutdown": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      forceStop: { type: "boolean" },
      keepActive: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      skiplock: { type: "boolean" },
      timeout: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/reset": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      skiplock: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/reboot": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      timeout: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/suspend": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      skiplock: { type: "boolean" },
      statestorage: { type: "string", format: "pve-storage-id", requires: "todisk" },
      todisk: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/resume": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      nocheck: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      skiplock: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/rrddata": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      cf: { type: "string", enum: ["AVERAGE", "MAX"] },
      node: { type: "string", required: true, format: "pve-node" },
      timeframe: { type: "string", required: true, enum: ["hour", "day", "week", "month", "year"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /cluster/sdn/zones": {
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
      type: { type: "string", enum: ["evpn", "faucet", "qinq", "simple", "vlan", "vxlan"] },
    },
  },
  "GET /cluster/sdn/vnets": {
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
    },
  },
  "GET /storage": {
    access: "anyone",
    params: {
      type: { type: "string", enum: $enum3, in8: $in8 },
    },
  },
  "GET /storage/{storage}": {
    access: { on: "/storage/{storage}", privs: ["Datastore.Allocate"] },
    params: {
      storage: { type: "string", required: true, format: "pve-storage-id" },
    },
  },
  "GET /nodes/{node}/storage": {
    runsOn: "node",
    access: "anyone",
    params: {
      content: { type: "string", format: "pve-storage-content-list" },
      enabled: { type: "boolean" },
      format: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", format: "pve-storage-id" },
      target: { type: "string", format: "pve-node" },
    },
  },
  "GET /nodes/{node}/storage/{storage}/status": {
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.Audit", "Datastore.AllocateSpace"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
    },
  },
  "GET /nodes/{node}/storage/{storage}/content": {
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.Audit", "Datastore.AllocateSpace"], any: true },
    params: {
      content: { type: "string", format: "pve-storage-content" },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      vmid: { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/storage/{storage}/content": {
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.AllocateSpace"] },
    params: {
      filename: { type: "string", required: true },
      format: { type: "string", enum: ["raw", "qcow2", "subvol", "vmdk"], requires: "size" },
      node: { type: "string", required: true, format: "pve-node" },
      size: { type: "string", required: true, pattern: "\\d+[MG]?" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/storage/{storage}/content/{volume}": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", format: "pve-storage-id" },
      volume: { type: "string", required: true },
    },
  },
  "DELETE /nodes/{node}/storage/{storage}/content/{volume}": {
    runsOn: "node",
    access: "anyone",
    params: {
      delay: { type: "integer", min: 1, max: 30 },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", format: "pve-storage-id" },
      volume: { type: "string", required: true },
    },
  },
  "POST /nodes/{node}/storage/{storage}/upload": {
    access: { on: "/storage/{storage}", privs: ["Datastore.AllocateTemplate"] },
    params: {
      checksum: { type: "string", requires: "checksum-algorithm" },
      "checksum-algorithm": $checksum_algorithm,
      content: { type: "string", required: true, enum: ["iso", "vztmpl", "import"], format: "pve-storage-content" },
      filename: { type: "string", required: true, maxLength: 255 },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      tmpfilename: { type: "string", pattern: "/var/tmp/pveupload-[0-9a-f]+" },
    },
  },
  "POST /nodes/{node}/storage/{storage}/download-url": {
    runsOn: "node",
    access: { allOf: [{ on: "/storage/{storage}", privs: ["Datastore.AllocateTemplate"] }, { anyOf: [{ on: "/", privs: ["Sys.Audit", "Sys.Modify"] }, { on: "/nodes/{node}", privs: ["Sys.AccessNetwork"] }] }] },
    params: {
      checksum: { type: "string", requires: "checksum-algorithm" },
      "checksum-algorithm": $checksum_algorithm,
      compression: { type: "string" },
      content: { type: "string", required: true, enum: ["iso", "vztmpl", "import"], format: "pve-storage-content" },
      filename: { type: "string", required: true, maxLength: 255 },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      url: { type: "string", required: true, pattern: "https?://.*" },
      "verify-certificates": { type: "boolean" },
    },
  },
  "GET /nodes/{node}/storage/{storage}/import-metadata": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      volume: { type: "string", required: true },
    },
  },
  "POST /storage": {
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      authsupported: { type: "string" },
      base: { type: "string", format: "pve-volume-id" },
      blocksize: { type: "string", format: "pve-storage-zfs-blocksize", in8: { format: undefined } },
      bwlimit: $bwlimit,
      comstar_hg: { type: "string" },
      comstar_tg: { type: "string" },
      content: { type: "string", format: "pve-storage-content-list" },
      "content-dirs": { type: "string", format: "pve-dir-override-list" },
      "create-base-path": { type: "boolean" },
      "create-subdirs": { type: "boolean" },
      "data-pool": { type: "string" },
      datastore: { type: "string" },
      disable: { type: "boolean" },
      domain: { type: "string", maxLength: 256 },
      "encryption-key": { type: "string" },
      export: { type: "string", format: "pve-storage-path" },
      fingerprint: { type: "string", pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
      format: { type: "string", enum: ["raw", "qcow2", "subvol", "vmdk"] },
      "fs-name": { type: "string", format: "pve-configid" },
      fuse: { type: "boolean" },
      is_mountpoint: { type: "string" },
      iscsiprovider: { type: "string" },
      keyring: { type: "string" },
      krbd: { type: "boolean" },
      lio_tpg: { type: "string" },
      "master-pubkey": { type: "string" },
      "max-protected-backups": { type: "integer", min: -1 },
      maxfiles: { type: "integer", min: 0, until: 8 },
      mkdir: { type: "boolean" },
      monhost: { type: "string", format: "pve-storage-portal-dns-list" },
      mountpoint: { type: "string", format: "pve-storage-path" },
      namespace: { type: "string" },
      nocow: { type: "boolean" },
      nodes: { type: "string", format: "pve-node-list" },
      nowritecache: { type: "boolean" },
      options: { type: "string", format: "pve-storage-options" },
      password: { type: "string", maxLength: 256 },
      path: { type: "string", format: "pve-storage-path" },
      pool: { type: "string" },
      port: { type: "integer", min: 1, max: 65535 },
      portal: { type: "string", format: "pve-storage-portal-dns" },
      preallocation: { type: "string", enum: ["off", "metadata", "falloc", "full"] },
      "prune-backups": $prune_backups,
      saferemove: { type: "boolean" },
      "saferemove-stepsize": { type: "integer", enum: ["1", "2", "4", "8", "16", "32"], since: 9 },
      saferemove_throughput: { type: "string" },
      server: { type: "string", format: "pve-storage-server" },
      server2: { type: "string", format: "pve-storage-server", requires: "server", until: 8 },
      share: { type: "string" },
      shared: { type: "boolean" },
      "skip-cert-verification": { type: "boolean" },
      smbversion: { type: "string", enum: ["default", "2.0", "2.1", "3", "3.0", "3.11"] },
      "snapshot-as-volume-chain": { type: "boolean", since: 9 },
      sparse: { type: "boolean" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      subdir: { type: "string", format: "pve-storage-path" },
      tagged_only: { type: "boolean" },
      target: { type: "string" },
      thinpool: { type: "string", format: "pve-storage-vgname" },
      transport: { type: "string", enum: ["tcp", "rdma", "unix"], until: 8 },
      type: { type: "string", required: true, enum: $enum3, in8: $in8 },
      username: { type: "string" },
      vgname: { type: "string", format: "pve-storage-vgname" },
      volume: { type: "string", until: 8 },
      "zfs-base-path": { type: "string", format: "pve-storage-path" },
    },
  },
  "PUT /storage/{storage}": {
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      blocksize: { type: "string", format: "pve-storage-zfs-blocksize", in8: { format: undefined } },
      bwlimit: $bwlimit,
      comstar_hg: { type: "string" },
      comstar_tg: { type: "string" },
      content: { type: "string", format: "pve-storage-content-list" },
      "content-dirs": { type: "string", format: "pve-dir-override-list" },
      "create-base-path": { type: "boolean" },
      "create-subdirs": { type: "boolean" },
      "data-pool": { type: "string" },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      domain: { type: "string", maxLength: 256 },
      "encryption-key": { type: "string" },
      fingerprint: { type: "string", pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
      format: { type: "string", enum: ["raw", "qcow2", "subvol", "vmdk"] },
      "fs-name": { type: "string", format: "pve-configid" },
      fuse: { type: "boolean" },
      is_mountpoint: { type: "string" },
      keyring: { type: "string" },
      krbd: { type: "boolean" },
      lio_tpg: { type: "string" },
      "master-pubkey": { type: "string" },
      "max-protected-backups": { type: "integer", min: -1 },
      maxfiles: { type: "integer", min: 0, until: 8 },
      mkdir: { type: "boolean" },
      monhost: { type: "string", format: "pve-storage-portal-dns-list" },
      mountpoint: { type: "string", format: "pve-storage-path" },
      namespace: { type: "string" },
      nocow: { type: "boolean" },
      nodes: { type: "string", format: "pve-node-list" },
      nowritecache: { type: "boolean" },
      options: { type: "string", format: "pve-storage-options" },
      password: { type: "string", maxLength: 256 },
      pool: { type: "string" },
      port: { type: "integer", min: 1, max: 65535 },
      preallocation: { type: "string", enum: ["off", "metadata", "falloc", "full"] },
      "prune-backups": $prune_backups,
      saferemove: { type: "boolean" },
      "saferemove-stepsize": { type: "integer", enum: ["1", "2", "4", "8", "16", "32"], since: 9 },
      saferemove_throughput: { type: "string" },
      server: { type: "string", format: "pve-storage-server" },
      server2: { type: "string", format: "pve-storage-server", requires: "server", until: 8 },
      shared: { type: "boolean" },
      "skip-cert-verification": { type: "boolean" },
      smbversion: { type: "string", enum: ["default", "2.0", "2.1", "3", "3.0", "3.11"] },
      "snapshot-as-volume-chain": { type: "boolean", since: 9 },
      sparse: { type: "boolean" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      subdir: { type: "string", format: "pve-storage-path" },
      tagged_only: { type: "boolean" },
      transport: { type: "string", enum: ["tcp", "rdma", "unix"], until: 8 },
      username: { type: "string" },
      "zfs-base-path": { type: "string", format: "pve-storage-path" },
    },
  },
  "DELETE /storage/{storage}": {
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      storage: { type: "string", required: true, format: "pve-storage-id" },
    },
  },
  "GET /nodes/{node}/tasks": {
    runsOn: "node",
    access: "anyone",
    params: {
      errors: { type: "boolean" },
      limit: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      since: { type: "integer" },
      source: { type: "string", enum: ["archive", "active", "all"] },
      start: { type: "integer", min: 0 },
      statusfilter: { type: "string", format: "pve-task-status-type-list" },
      typefilter: { type: "string" },
      until: { type: "integer" },
      userfilter: { type: "string" },
      vmid: { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/tasks/{upid}": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      upid: { type: "string", required: true },
    },
  },
  "DELETE /nodes/{node}/tasks/{upid}": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      upid: { type: "string", required: true },
    },
  },
  "GET /nodes/{node}/tasks/{upid}/status": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      upid: { type: "string", required: true },
    },
  },
  "GET /nodes/{node}/tasks/{upid}/log": {
    runsOn: "node",
    access: "anyone",
    params: {
      download: { type: "boolean" },
      limit: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      start: { type: "integer", min: 0 },
      upid: { type: "string", required: true },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Unrestricted", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      command: { type: "string", required: true, enum: ["fsfreeze-freeze", "fsfreeze-status", "fsfreeze-thaw", "fstrim", "get-fsinfo", "get-host-name", "get-memory-block-info", "get-memory-blocks", "get-osinfo", "get-time", "get-timezone", "get-users", "get-vcpus", "info", "network-get-interfaces", "ping", "shutdown", "suspend-disk", "suspend-hybrid", "suspend-ram"] },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/exec": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Unrestricted"] },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      command: { type: "string", isList: true, required: true },
      "input-data": { type: "string", maxLength: 65536 },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/file-write": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.FileWrite", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      content: { type: "string", required: true, maxLength: 61440 },
      encode: { type: "boolean" },
      file: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/fsfreeze-freeze": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.FileSystemMgmt", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/fsfreeze-status": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.FileSystemMgmt", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/fsfreeze-thaw": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.FileSystemMgmt", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/fstrim": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.FileSystemMgmt", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/set-user-password": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Unrestricted"] },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      crypted: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      password: { type: "string", required: true, minLength: 5, maxLength: 1024 },
      username: { type: "string", required: true },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/shutdown": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/suspend-disk": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/suspend-hybrid": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/agent/suspend-ram": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/exec-status": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Unrestricted"] },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      pid: { type: "integer", required: true },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/file-read": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.FileRead", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      count: { type: "integer", min: 1, max: 16777216, since: 9 },
      decode: { type: "boolean", since: 9 },
      file: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      offset: { type: "integer", min: 0, since: 9 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-fsinfo": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-memory-block-info": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/agent/get-memory-blocks": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /access/openid": {
    access: "anyone",
    params: {},
  },
  "GET /access/tfa": {
    access: "anyone",
    params: {},
  },
  "GET /access/domains/{realm}": {
    access: { on: "/access/realm", privs: ["Realm.Allocate", "Sys.Audit"], any: true },
    params: {
      realm: { type: "string", required: true, maxLength: 32, format: "pve-realm" },
    },
  },
  "POST /access/domains": {
    access: { on: "/access/realm", privs: ["Realm.Allocate"] },
    params: {
      "acr-values": { type: "string", pattern: "^[^\\x00-\\x1F\\x7F <>#\"]*$" },
      audiences: { type: "string", pattern: "^[^\\x00-\\x1F\\x7F <>#\"]*$", since: 9 },
      autocreate: { type: "boolean" },
      base_dn: { type: "string", maxLength: 256 },
      bind_dn: { type: "string", maxLength: 256 },
      capath: { type: "string" },
      "case-sensitive": { type: "boolean" },
      cert: { type: "string" },
      certkey: { type: "string" },
      "check-connection": { type: "boolean" },
      "client-id": { type: "string", maxLength: 256 },
      "client-key": { type: "string", maxLength: 256 },
      comment: { type: "string", maxLength: 4096 },
      default: { type: "boolean" },
      domain: { type: "string", pattern: "\\S+", maxLength: 256 },
      filter: { type: "string", maxLength: 2048 },
      group_classes: { type: "string", format: "ldap-simple-attr-list" },
      group_dn: { type: "string", maxLength: 256 },
      group_filter: { type: "string", maxLength: 2048 },
      group_name_attr: { type: "string", maxLength: 256, format: "ldap-simple-attr" },
      "groups-autocreate": { type: "boolean" },
      "groups-claim": { type: "string", pattern: "(?:[A-Za-z0-9\\.\\-_]+)", maxLength: 256 },
      "groups-overwrite": { type: "boolean" },
      "issuer-url": { type: "string", maxLength: 256 },
      mode: { type: "string", enum: ["ldap", "ldaps", "ldap+starttls"] },
      password: { type: "string" },
      port: { type: "integer", min: 1, max: 65535 },
      prompt: { type: "string", pattern: "(?:none|login|consent|select_account|\\S+)" },
      "query-userinfo": { type: "boolean" },
      realm: { type: "string", required: true, maxLength: 32, format: "pve-realm" },
      scopes: { type: "string" },
      secure: { type: "boolean" },
      server1: { type: "string", maxLength: 256, format: "address" },
      server2: { type: "string", maxLength: 256, format: "address" },
      sslversion: { type: "string", enum: ["tlsv1", "tlsv1_1", "tlsv1_2", "tlsv1_3"] },
      "sync-defaults-options": { type: "string", format: "realm-sync-options" },
      sync_attributes: { type: "string", pattern: "\\w+=[^,]+(,\\s*\\w+=[^,]+)*" },
      tfa: { type: "string", maxLength: 128, format: "pve-tfa-config" },
      type: { type: "string", required: true, enum: ["ad", "ldap", "openid", "pam", "pve"] },
      user_attr: { type: "string", pattern: "\\S{2,}", maxLength: 256 },
      user_classes: { type: "string", format: "ldap-simple-attr-list" },
      "username-claim": { type: "string" },
      verify: { type: "boolean" },
    },
  },
  "PUT /access/domains/{realm}": {
    access: { on: "/access/realm", privs: ["Realm.Allocate"] },
    params: {
      "acr-values": { type: "string", pattern: "^[^\\x00-\\x1F\\x7F <>#\"]*$" },
      audiences: { type: "string", pattern: "^[^\\x00-\\x1F\\x7F <>#\"]*$", since: 9 },
      autocreate: { type: "boolean" },
      base_dn: { type: "string", maxLength: 256 },
      bind_dn: { type: "string", maxLength: 256 },
      capath: { type: "string" },
      "case-sensitive": { type: "boolean" },
      cert: { type: "string" },
      certkey: { type: "string" },
      "check-connection": { type: "boolean" },
      "client-id": { type: "string", maxLength: 256 },
      "client-key": { type: "string", maxLength: 256 },
      comment: { type: "string", maxLength: 4096 },
      default: { type: "boolean" },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      domain: { type: "string", pattern: "\\S+", maxLength: 256 },
      filter: { type: "string", maxLength: 2048 },
      group_classes: { type: "string", format: "ldap-simple-attr-list" },
      group_dn: { type: "string", maxLength: 256 },
      group_filter: { type: "string", maxLength: 2048 },
      group_name_attr: { type: "string", maxLength: 256, format: "ldap-simple-attr" },
      "groups-autocreate": { type: "boolean" },
      "groups-claim": { type: "string", pattern: "(?:[A-Za-z0-9\\.\\-_]+)", maxLength: 256 },
      "groups-overwrite": { type: "boolean" },
      "issuer-url": { type: "string", maxLength: 256 },
      mode: { type: "string", enum: ["ldap", "ldaps", "ldap+starttls"] },
      password: { type: "string" },
      port: { type: "integer", min: 1, max: 65535 },
      prompt: { type: "string", pattern: "(?:none|login|consent|select_account|\\S+)" },
      "query-userinfo": { type: "boolean" },
      realm: { type: "string", required: true, maxLength: 32, format: "pve-realm" },
      scopes: { type: "string" },
      secure: { type: "boolean" },
      server1: { type: "string", maxLength: 256, format: "address" },
      server2: { type: "string", maxLength: 256, format: "address" },
      sslversion: { type: "string", enum: ["tlsv1", "tlsv1_1", "tlsv1_2", "tlsv1_3"] },
      "sync-defaults-options": { type: "string", format: "realm-sync-options" },
      sync_attributes: { type: "string", pattern: "\\w+=[^,]+(,\\s*\\w+=[^,]+)*" },
      tfa: { type: "string", maxLength: 128, format: "pve-tfa-config" },
      user_attr: { type: "string", pattern: "\\S{2,}", maxLength: 256 },
      user_classes: { type: "string", format: "ldap-simple-attr-list" },
      verify: { type: "boolean" },
    },
  },
  "DELETE /access/domains/{realm}": {
    access: { on: "/access/realm", privs: ["Realm.Allocate"] },
    params: {
      realm: { type: "string", required: true, maxLength: 32, format: "pve-realm" },
    },
  },
  "PUT /access/password": {
    needsTicket: true,
    access: { anyOf: [{ self: true }, { allOf: [{ onRealm: "Realm.AllocateUser" }, { onGroups: ["User.Modify"] }] }] },
    params: {
      "confirmation-password": { type: "string", minLength: 5, maxLength: 64 },
      password: { type: "string", required: true, minLength: 8, maxLength: 64 },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "GET /access/tfa/{userid}": {
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify", "Sys.Audit"] }] },
    params: {
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "GET /access/users/{userid}/tfa": {
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify", "Sys.Audit"] }] },
    params: {
      multiple: { type: "boolean" },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "GET /cluster/config/apiversion": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/config/totem": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "PUT /nodes/{node}/storage/{storage}/content/{volume}": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      notes: { type: "string" },
      protected: { type: "boolean" },
      storage: { type: "string", format: "pve-storage-id" },
      volume: { type: "string", required: true },
    },
  },
  "GET /cluster/acme/plugins": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      type: { type: "string", enum: ["dns", "standalone"] },
    },
  },
  "GET /cluster/sdn/ipams": {
    access: "anyone",
    params: {
      type: { type: "string", enum: ["netbox", "phpipam", "pve"] },
    },
  },
  "GET /nodes/{node}/hardware/usb": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /access/groups": {
    access: { on: "/access/groups", privs: ["Group.Allocate"] },
    params: {
      comment: { type: "string" },
      groupid: { type: "string", required: true, format: "pve-groupid" },
    },
  },
  "GET /access/groups/{groupid}": {
    access: { on: "/access/groups", privs: ["Sys.Audit", "Group.Allocate"], any: true },
    params: {
      groupid: { type: "string", required: true, format: "pve-groupid" },
    },
  },
  "PUT /access/groups/{groupid}": {
    access: { on: "/access/groups", privs: ["Group.Allocate"] },
    params: {
      comment: { type: "string" },
      groupid: { type: "string", required: true, format: "pve-groupid" },
    },
  },
  "DELETE /access/groups/{groupid}": {
    access: { on: "/access/groups", privs: ["Group.Allocate"] },
    params: {
      groupid: { type: "string", required: true, format: "pve-groupid" },
    },
  },
  "GET /cluster/acme/account": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/backup-info": {
    access: { root: true },
    params: {},
  },
  "GET /cluster/backup-info/not-backed-up": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/bulk-action/guest": {
    since: 9,
    access: "anyone",
    params: {},
  },
  "GET /cluster/firewall/aliases": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/firewall/groups": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/firewall/ipset": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/firewall/rules": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/jobs/realm-sync": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/mapping/dir": {
    access: "anyone",
    params: {
      "check-node": { type: "string", format: "pve-node" },
    },
  },
  "GET /cluster/mapping/pci": {
    access: "anyone",
    params: {
      "check-node": { type: "string", format: "pve-node" },
    },
  },
  "GET /cluster/mapping/usb": {
    access: "anyone",
    params: {
      "check-node": { type: "string", format: "pve-node" },
    },
  },
  "GET /cluster/sdn/controllers": {
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
      type: { type: "string", enum: ["bgp", "evpn", "faucet", "isis"] },
    },
  },
  "GET /cluster/sdn/dns": {
    access: "anyone",
    params: {
      type: { type: "string", enum: ["powerdns"] },
    },
  },
  "GET /cluster/sdn/fabrics": {
    since: 9,
    access: { on: "/sdn/fabrics", privs: ["SDN.Audit"] },
    params: {},
  },
  "GET /nodes/{node}/firewall/rules": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/replication": {
    runsOn: "node",
    access: "anyone",
    params: {
      guest: { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/aliases": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/ipset": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/rules": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
};
