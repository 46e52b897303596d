import { isIP, isIPv4, isIPv6 } from "node:net";
import { allPrivileges } from "./roles.ts";

/** A named format refuses a value by returning the real server's words for it. */
type Format = (value: string, version: 8 | 9) => string | undefined;

const matching =
  (pattern: RegExp, words: (value: string) => string): Format =>
  (value) =>
    pattern.test(value) ? undefined : words(value);

const configId = matching(/^[a-zA-Z][\w-]+$/, (value) => `invalid configuration ID '${value}'`);
const volumeId = matching(
  /^[a-zA-Z][a-zA-Z0-9\-_.]*[a-zA-Z0-9]:\S+$/,
  (value) => `unable to parse volume ID '${value}'`,
);
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const drive = /^(?:ide[0-3]|scsi(?:[12]?\d|30)|virtio(?:1[0-5]|\d)|sata[0-5]|efidisk0|tpmstate0)$/;
const contentKinds = ["images", "rootdir", "vztmpl", "iso", "backup", "snippets", "import", "none"];

const isCidr = (value: string, family: 4 | 6): boolean => {
  const [address = "", bits = "", rest] = value.split("/");
  const most = family === 4 ? 32 : 128;
  return rest === undefined && isIP(address) === family && /^\d+$/.test(bits) && Number(bits) <= most;
};

const storageId: Format = (value) => {
  if (value.length < 2) return `storage ID '${value}' cannot be shorter than 2 characters`;
  return /^[a-z][a-z0-9\-_.]*[a-z0-9]$/i.test(value)
    ? undefined
    : `storage ID '${value}' contains illegal characters`;
};

const isUrlEncoded = (value: string): boolean => {
  try {
    const plain = decodeURIComponent(value);
    return encodeAsPerl(plain) === value || encodeURIComponent(plain) === value;
  } catch {
    return false;
  }
};

/** As URI::Escape writes it: everything but letters, digits and `-._~`. */
const encodeAsPerl = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const formats: Record<string, Format> = {
  "pve-vmid": matching(/^[1-9]\d{2,8}$/, () => "value does not look like a valid VM ID"),
  "pve-node": matching(new RegExp(`^${label}$`), () => "value does not look like a valid node name"),
  "dns-name": matching(
    new RegExp(`^(?:${label}\\.)*${label}$`),
    () => "value does not look like a valid DNS name",
  ),
  "pve-storage-id": storageId,
  "pve-poolid": matching(
    /^[A-Za-z0-9.\-_]+(?:\/[A-Za-z0-9.\-_]+){0,2}$/,
    (value) => `pool name '${value}' contains invalid characters`,
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
  "pve-realm": matching(
    /^[A-Za-z][A-Za-z0-9.\-_]+$/,
    (value) => `value '${value}' does not look like a valid realm`,
  ),
  "pve-userid": matching(
    /^[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+$/,
    (value) => `value '${value}' does not look like a valid user name`,
  ),
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
  "disk-size": matching(/^\d+(\.\d+)?[KMGT]?$/, (value) => `unable to parse disk size '${value}'`),
  urlencoded: (value) => (isUrlEncoded(value) ? undefined : `invalid urlencoded string: ${value}`),
  address: (value) =>
    isIP(value) === 0 && !new RegExp(`^(?:${label}\\.)*${label}$`).test(value)
      ? `value does not look like a valid address: ${value}`
      : undefined,
  ipv4: (value) => (isIPv4(value) ? undefined : "value does not look like a valid IPv4 address"),
  ipv6: (value) => (isIPv6(value) ? undefined : "value does not look like a valid IPv6 address"),
  CIDR: (value) =>
    isCidr(value, 4) || isCidr(value, 6) ? undefined : "value does not look like a valid CIDR network",
  "pve-ipv4-config": (value) =>
    value === "dhcp" || isCidr(value, 4)
      ? undefined
      : "value does not look like a valid ipv4 network configuration",
  "pve-ipv6-config": (value) =>
    value === "dhcp" || value === "auto" || isCidr(value, 6)
      ? undefined
      : "value does not look like a valid ipv6 network configuration",
  "pve-qm-bootdev": (value) =>
    drive.test(value) || /^(?:net|usb|hostpci)\d+$/.test(value)
      ? undefined
      : `invalid boot device '${value}'`,
  "pve-cpuset": matching(/^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/, () => "unable to parse cpuset option"),
  "pve-startup-order": matching(
    /^(?:(?:order=)?\d+|up=\d+|down=\d+)(?:,(?:order=\d+|up=\d+|down=\d+))*$/,
    () => "unable to parse startup options",
  ),
  "pve-hotplug-features": matching(
    /^(?:[01]|(?:network|disk|cpu|memory|usb|cloudinit)(?:,(?:network|disk|cpu|memory|usb|cloudinit))*)$/,
    () => "unable to parse hotplug option",
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
