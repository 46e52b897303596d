import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { connectProxmox } from "../../../src/clients/proxmox/index.ts";
import { dialDirect, realClock } from "../../../src/lib/index.ts";
import type { ContractSite } from "../provider-contract.ts";
import type { Cluster } from "../../../src/spec/index.ts";
import { contractVmid, proxmoxContractOn } from "./contract.ts";
import { siteCluster, siteHost } from "./site.ts";

const { env } = process;
const needed = [
  "SLIPWAY_PVE_URL",
  "SLIPWAY_PVE_TOKEN",
  "SLIPWAY_PVE_FINGERPRINT",
  "SLIPWAY_PVE_NODE",
] as const;
const missing = needed.filter((name) => (env[name] ?? "") === "");

/** Empty when a real Proxmox is named. CONTRIBUTING.md says what each word is. */
export const withoutProxmox =
  missing.length === 0 ? "" : `set ${missing.join(", ")} to run it on a Proxmox of yours`;

const from = (name: string, otherwise: string): string => env[`SLIPWAY_PVE_${name}`] ?? otherwise;

/** The Proxmox that the environment names. Machines with numbers from SLIPWAY_PVE_VMID on go. */
export async function realProxmoxSite(): Promise<ContractSite> {
  const node = from("NODE", "");
  const url = from("URL", "");
  const disks = from("STORAGE", "local-lvm");
  const images = from("IMAGES", "local");
  const firstVmid = Number(from("VMID", "7000"));
  const [id = "", secret = ""] = from("TOKEN", "").split("=");
  const storage = { images, isos: images, disks, templates: disks, cloudInit: disks };
  const host = siteHost("one", node, { url, storage });
  const unreachable = siteHost("gone", node, { url: from("SILENT", "https://127.0.0.1:1") });
  const fingerprint = from("FINGERPRINT", "");
  const open = (to: string) =>
    connectProxmox({
      url: to,
      token: { id, secret },
      trust: { fingerprint },
      dial: dialDirect,
      clock: realClock,
    });
  const [client, nobody] = [open(url), open(unreachable.proxmox.url)];
  const isOurs = (vmid: number | undefined): boolean =>
    vmid !== undefined && vmid >= firstVmid && vmid < firstVmid + 1000;
  const volumes = async () => (await client.storageContent(node, disks)).filter(({ vmid }) => isOurs(vmid));
  const guests = async () =>
    (await client.guests()).filter(({ vmid }) => isOurs(vmid)).map(({ vmid }) => vmid);
  const imagesThere = async () =>
    (await client.storageContent(node, images, "import")).map(({ volume }) => volume).filter(isOurImage);
  /** The next test begins with nothing, as it does on a simulator of its own. */
  const sweep = async () => {
    for (const vmid of await guests()) {
      await client.stopMachine({ node, vmid }).then((task) => task.wait());
      await client.removeMachine({ node, vmid }).then((task) => task.wait());
    }
    for (const { volume } of await volumes()) {
      await client.removeVolume(node, disks, volume).then((task) => task.wait());
    }
  };
  await sweep();
  const before = new Set(await imagesThere());
  const dataDisks = async () => (await volumes()).filter(({ sizeBytes }) => sizeBytes === 2 ** 30);
  return proxmoxContractOn({
    client,
    clock: realClock,
    host,
    unreachable: { host: unreachable, client: nobody },
    firstVmid,
    network: from("NETWORK", "10.1.0"),
    cluster: placeOfCluster(),
    tooMuchMemoryMiB: 2 * (await client.nodeStatus(node)).memoryMiB,
    hands: {
      async session(of, name) {
        const tasks = await client.pastTasks({ node, vmid: contractVmid(of, name) });
        return String(tasks.find(({ type }) => type === "qmstart")?.endedAt);
      },
      async writeOnKept() {
        for (const { volume } of await dataDisks()) await onNode(`${pathOf(volume)} && ${qemuIo("write")}`);
      },
      async isWritten(of, name) {
        const own = (await dataDisks()).filter(({ vmid }) => vmid === contractVmid(of, name));
        for (const { volume } of own) await onNode(`${pathOf(volume)} && ${qemuIo("read")}`);
        return own.length > 0;
      },
      async listing() {
        const made = (await imagesThere()).filter((volume) => !before.has(volume));
        return [
          ...(await guests()).map(String),
          ...(await volumes()).map(({ volume }) => volume),
          ...made,
        ].toSorted();
      },
    },
    close: async () => {
      await sweep();
      client.close();
      nobody.close();
    },
  });
}

const isOurImage = (volume: string): boolean => volume.includes("/slipway-");

/** An image that the node can fetch, and a bridge of its own. */
function placeOfCluster(): Partial<Cluster> {
  const { network, distribution } = siteCluster([]);
  const base = from("NETWORK", "10.1.0");
  return {
    network: {
      ...network,
      bridge: from("BRIDGE", "vmbr0"),
      cidr: `${base}.0/24`,
      gateway: `${base}.1`,
      dns: [`${base}.1`],
    },
    ...(distribution.kind === "talos" && {
      distribution: { ...distribution, factory: from("FACTORY", "https://factory.talos.dev") },
    }),
  };
}

/** What is on a disk is seen only from a shell on the node, `ssh root@pve1`. Without one that part is left out. */
async function onNode(command: string): Promise<void> {
  const [program, ...args] = from("SHELL", "").split(" ");
  if (program !== undefined && program !== "") await promisify(execFile)(program, [...args, command]);
}

const pathOf = (volume: string): string => `disk=$(pvesm path ${volume})`;
const qemuIo = (word: "read" | "write"): string =>
  `case $disk in *.qcow2) f=qcow2;; *) f=raw;; esac; qemu-io -f $f -c "${word} -P 0x55 0 64k" $disk | tee /dev/stderr | grep -q "65536/65536" `;
