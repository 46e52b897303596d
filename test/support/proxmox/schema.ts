import path from "node:path";
import {
  readServerSchema,
  type DeclaredCall,
  type DeclaredParam,
} from "../../../scripts/proxmox/server-schema.ts";
import { peerFile } from "../peers.ts";

/** A request with one value the schema forbids, and the words it must be refused with where the schema tells them. */
export interface BreakingCase {
  method: string;
  path: string;
  params: Record<string, string>;
  /** The key of `errors`. */
  name: string;
  text?: string;
}

// The dumps stand in ../shared/reference beside the repository.
const dumps = { 9: "proxmox-api.json.gz", 8: "proxmox-api-8.json.gz" } as const;
const dumpFile = (version: 8 | 9) => path.resolve("../shared/reference", dumps[version]);
export const hasSchema = ([8, 9] as const).every((version) => peerFile(dumpFile(version)));

export const loadSchema = (version: 8 | 9): DeclaredCall[] => [
  ...readServerSchema(dumpFile(version)).values(),
];

/** Values for the places of a path, good enough to find the call. */
const places: Record<string, string> = {
  node: "pve1",
  vmid: "100",
  storage: "local",
  volume: "local:iso/x.iso",
  snapname: "before",
  upid: "UPID:pve1:00001000:00000064:60000000:qmstart:100:root@pam:",
  userid: "tool@pve",
  tokenid: "ci",
  roleid: "ClusterTool",
  poolid: "pool",
  iface: "vmbr0",
  group: "group",
  sid: "vm:100",
  rule: "rule",
};

/** What a call must be given to be allowed at all, which is looked at before its parameters. */
const rights: Record<string, Record<string, string>> = { "/access/acl": { path: "/" } };
const isRight = (call: string, name: string): boolean =>
  rights[call]?.[name] !== undefined || (call === "/pools" && name === "poolid");

/** Calls whose parameters come another way than in a form, or that no token may make. */
const otherWise = /\/(?:upload|vncwebsocket)$|^\/cluster\/ha\/rules|^\/cluster\/backup-info$/;

const unknown = "property is not defined in schema and the schema does not allow additional properties";
const missing = "property is missing and it is not optional";
const required = (name: string, version: 8 | 9): string =>
  version === 9
    ? `missing property required by '${name}'`
    : `missing property - '${name}' requires this property`;
const notIn = (value: string, choices: string): string =>
  `value '${value}' does not have a value in the enumeration '${choices}'`;

/** Named formats in the words of the real servers: a value each refuses, and what for. */
type Misfit = [value: string, words: string | ((name: string) => string)];
const inside =
  (key: string, text: string): ((name: string) => string) =>
  (name) =>
    `format error\n${name}.${key}: ${text}`;

/** Formats that take any text have none. */
const misfits: Record<string, Misfit | undefined> = {
  CIDR: ["10.0.0.0/4", "value does not look like a valid CIDR network"],
  // Of a backup; Slipway sends none of these, and the simulator takes them as they come.
  "backup-fleecing": undefined,
  "backup-performance": undefined,
  "email-or-username": undefined,
  // Likewise of realms.
  "ldap-simple-attr": undefined,
  "pve-tfa-config": undefined,
  "realm-sync-options": undefined,
  address: ["under_score", "value does not look like a valid address: under_score"],
  "disk-size": ["big", "value does not look like a valid disk size: big"],
  "dns-name": ["under_score", "value does not look like a valid DNS name"],
  "email-opt": ["nobody", "value does not look like a valid email address"],
  ipv4: ["10.0.0.256", "value does not look like a valid IPv4 address"],
  ipv6: ["fe80::zz", "value does not look like a valid IPv6 address"],
  "mac-addr": ["01:00:00:00:00:00", "value does not look like a valid unicast MAC address"],
  "mac-prefix": ["01:00", "value is not a valid unicast MAC address prefix"],
  "prune-backups": ["keep-nothing=1", inside("keep-nothing", unknown)],
  "pve-bridge-id": ["a b", "invalid bridge ID 'a b'"],
  "pve-configid": ["1st", "invalid configuration ID '1st'"],
  "pve-cpuset": ["3-1", "unable to parse cpuset option"],
  "pve-dir-override": ["iso", "invalid override 'iso'"],
  "pve-groupid": ["a!b", "group name 'a!b' contains invalid characters"],
  "pve-ha-group-node": ["-", "value does not look like a valid ha group node"],
  "pve-ha-node": ["-", "value does not look like a valid ha node name"],
  "pve-ha-resource-id": ["100", "value does not look like a valid ha resource id"],
  "pve-ha-resource-or-vm-id": ["VM:100", "value does not look like a valid ha resource id"],
  "pve-hotplug-features": ["floppy", "invalid hotplug feature 'floppy'"],
  "pve-iface": ["0eth", "invalid network interface name '0eth'"],
  "pve-ipv4-config": ["10.0.0.1", "value does not look like a valid ipv4 network configuration"],
  "pve-ipv6-config": ["fd00::1", "value does not look like a valid ipv6 network configuration"],
  "pve-node": ["-node", "value does not look like a valid node name"],
  "pve-node-location": [
    "name=x",
    (name) => `format error\n${name}.latitude: ${missing}\n${name}.longitude: ${missing}`,
  ],
  "pve-poolid": ["a b", "pool name 'a b' contains invalid characters"],
  "pve-priv": ["VM.Fly", "invalid privilege 'VM.Fly'"],
  "pve-qemu-sev-fmt": ["none", inside("type", "value may only be 3 characters long")],
  "pve-qemu-tdx-fmt": [
    "none",
    (name) => `format error\n${name}.attestation: ${missing}\n${name}.type: ${notIn("none", "tdx")}`,
  ],
  "pve-qm-boot": ["order=floppy0", inside("order", "invalid format - invalid boot device 'floppy0'\n")],
  "pve-qm-bootdev": ["floppy0", "invalid boot device 'floppy0'"],
  "pve-qm-bootdisk": ["floppy0", "invalid boot disk 'floppy0'"],
  "pve-qm-cicustom": ["user=x", inside("user", "invalid format - unable to parse volume ID 'x'\n")],
  "pve-qm-hostpci": ["host=x", inside("host", "value does not match the regex pattern")],
  "pve-qm-ide": ["no volume", inside("file", "invalid format - unable to parse volume ID 'no volume'\n")],
  "pve-qm-ipconfig": [
    "ip=10.0.0.1",
    inside("ip", "invalid format - value does not look like a valid ipv4 network configuration\n"),
  ],
  "pve-qm-rng": ["/dev/null", inside("source", notIn("/dev/null", "/dev/urandom, /dev/random, /dev/hwrng"))],
  "pve-qm-smbios1": ["uuid=1", inside("uuid", "value does not match the regex pattern")],
  "pve-qm-watchdog": ["dog", inside("model", notIn("dog", "i6300esb, ib700"))],
  "pve-realm": ["1", "value does not look like a valid realm"],
  "pve-roleid": ["a!b", "role name 'a!b' contains invalid characters"],
  "pve-startup-order": ["first", "unable to parse startup options"],
  "pve-storage-content": ["films", "invalid content type 'films'"],
  "pve-storage-id": ["1st", "storage ID '1st' contains illegal characters"],
  "pve-storage-options": ["a b", "invalid options 'a b'"],
  "pve-storage-path": ["relative", "value does not look like a valid absolute path"],
  "pve-storage-portal-dns": ["a_b", "value does not look like a valid portal address"],
  "pve-storage-server": ["a b", "value does not look like a valid server name or IP address"],
  "pve-storage-vgname": ["a b", "lvm name 'a b' contains illegal characters"],
  "pve-storage-zfs-blocksize": [
    "many",
    "blocksize 'many' is not a power of 2 with an optional k or m suffix",
  ],
  "pve-tag": ["a/b", "invalid characters in tag"],
  "pve-task-status-type": ["good", "invalid status 'good'"],
  "pve-tokenid": ["ci", "value 'ci' does not look like a valid token ID"],
  "pve-userid": ["nobody", "value 'nobody' does not look like a valid user name"],
  "pve-vm-cpu-conf": ["abacus", "Built-in cputype 'abacus' is not defined (missing 'custom-' prefix?)"],
  "pve-vmid": ["99", "value does not look like a valid VM ID"],
  "pve-volume-id": ["x", "unable to parse volume ID 'x'"],
  "pve-volume-id-or-absolute-path": ["x", "unable to parse volume ID 'x'"],
  "pve-volume-id-or-qm-path": ["x", "unable to parse volume ID 'x'"],
  "storage-pair": [
    "1st:local",
    "entry '1st:local' contains invalid ID - storage ID '1st' contains illegal characters\n\n",
  ],
  urlencoded: ["a b", "invalid urlencoded string: a b"],
};

/** The path of a call with a value at each of its places. */
export const pathOf = ({ path: template }: Pick<DeclaredCall, "path">): string =>
  template.replace(/\{(.+?)\}/g, (_, name: string) => encodeURIComponent(places[name] ?? "x"));

/** Requests that each break one rule of a call's schema. */
export function breakingCases(declared: DeclaredCall, version: 8 | 9): BreakingCase[] {
  if (otherWise.test(declared.path)) return [];
  const params = Object.entries(declared.parameters?.properties ?? {});
  const inPath = new Set([...declared.path.matchAll(/\{(.+?)\}/g)].map(([, name = ""]) => name));
  const one = (name: string, value: string, text?: string, at = name): BreakingCase => ({
    method: declared.method,
    path: pathOf(declared),
    params: { ...rights[declared.path], [name]: value },
    name: at,
    ...(text !== undefined && { text }),
  });
  // What is needed anyway is missed twice.
  const neededBy = (name: string, needed: string) => {
    const isOptional = declared.parameters?.properties?.[needed]?.optional === true;
    return `${isOptional ? "" : `${missing}\\n`}${required(name, version)}`;
  };
  return [
    ...(declared.parameters?.additionalProperties === true ? [] : [one("no-such-parameter", "1", unknown)]),
    ...params
      .filter(([name, param]) => !inPath.has(name) && param.optional !== true)
      .filter(([name]) => !isRight(declared.path, name))
      .map(([name]) => ({ ...one("no-such-parameter", "1", missing), name })),
    ...params
      .filter(([name]) => !inPath.has(name) && !isRight(declared.path, name))
      .flatMap(([declaredName, param]) => {
        const name = declaredName.replace("[n]", "0");
        return [
          ...breakingValues(param, name, version).map(([value, text]) => one(name, value, text)),
          ...(param.requires === undefined
            ? []
            : [one(name, validValue(param), neededBy(name, param.requires), param.requires)]),
          ...(declaredName.endsWith("[n]") ? [one(declaredName.replace("[n]", "999"), "1", unknown)] : []),
        ];
      }),
  ];
}

type Breaking = [value: string, text?: string];

/** A value for each rule of a parameter that breaks this rule and none before it. */
function breakingValues(param: DeclaredParam, name: string, version: 8 | 9): Breaking[] {
  const { type, format } = param;
  if (type === "boolean") return ["2", "yes", ""].map((value) => [value, typeText("boolean", value)]);
  const found: Breaking[] = [];
  if (type === "integer")
    found.push(["1.5", typeText("integer", "1.5")], ["many", typeText("integer", "many")]);
  if (type === "number") found.push(["many", typeText("number", "many")]);
  if (typeof format === "string") return [...found, ...misfitOf(format, name)];
  if (typeof format === "object") return breakingParts(format, name, version);
  const { minimum, maximum, minLength, maxLength, pattern } = param;
  if (minimum !== undefined) {
    found.push([String(minimum - 1), `value must have a minimum value of ${minimum}`]);
  }
  if (maximum !== undefined) {
    found.push([String(maximum + 1), `value must have a maximum value of ${maximum}`]);
  }
  if (pattern !== undefined) found.push([notMatching(pattern), "value does not match the regex pattern"]);
  else {
    if (maxLength !== undefined) {
      found.push(["a".repeat(maxLength + 1), `value may only be ${maxLength} characters long`]);
    }
    if (minLength !== undefined) {
      found.push(["a".repeat(minLength - 1), `value must be at least ${minLength} characters long`]);
    }
    if (param.enum) {
      if (type !== "integer") found.push(["none-of-them", notIn("none-of-them", param.enum.join(", "))]);
    }
  }
  return found;
}

const typeText = (type: string, value: string): string => `type check ('${type}') failed - got '${value}'`;

function misfitOf(format: string, name: string): Breaking[] {
  const single = format.replace(/-list$/, "");
  if (!(single in misfits)) throw new Error(`no value breaks the format ${format} of ${name}`);
  const misfit = misfits[single];
  if (misfit === undefined) return [];
  const [value, words] = misfit;
  return [[value, `invalid format - ${typeof words === "string" ? words : words(name)}\n`]];
}

/** The same for the keys of a property string; the whole is refused and names the key. */
function breakingParts(table: Record<string, DeclaredParam>, name: string, version: 8 | 9): Breaking[] {
  const keys = Object.entries(table).filter(([, property]) => property.alias === undefined);
  const needed = keys.filter(([, property]) => property.optional !== true);
  const others = (left: string) =>
    needed.filter(([key]) => key !== left).map(([key, property]) => `${key}=${validValue(property)}`);
  const partner = ({ requires }: DeclaredParam) => {
    const property = requires === undefined ? undefined : table[requires];
    return property ? [`${requires}=${validValue(property)}`] : [];
  };
  const refused = (parts: string[], at: string, text: string): Breaking => [
    parts.join(","),
    `invalid format - format error\n${name}.${at}: ${text}\n`,
  ];
  return [
    refused([...others(""), "no-such-key=1"], "no-such-key", unknown),
    ...needed
      .filter(([left]) => others(left).length > 0)
      .map(([left]) => refused(others(left), left, missing)),
    ...keys.flatMap(([key, property]) =>
      breakingValues(property, key, version)
        // An empty value is another mistake, and so are words that 9 takes for flags.
        .filter(([value]) => value !== "" && value !== "yes")
        .map(([value, text = ""]) =>
          refused([...others(key), ...partner(property), `${key}=${value}`], key, text),
        ),
    ),
    ...keys
      .filter(([, { requires }]) => requires !== undefined)
      .map(([key, property]) =>
        refused(
          [...others(key), `${key}=${validValue(property)}`],
          property.requires ?? "",
          required(`${name}.${key}`, version),
        ),
      ),
  ];
}

/** Any value the rules of a parameter allow. */
function validValue(param: DeclaredParam): string {
  if (param.enum) return param.enum[0] ?? "";
  if (param.type === "boolean") return "1";
  if (param.type === "integer" || param.type === "number") return String(param.minimum ?? 1);
  if (typeof param.format === "string") return validFor[param.format] ?? "x1";
  return param.pattern === undefined ? "x1" : matching(param.pattern);
}

const validFor: Record<string, string> = {
  "pve-volume-id-or-qm-path": "none",
  "pve-volume-id": "local:iso/x.iso",
  "pve-storage-id": "local",
  "pve-priv-list": "VM.Audit",
  ipv4: "10.0.0.1",
};

const candidates = ["1", "0", "x", "0-1", "/dev/parport0", "socket", "-", " ;\u0001", ""];
const matching = (pattern: string): string =>
  candidates.find((value) => regex(pattern).test(value)) ?? fail(pattern);
const notMatching = (pattern: string): string =>
  candidates.findLast((value) => value !== "" && !regex(pattern).test(value)) ?? fail(pattern);

const fail = (pattern: string): never => {
  throw new Error(`no value at hand for the pattern ${pattern}`);
};

/** Perl's own marks taken off. */
const regex = (pattern: string): RegExp =>
  new RegExp(`^(?:${pattern.replaceAll(/\(\?\^\w*:/g, "(?:").replace("{,", "{0,")})$`);
