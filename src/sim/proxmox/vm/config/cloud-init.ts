import { createHash } from "node:crypto";
import type { GuestHardware, SeedBus } from "../../../guest.ts";
import { refusal } from "../../api-error.ts";
import type { Cluster } from "../../cluster.ts";
import type { Vm } from "../../state.ts";
import type { Properties } from "../../parameters/property-string.ts";
import { contentOf, findStorage, findVolume, splitVolumeId } from "../../storage/volumes.ts";
import { drivesOf, isCloudInit, parseValue, slotNumber, type Config } from "./config.ts";
import { isWindows } from "./machine.ts";

/** What a guest reads from its cloud-init drive; nothing without such a drive. */
export function seedOf(vm: Vm, node: Resolver): GuestHardware["seed"] {
  const { ciuser, searchdomain, sshkeys } = vm.config;
  const drive = drivesOf(vm.config).find(({ file }) => isCloudInit(file));
  if (!drive) return undefined;
  return {
    bus: busOf(drive.slot, vm.config),
    hostname: hostName(vm),
    addresses: interfaces(vm.config)
      .filter(({ ip }) => ip !== undefined)
      .map(({ mac, ip, gw }) => (ip === "dhcp" ? { mac, dhcp: true } : { mac, cidr: ip, gateway: gw })),
    nameservers: words(vm.config["nameserver"]),
    instanceId: instanceId(vm, node),
    searchDomains: searchdomain === undefined ? undefined : words(searchdomain),
    user: ciuser === undefined ? undefined : String(ciuser),
    sshKeys: sshkeys === undefined ? undefined : keysOf(vm.config),
  };
}

/** Files of one's own that a drive is made of must be there whenever it is made. */
export function demandSeedFiles(cluster: Cluster, vm: Vm): void {
  if (!drivesOf(vm.config).some(({ file }) => isCloudInit(file))) return;
  const files = parseValue("cicustom", vm.config["cicustom"] ?? "");
  for (const volid of ["network", "user", "meta", "vendor"].flatMap((kind) => files[kind] ?? [])) {
    const { storage, name } = splitVolumeId(volid);
    if (contentOf(findStorage(cluster, storage), name) !== "snippets") {
      throw refusal(`${volid} is not in the snippets directory`);
    }
    if (!findVolume(cluster, volid, vm.node)) throw refusal(`volume '${volid}' does not exist`);
  }
}

/** Only the older board has IDE; a drive called so on any other hangs on AHCI. */
function busOf(slot: string, { machine = "pc" }: Config): SeedBus {
  const bus = slot.replace(/\d+$/, "") as SeedBus;
  return bus === "ide" && !/^pc(?:-i440fx.*)?(?:,|$)/.test(String(machine)) ? "sata" : bus;
}

/** The three files on the drive, as the `dump` call shows them. */
export function dumpFile(vm: Vm, type: "user" | "network" | "meta", node: Resolver): string {
  if (type === "user") return userFile(vm);
  if (type === "network") return networkOf(vm.config, node);
  const id = instanceId(vm, node);
  return isConfigDrive(vm.config)
    ? `{\n     "uuid": "${id}",\n     "network_config": { "content_path": "/content/0000" }\n}\n`
    : `instance-id: ${id}\n`;
}

/** Windows reads no other kind; what is shown of OpenNebula's is that of a configuration drive. */
const isConfigDrive = ({ citype, ostype }: Config): boolean =>
  citype === undefined ? isWindows(ostype) : citype !== "nocloud";

const networkOf = (config: Config, node: Resolver): string =>
  isConfigDrive(config) ? interfacesFile(config, node) : networkFile(config, node);

/** What the node itself resolves names with: the drive says so where the machine has nothing of its own. */
export interface Resolver {
  nameserver: string;
  search: string;
}

const nameserversOf = (config: Config, node: Resolver): string[] =>
  config["nameserver"] === undefined ? [node.nameserver] : words(config["nameserver"]);
const searchOf = (config: Config, node: Resolver): string[] =>
  config["searchdomain"] === undefined ? [node.search] : words(config["searchdomain"]);

const words = (value: string | number | undefined): string[] =>
  String(value ?? "")
    .split(/\s+/)
    .filter((word) => word !== "");

const hostName = (vm: Vm): string => String(vm.config["name"] ?? `VM${vm.vmid}`).split(".")[0] ?? "";

const keysOf = (config: Config): string[] =>
  decodeURIComponent(String(config["sshkeys"] ?? ""))
    .split("\n")
    .filter((key) => key.trim() !== "");

interface Interface {
  number: number;
  mac: string;
  ip?: string;
  gw?: string;
  ip6?: string;
  gw6?: string;
}

function interfaces(config: Config): Interface[] {
  return Object.keys(config)
    .filter((key) => /^ipconfig\d+$/.test(key))
    .map(slotNumber)
    .toSorted((a, b) => a - b)
    .flatMap((number) => {
      const nic = config[`net${number}`];
      if (nic === undefined) return [];
      const mac = parseValue(`net${number}`, nic)["macaddr"] ?? "";
      return [
        { number, mac, ...addressing(parseValue(`ipconfig${number}`, config[`ipconfig${number}`] ?? "")) },
      ];
    });
}

/** Nothing means to ask for an address; a gateway beside a question for one makes nonsense of the whole. */
function addressing(given: Properties): Properties {
  const { ip, gw, ip6, gw6 } = given;
  if (ip === undefined && ip6 === undefined) return { ip: "dhcp", ip6: "dhcp" };
  const isNonsense =
    (gw !== undefined && ip === "dhcp") || (gw6 !== undefined && /^(?:auto|dhcp)$/.test(ip6 ?? ""));
  return isNonsense ? {} : given;
}

function userFile(vm: Vm): string {
  const { config } = vm;
  const name = String(config["name"] ?? `VM${vm.vmid}`);
  const domain = String(config["searchdomain"] ?? "").trim();
  const fqdn = name.includes(".") || domain === "" ? name : `${name}.${domain}`;
  const keys = keysOf(config);
  const isRoot = config["ciuser"] === "root";
  return [
    "#cloud-config",
    `hostname: ${hostName(vm)}`,
    "manage_etc_hosts: true",
    `fqdn: ${fqdn}`,
    ...(config["ciuser"] === undefined ? [] : [`user: ${config["ciuser"]}`]),
    ...(isRoot ? ["disable_root: False"] : []),
    ...(config["cipassword"] === undefined ? [] : [`password: ${config["cipassword"]}`]),
    ...(keys.length === 0 ? [] : ["ssh_authorized_keys:", ...keys.map((key) => `  - ${key}`)]),
    "chpasswd:",
    "  expire: False",
    ...(isRoot ? [] : ["users:", "  - default"]),
    ...(Number(config["ciupgrade"] ?? 1) === 1 ? ["package_upgrade: true"] : []),
    "",
  ].join("\n");
}

function networkFile(config: Config, node: Resolver): string {
  const lines = ["version: 1", "config:"];
  for (const at of interfaces(config)) {
    lines.push("    - type: physical", `      name: eth${at.number}`);
    lines.push(`      mac_address: '${at.mac.toLowerCase()}'`, "      subnets:", ...subnets(at));
  }
  const nameservers = nameserversOf(config, node);
  const search = searchOf(config, node);
  if (nameservers.length > 0 || search.length > 0) {
    lines.push("    - type: nameserver");
    if (nameservers.length > 0) lines.push("      address:", ...nameservers.map((ip) => `      - '${ip}'`));
    if (search.length > 0) lines.push("      search:", ...search.map((name) => `      - '${name}'`));
  }
  return `${lines.join("\n")}\n`;
}

/** The same for a guest that reads `/etc/network/interfaces`. */
function interfacesFile(config: Config, node: Resolver): string {
  const indent = "        ";
  const lines = ["auto lo", "iface lo inet loopback", ""];
  const nameservers = nameserversOf(config, node);
  const search = searchOf(config, node);
  if (nameservers.length > 0) lines.push(`${indent}dns_nameservers ${nameservers.join(" ")}`);
  if (search.length > 0) lines.push(`${indent}dns_search ${search.join(" ")}`);
  for (const { number, ip, gw, ip6, gw6 } of interfaces(config)) {
    lines.push(`auto eth${number}`);
    if (ip === "dhcp") lines.push(`iface eth${number} inet dhcp`);
    else if (ip !== undefined) {
      const [address = "", bits = ""] = ip.split("/");
      lines.push(`iface eth${number} inet static`, `${indent}address ${address}`);
      lines.push(`${indent}netmask ${netmask(Number(bits))}`);
      if (gw !== undefined) lines.push(`${indent}gateway ${gw}`);
    }
    if (ip6 === "dhcp" || ip6 === "auto") lines.push(`iface eth${number} inet6 ${ip6}`);
    else if (ip6 !== undefined) {
      const [address = "", bits = ""] = ip6.split("/");
      lines.push(
        `iface eth${number} inet6 static`,
        `${indent}address ${address}`,
        `${indent}netmask ${bits}`,
      );
      if (gw6 !== undefined) lines.push(`${indent}gateway ${gw6}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function subnets(at: Interface): string[] {
  const lines: string[] = [];
  if (at.ip === "dhcp") lines.push("      - type: dhcp4");
  else if (at.ip !== undefined) {
    const [address = "", bits = ""] = at.ip.split("/");
    lines.push(
      "      - type: static",
      `        address: '${address}'`,
      `        netmask: '${netmask(Number(bits))}'`,
    );
    if (at.gw !== undefined) lines.push(`        gateway: '${at.gw}'`);
  }
  if (at.ip6 === "dhcp") lines.push("      - type: dhcp6");
  else if (at.ip6 === "auto") lines.push("      - type: ipv6_slaac");
  else if (at.ip6 !== undefined) {
    lines.push("      - type: static6", `        address: '${at.ip6}'`);
    if (at.gw6 !== undefined) lines.push(`        gateway: '${at.gw6}'`);
  }
  return lines;
}

const netmask = (bits: number): string =>
  [0, 8, 16, 24].map((at) => 256 - 2 ** (8 - Math.min(8, Math.max(0, bits - at)))).join(".");

/** Changes whenever the guest should look at its seed anew. */
const instanceId = (vm: Vm, node: Resolver): string =>
  createHash("sha1")
    .update(userFile(vm) + networkOf(vm.config, node))
    .digest("hex");
