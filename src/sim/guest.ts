/** What the hypervisor's emulator and an operating system's emulator agree on. Neither knows the other. */

/** The virtual hardware of a machine at power-on. */
export interface GuestHardware {
  name: string;
  /** The number its hypervisor gave it, where it gives numbers. */
  id?: string;
  uuid: string;
  /** The hypervisor node it runs on. */
  host: string;
  cores: number;
  memoryMiB: number;
  /** `lease`: what the DHCP server of its network gives to the NIC when it asks. */
  nics: {
    mac: string;
    bridge: string;
    vlan?: number | undefined;
    lease?: { cidr: string; hostname?: string | undefined } | undefined;
    /** The end of a cable into a container: unlike a NIC it has no permanent address. */
    kind?: "veth";
  }[];
  /** `serial`: what the guest reads from the disk itself; absent: its slot. */
  disks: { slot: string; sizeBytes: number; serial?: string | undefined }[];
  /** What its firmware tries, first to last; the first that holds a system is started. */
  boot: BootDevice[];
  /** What the cloud-init drive says. Absent without one. */
  seed?:
    | {
        /** What the drive hangs on. A kernel without a driver for it never sees the drive. */
        bus?: SeedBus;
        hostname: string;
        addresses: { mac: string; cidr?: string | undefined; gateway?: string | undefined; dhcp?: boolean }[];
        nameservers: string[];
        searchDomains?: string[] | undefined;
        /** A new one makes a new machine of it: cloud-init sets everything up again. */
        instanceId?: string;
        /** Who may log in with which keys. Absent: the user that the image brings along. */
        user?: string | undefined;
        sshKeys?: string[] | undefined;
        /** The private key of its SSH server. Absent: it makes its own. */
        hostKey?: string | undefined;
        /** What is to be installed and written before it is done. */
        packages?: string[] | undefined;
        files?: { path: string; content: string; mode?: string | undefined }[] | undefined;
        /** What else it says, in the words of the system that reads it: a machine config of Talos. */
        userData?: string;
      }
    | undefined;
}

/** `sata` is AHCI, whatever the hypervisor calls it. */
export type SeedBus = "ide" | "sata" | "scsi" | "virtio";

export interface BootDevice {
  kind: "disk" | "cdrom";
  slot: string;
  /** Where its content came from: the URL or file name of the image. Absent: it was blank at first. */
  image?: string | undefined;
}

/** What the guest wrote to one of its disks: plain JSON, kept by the hypervisor as long as the disk. */
export type GuestDisk = Record<string, unknown>;

/** By slot. The guest may write to any of them. */
export type GuestDisks = Record<string, GuestDisk>;

export interface GuestPower {
  /** The guest asks to be powered off. */
  powerOff(): void;
  /** The guest changed a disk; the hypervisor keeps it. */
  saved(): void;
  /** On its first serial port. What nobody reads there is lost. */
  print(text: string): void;
}

/** A running machine. */
export interface Guest {
  /** Power is cut: every socket goes at once. */
  stop(): Promise<void>;
  /** Asks the system to shut down; without an answer nothing happens. */
  shutdown?(): void;
  /** What the guest agent would tell; absent when none runs. */
  agentAddresses?: (() => { name: string; mac: string; addresses: string[] }[]) | undefined;
}

/** Powers a machine on. Returns at once; booting takes its time. */
export type BootGuest = (hardware: GuestHardware, disks: GuestDisks, power: GuestPower) => Guest;
