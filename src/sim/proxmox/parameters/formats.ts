import { isIP, isIPv4, isIPv6 } from "node:net";
import { allPrivileges } from "../access/roles.ts";

/** A named format refuses a value by returning the real server's words for it. */
type Format = (value: string, version: 8 | 9) => string | undefined;

const matching =
  (pattern: RegExp, words: (value: string) => string): Format =>
  (value) =>
    pattern.test(value) ? undefined : words(value);

const configId = matching(/^[a-zA-Z][\w-]+$/, (value) => `invalid configuration ID '${value}'`);
const volumeId = matching(
  /^[a-zA-Z][a-zA-Z0-9\-_.]*[a-zA-Z0-9]:.+$/,
  (value) => `unable to parse volume ID '${value}'`,
);
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const drive = /^(?:ide[0-3]|scsi(?:[12]?\d|30)|virtio(?:1[0-5]|\d)|sata[0-5]|efidisk0|tpmstate0)$/;
const bootDevice =
  /^(?:ide[0-3]|scsi(?:[12]?\d|30)|virtio(?:1[0-5]|\d)|sata[0-5]|net(?:[12]?\d|3[01])|usb(?:1[0-3]|\d)|hostpci(?:1[0-5]|\d))$/;
const contentKinds = ["images", "rootdir", "vztmpl", "iso", "backup", "snippets", "import", "none"];

/** Networks larger than /8 are taken for a mistake. */
const isCidr = (value: string, family: 4 | 6): boolean => {
  const [address = "", bits = "", rest] = value.split("/");
  const most = family === 4 ? 32 : 128;
  const isBits = /^\d+$/.test(bits) && Number(bits) >= 8 && Number(bits) <= most;
  return rest === undefined && isIP(address) === family && isBits;
};

const storageId: Format = (value, version) => {
  if (value.length < 2 && version === 9) return `storage ID '${value}' cannot be shorter than 2 characters`;
  return /^[a-z][a-z0-9\-_.]*[a-z0-9]$/i.test(value)
    ? undefined
    : `storage ID '${value}' contains illegal characters`;
};

const hostName = new RegExp(`^(?:${label}\\.)*${label}$`);
const isHost = (value: string): boolean => isIP(value) !== 0 || hostName.test(value);

const isStartupPart = (part: string): boolean => /^\s*$|^(?:(?:order=)?\d+|up=\d+|down=\d+)$/.test(part);
const hotplugFeatures = new Set(["network", "disk", "cpu", "memory", "usb", "cloudinit"]);

const userId: Format = (value) => {
  if (value.length < 3) return `user name '${value}' is too short`;
  if (value.length > 64) return `user name '${value}' is too long (${value.length} > 64)`;
  return /^[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+$/.test(value)
    ? undefined
    : `value '${value}' does not look like a valid user name`;
};

/** Numbers and ranges of them that do not run backwards. */
const isCpuSet = (value: string): boolean =>
  value.split(",").every((part) => {
    const [, from, to = from] = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part) ?? [];
    return from !== undefined && Number(to) >= Number(from);
  });

const haResource = (pattern: RegExp): Format =>
  matching(pattern, () => "value does not look like a valid ha resource id");
const haNodeName = new RegExp(`^${label}(?::\\d+)?$`);
const haNode = matching(haNodeName, () => "value does not look like a valid ha node name");

/** One id, two with a colon between them, or `1`. */
function idPair(single: Format): Format {
  return (value, version) => {
    const ids = value === "1" ? [] : (/^([^:]+):([^:]+)$/.exec(value)?.slice(1) ?? [value]);
    const problem = ids.map((id) => single(id, version)).find((it) => it !== undefined);
    return problem === undefined ? undefined : `entry '${value}' contains invalid ID - ${problem}\n\n`;
  };
}

const formats: Record<string, Format> = {
  "pve-vmid": matching(/^[1-9]\d{2,8}$/, () => "value does not look like a valid VM ID"),
  "pve-node": matching(new RegExp(`^${label}$`), () => "value does not look like a valid node name"),
  "dns-name": matching(hostName, () => "value does not look like a valid DNS name"),
  "pve-storage-id": storageId,
  "pve-poolid": matching(/^[A-Za-z0-9.\-_]+(?:\/[A-Za-z0-9.\-_]+){0,2}$/, (value) =>
    value.split("/").length > 3
      ? `pool name '${value}' nested too deeply (max levels = 3)`
      : `pool name '${value}' contains invalid characters`,
  ),
  "pve-configid": configId,
  "pve-volume-id": volumeId,
  "pve-volume-id-or-qm-path": (value, version) =>
    value === "none" || value === "cdrom" || value.startsWith("/") ? undefined : volumeId(value, version),
  "pve-volume-id-or-absolute-path": (value, version) =>
    value.startsWith("/") ? undefined : volumeId(value, version),
  "pve-bridge-id": matching(/^[-_.\w\d]+$/, (value) => `invalid bridge ID '${value}'`),
  "pve-iface": matching(
    /^[a-z][a-z0-9_]{1,20}([:.]\d+)?$/i,
    (value) => `invalid network interface name '${value}'`,
  ),
  "mac-addr": matching(
    /^[a-f0-9][02468ace](?::[a-f0-9]{2}){5}$/i,
    () => "value does not look like a valid unicast MAC address",
  ),
  "pve-tag": matching(/^[a-z0-9_][a-z0-9_\-+.]*$/i, () => "invalid characters in tag"),
  "pve-roleid": matching(/^[A-Za-z0-9.\-_]+$/, (value) => `role name '${value}' contains invalid characters`),
  "pve-groupid": matching(
    /^[A-Za-z0-9.\-_]+$/,
    (value) => `group name '${value}' contains invalid characters`,
  ),
  "pve-realm": matching(/^[A-Za-z][A-Za-z0-9.\-_]+$/, () => "value does not look like a valid realm"),
  "pve-userid": userId,
  "pve-tokenid": matching(
    /^[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+![A-Za-z][A-Za-z0-9.\-_]+$/,
    (value) => `value '${value}' does not look like a valid token ID`,
  ),
  "pve-priv": (value, version) =>
    allPrivileges(version).includes(value) ? undefined : `invalid privilege '${value}'`,
  "pve-storage-content": (value) =>
    contentKinds.includes(value) ? undefined : `invalid content type '${value}'`,
  "email-opt": matching(
    /^$|^[\w+\-~]+(\.[\w+\-~]+)*@[a-z0-9-]+(\.[a-z0-9-]+)*$/i,
    () => "value does not look like a valid email address",
  ),
  "disk-size": matching(
    /^\d+(\.\d+)?[KMGT]?$/,
    (value) => `value does not look like a valid disk size: ${value}`,
  ),
  urlencoded: matching(/^[-%a-zA-Z0-9_.!~*'()]*$/, (value) => `invalid urlencoded string: ${value}`),
  address: (value) => (isHost(value) ? undefined : `value does not look like a valid address: ${value}`),
  ipv4: (value) => (isIPv4(value) ? undefined : "value does not look like a valid IPv4 address"),
  ipv6: (value) => (isIPv6(value) ? undefined : "value does not look like a valid IPv6 address"),
  CIDR: (value) =>
    isCidr(value, 4) || isCidr(value, 6) ? undefined : "value does not look like a valid CIDR network",
  "pve-ipv4-config": (value) =>
    /^(?:dhcp|manual)$/.test(value) || isCidr(value, 4)
      ? undefined
      : "value does not look like a valid ipv4 network configuration",
  "pve-ipv6-config": (value) =>
    /^(?:auto|dhcp|manual)$/.test(value) || isCidr(value, 6)
      ? undefined
      : "value does not look like a valid ipv6 network configuration",
  "pve-qm-bootdev": (value) => (bootDevice.test(value) ? undefined : `invalid boot device '${value}'`),
  "pve-qm-bootdisk": (value) => (drive.test(value) ? undefined : `invalid boot disk '${value}'`),
  "pve-cpuset": (value) => (isCpuSet(value) ? undefined : "unable to parse cpuset option"),
  "pve-startup-order": (value) =>
    value !== "" && value !== "0" && value.split(",").every(isStartupPart)
      ? undefined
      : "unable to parse startup options",
  "pve-hotplug-features": (value) => {
    const unknown = splitList(value).find((feature) => !hotplugFeatures.has(feature));
    return value === "0" || value === "1" || unknown === undefined
      ? undefined
      : `invalid hotplug feature '${unknown}'`;
  },
  "pve-phys-bits": (value) =>
    value === "host" || (/^\d{1,2}$/.test(value) && Number(value) >= 8 && Number(value) <= 64)
      ? undefined
      : "value must be an integer between 8 and 64 or 'host'",
  "pve-task-status-type": matching(/^(?:ok|error|warning|unknown)$/i, (value) => `invalid status '${value}'`),
  "storage-pair": idPair(storageId),
  "pve-ha-node": haNode,
  "pve-ha-group-node": matching(haNodeName, () => "value does not look like a valid ha group node"),
  "pve-ha-resource-id": haResource(/^[a-z]+:\S+$/),
  "pve-ha-resource-or-vm-id": haResource(/^(?:[a-z]+:\S+|\d+)$/),
  "mac-prefix": matching(
    /^[a-f0-9][02468ace](?::[a-f0-9]{2}){0,2}:?$/i,
    () => "value is not a valid unicast MAC address prefix",
  ),
  "pve-storage-path": matching(/^\/[^;()]+/, () => "value does not look like a valid absolute path"),
  "pve-storage-server": (value) =>
    isHost(value) ? undefined : "value does not look like a valid server name or IP address",
  "pve-storage-vgname": matching(
    /^[a-z0-9][a-z0-9\-_.]*[a-z0-9]$/i,
    (value) => `lvm name '${value}' contains illegal characters`,
  ),
  "pve-storage-portal-dns": matching(
    new RegExp(`^(?:(?:${label}\\.)*${label}|\\[[0-9a-fA-F:]+\\])(?::\\d+)?$`),
    () => "value does not look like a valid portal address",
  ),
  "pve-storage-options": matching(/^\S+$/, (value) => `invalid options '${value}'`),
  "pve-storage-zfs-blocksize": matching(
    /^\d+[kKmM]?$/,
    (value) => `blocksize '${value}' is not a power of 2 with an optional k or m suffix`,
  ),
  "pve-dir-override": matching(
    new RegExp(`^(?:${contentKinds.join("|")})=[^.]*(?:\\.?[^.]+)+$`),
    (value) => `invalid override '${value}'`,
  ),
};

/** Why a value does not fit a named format. Formats not listed here take any text. */
export function formatProblem(format: string, value: string, version: 8 | 9): string | undefined {
  const known = formats[format];
  if (known) return known(value, version);
  if (!format.endsWith("-list")) return undefined;
  const single = formats[format.slice(0, -"-list".length)];
  return splitList(value)
    .map((part) => single?.(part, version))
    .find((problem) => problem !== undefined);
}

/** The parts of a list parameter: separated by commas, semicolons, blanks or NUL. */
export const splitList = (value: string): string[] => value.split(/[,;\s\0]+/).filter((part) => part !== "");
