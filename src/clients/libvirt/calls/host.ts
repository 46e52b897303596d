import type { Call } from "../wire/connection.ts";
import { procedures } from "../wire/procedures.ts";

export interface HostInfo {
  /** `x86_64`. */
  architecture: string;
  cpus: number;
  memoryMiB: number;
}

/** A network interface of the host itself. */
export interface HostInterface {
  name: string;
  mac: string;
}

export interface HostCalls {
  /** Of libvirt and of its hypervisor, `9.0.0` and `7.2.22`. */
  versions(signal?: AbortSignal): Promise<{ libvirt: string; hypervisor: string }>;
  hostname(signal?: AbortSignal): Promise<string>;
  hostInfo(signal?: AbortSignal): Promise<HostInfo>;
  freeMemoryMiB(signal?: AbortSignal): Promise<number>;
  /** Those that are up and those that are not; some builds of libvirt cannot see them. */
  interfaces(signal?: AbortSignal): Promise<HostInterface[]>;
  interfaceXml(of: HostInterface, signal?: AbortSignal): Promise<string>;
  /** XML: what the host can run. */
  capabilities(signal?: AbortSignal): Promise<string>;
  /** XML: what a machine of this kind can have. */
  machineCapabilities(
    of: { arch?: string; machine?: string; kind?: "kvm" | "qemu" },
    signal?: AbortSignal,
  ): Promise<string>;
}

export const hostCalls = (call: Call): HostCalls => ({
  async versions(signal) {
    const doing = "ask libvirt for its version";
    const [own, hypervisor] = await Promise.all([
      call(procedures.libvirtVersion, undefined, doing, signal),
      call(procedures.hypervisorVersion, undefined, doing, signal),
    ]);
    return { libvirt: versionText(own.version), hypervisor: versionText(hypervisor.version) };
  },

  hostname: async (signal) =>
    (await call(procedures.hostname, undefined, "ask for the host's name", signal)).text,

  async hostInfo(signal) {
    const info = await call(procedures.nodeInfo, undefined, "look at the host", signal);
    return { architecture: info.model, cpus: info.cpus, memoryMiB: Math.floor(info.memoryKiB / 1024) };
  },

  async freeMemoryMiB(signal) {
    const { bytes } = await call(procedures.freeMemory, undefined, "ask for the host's free memory", signal);
    return Math.floor(bytes / 2 ** 20);
  },

  interfaces: async (signal) =>
    (
      await call(
        procedures.listInterfaces,
        { needResults: 1, flags: 0 },
        "list the host's interfaces",
        signal,
      )
    ).items,

  interfaceXml: async (of, signal) =>
    (await call(procedures.interfaceXml, { interface: of, flags: 0 }, `look at interface ${of.name}`, signal))
      .text,

  capabilities: async (signal) =>
    (await call(procedures.capabilities, undefined, "ask what the host can run", signal)).text,

  async machineCapabilities({ arch, machine, kind }, signal) {
    const args = { emulator: undefined, arch, machine, kind, flags: 0 };
    return (await call(procedures.domainCapabilities, args, "ask what machines can have", signal)).text;
  },
});

/** 9000000 is 9.0.0. */
const versionText = (version: number): string =>
  [Math.floor(version / 1e6), Math.floor(version / 1e3) % 1e3, version % 1e3].join(".");
