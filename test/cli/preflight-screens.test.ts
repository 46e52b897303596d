import { afterAll, beforeAll, expect, test } from "vitest";
import { expectGolden } from "../support/golden.ts";
import { listenAt, preflightLab, type PreflightLab, type Said } from "../support/screens/preflight-lab.ts";

/** Every way S0.3 can fail, each with the screen a person sees. All of them on one datacenter of odd hosts. */
const datacenter = `
nodes:
  hydra: { cores: 8, memory: 32GiB, bridges: { vmbr0: {}, vmbr1: { ports: [] } } }
  late: { cores: 8, memory: 32GiB, clockSkewSeconds: -600 }
  old: { cores: 8, memory: 32GiB, cpu: { model: "Intel(R) Core(TM)2 Quad CPU Q9550", flags: [vmx, pni, ssse3, cx16, sse4_1, lahf_lm] } }
  plain: { cores: 8, memory: 32GiB, cpu: { model: "QEMU Virtual CPU", flags: [pni, ssse3, cx16, sse4_1, sse4_2, popcnt, lahf_lm, aes] } }
  cellar: { cores: 8, memory: 32GiB, hasInternet: false }
  off: { cores: 8, memory: 32GiB, isOffline: true }
storages:
  local: { type: dir, size: 100GiB, content: [iso, import] }
  bare: { type: dir, size: 100GiB, content: [iso] }
  tiny: { type: dir, size: 1GiB, content: [import] }
  local-lvm: { type: lvmthin, size: 500GiB, content: [images] }
  thick: { type: lvm, size: 500GiB, content: [images] }
vms:
  "2001": { node: hydra, config: { name: precious, memory: 512 } }
`;

const net = "127.44.50";
const address = `${net}.250`;
const secondHost = (url: string): string => `  lyra:
    proxmox: { url: "${url}", node: hydra, token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }, tls: { ca: ca.pem } }
`;

let lab: PreflightLab;
let somebody: AsyncDisposable;
beforeAll(async () => {
  lab = await preflightLab(address, datacenter);
  somebody = await listenAt(`${net}.66`, 6443);
});
afterAll(async () => {
  await somebody[Symbol.asyncDispose]();
  await lab[Symbol.asyncDispose]();
});

/** The name of the golden, what the file says, the code it must show. */
const cases: [string, Said, string][] = [
  ["unreachable", { url: `https://${net}.249:8006` }, "PVE_UNREACHABLE"],
  ["unknown-name", { url: "https://hydra.invalid:8006" }, "PVE_UNREACHABLE"],
  [
    "untrusted",
    { tls: `{ fingerprint: "${Array.from({ length: 32 }, () => "00").join(":")}" }` },
    "PVE_TLS_UNTRUSTED",
  ],
  ["no-ca-file", { tls: "{ ca: other.pem }" }, "SPEC_CA_FILE_UNREADABLE"],
  ["wrong-secret", { env: { PVE_TOKEN: "5117a400-0000-4000-8000-00000000000f" } }, "PVE_LOGIN_REFUSED"],
  ["no-secret", { env: { PVE_TOKEN: "" } }, "SECRET"],
  ["rights", { token: '{ id: "poor@pve!main", secret: { env: PVE_TOKEN } }' }, "PVE_RIGHTS_MISSING"],
  ["node-unknown", { node: "hydar" }, "PVE_NODE_MISSING"],
  ["node-offline", { node: "off" }, "PVE_NODE_OFFLINE"],
  ["clock", { node: "late" }, "PVE_CLOCK_WRONG"],
  ["storage-unknown", { storage: "{ images: nas, disks: tank }" }, "PVE_STORAGE_MISSING"],
  ["storage-content", { storage: "{ images: bare, disks: local }" }, "PVE_STORAGE_CONTENT"],
  [
    "storage-full",
    { storage: "{ images: tiny, disks: local-lvm }", machine: ", dataDisks: [{ size: 600GiB }]" },
    "PVE_STORAGE_FULL",
  ],
  ["memory", { machine: ", nodes: { cp-1: { memory: 64GiB } }" }, "PVE_MEMORY_SHORT"],
  ["cores", { machine: ", nodes: { cp-1: { cores: 12 } }" }, "PVE_CORES_SHORT"],
  ["cores-promised", { host: "    overcommit: { cores: 0.1 }\n" }, "PVE_CORES_PROMISED"],
  ["bridge", { network: ", bridge: vmbr9" }, "PVE_BRIDGE_MISSING"],
  ["vlan", { network: ", bridge: vmbr1, vlan: 30" }, "PVE_BRIDGE_WITHOUT_PORT"],
  ["trunks", { network: ", trunks: [30, 31]" }, "PVE_BRIDGE_NOT_VLAN_AWARE"],
  [
    "pool",
    { host: "", storage: "{ images: local, disks: local-lvm }\n      pool: kubernetes" },
    "PVE_POOL_MISSING",
  ],
  ["vmid", { machine: ", nodes: { cp-1: { vmid: 2001 } }" }, "PVE_VMID_TAKEN"],
  ["address", { machine: ", nodes: { cp-1: { address: .66 } }" }, "NET_ADDRESS_TAKEN"],
  ["vip", { network: ", vip: .66" }, "NET_ADDRESS_TAKEN"],
  ["image-url", { node: "cellar" }, "PVE_IMAGE_NOT_REACHABLE"],
  ["iso", { cluster: "    from: { iso: { volume: local:iso/talos.iso } }\n" }, "PVE_ISO_MISSING"],
  ["template", { cluster: "    from: { existing: { vmid: 2001 } }\n" }, "PVE_NOT_A_TEMPLATE"],
  [
    "linked-clone",
    { storage: "{ images: local, disks: thick }", cluster: "    from: { template: { clone: linked } }\n" },
    "PVE_LINKED_CLONE_IMPOSSIBLE",
  ],
  ["processor-old", { node: "old" }, "PVE_PROCESSOR_UNFIT"],
  ["processor-plain", { node: "plain" }, "PVE_VIRTUALIZATION_OFF"],
  ["processor-type", { cluster: "    hardware: { cpu: Hasswell }\n" }, "PVE_PROCESSOR_UNFIT"],
  [
    "one-host-silent",
    { on: "[hydra, lyra]", hosts: secondHost(`https://${net}.249:8006`), network: ", bridge: vmbr9" },
    "PVE_UNREACHABLE",
  ],
];

test.each(cases)("plan shows what is wrong: %s", async (name, said, code) => {
  const before = lab.datacenter.faults.seen.length;
  const { code: exit, text } = await lab.screen("plan", said);
  expect([exit, text]).toEqual([1, expect.stringContaining(code)]);
  // A machine without a network asks no name server, which is another answer than "no such name".
  const online = text.replace("cannot be resolved just now", "cannot be resolved");
  expectGolden(online, import.meta.dirname, "testdata/preflight", `${name}.txt`);
  const calls = lab.datacenter.faults.seen.slice(before);
  expect(calls.filter((call) => !call.startsWith("proxmox GET "))).toEqual([]);
});

test("a Proxmox cluster without quorum is not touched", async () => {
  await using alone = await preflightLab(
    `${net}.240`,
    `
nodes:
  hydra: { cores: 8, memory: 32GiB }
  lyra: { cores: 8, memory: 32GiB, isOffline: true }
  orion: { cores: 8, memory: 32GiB, isOffline: true }
storages:
  local: { type: dir, size: 100GiB, content: [iso, import] }
  local-lvm: { type: lvmthin, size: 500GiB, content: [images] }
`,
  );
  const { code, text } = await alone.screen("plan", {});
  expect([code, text]).toEqual([1, expect.stringContaining("PVE_QUORUM_LOST")]);
  expectGolden(text, import.meta.dirname, "testdata/preflight/quorum.txt");
});

const halfSilent: Said = { on: "[hydra, lyra]", hosts: secondHost(`https://${net}.249:8006`) };

test.each(["up", "down", "status"] as const)("%s names the host that cannot be asked", async (command) => {
  const before = lab.datacenter.faults.seen.length;
  const { code, text } = await lab.screen(command, halfSilent);
  expect(code).toBe(command === "status" ? 0 : 1);
  expectGolden(text, import.meta.dirname, "testdata/preflight", `silent-${command}.txt`);
  const calls = lab.datacenter.faults.seen.slice(before);
  expect(calls.filter((call) => !call.startsWith("proxmox GET "))).toEqual([]);
});
