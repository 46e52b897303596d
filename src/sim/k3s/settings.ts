import { parse } from "yaml";
import type { HostView } from "../linux/index.ts";
import { Fatal, type Journal } from "./journal.ts";
import { paths } from "./paths.ts";

export type Command = "server" | "agent";

/** What the files and the command line say, by the name of the flag. */
export interface Settings {
  text(name: string): string | undefined;
  list(name: string): string[];
  isOn(name: string): boolean;
}

/** The file, then its drop-ins by name, then the command line; what comes later wins, `key+` adds to what was there. */
export function readSettings(
  { files }: Pick<HostView, "files">,
  command: Command,
  args: string[],
  journal: Journal,
): Settings {
  const folder = `${paths.config}.d`;
  const dropIns = files
    .below(folder)
    .filter((path) => /^[^/]+\.ya?ml$/i.test(path.slice(folder.length + 1)))
    .toSorted();
  const values = new Map<string, string[]>();
  for (const path of [paths.config, ...dropIns]) {
    const text = files.read(path)?.toString("utf8");
    if (text !== undefined) for (const [name, value] of entriesOf(text, path)) put(values, name, value);
  }
  for (const name of values.keys())
    if (!knownFlags[command].has(name)) refuse(command, name, values, journal);
  for (const [name, value] of flagsOf(command, args)) values.set(name, value);
  return {
    text: (name) => values.get(name)?.at(-1),
    list: (name) => values.get(name)?.flatMap((item) => item.split(",")) ?? [],
    isOn: (name) => values.get(name)?.at(-1) === "true",
  };
}

function put(values: Map<string, string[]>, name: string, value: string[]): void {
  const isAdded = name.endsWith("+");
  const bare = isAdded ? name.slice(0, -1) : name;
  values.set(bare, isAdded ? [...(values.get(bare) ?? []), ...value] : value);
}

function entriesOf(text: string, path: string): [string, string[]][] {
  let content: unknown;
  try {
    content = parse(text, { version: "1.1" });
  } catch (error) {
    throw new Fatal(`failed to parse ${path}: ${(error as Error).message.split("\n")[0]}`);
  }
  if (content === null || content === undefined) return [];
  if (typeof content !== "object" || Array.isArray(content))
    throw new Fatal(`yaml: unmarshal errors:\n  line 1: cannot unmarshal !!str into yaml.MapSlice`);
  return Object.entries(content).map(([name, value]) => [
    name,
    (Array.isArray(value) ? value : [value]).map((item) => String(item)),
  ]);
}

/** A server leaves out what it does not know; an agent shows how it is used, and ends. */
function refuse(command: Command, name: string, values: Map<string, string[]>, journal: Journal): void {
  if (command === "server") {
    journal.warn(`Unknown flag --${name} found in config.yaml, skipping\n`);
    values.delete(name);
    return;
  }
  throw wrongUse(command, name, journal);
}

function wrongUse(command: Command, name: string, journal: Journal): Fatal {
  const why = `flag provided but not defined: -${name}`;
  journal.plain(`Incorrect Usage: ${why}`);
  journal.plain("");
  journal.plain("NAME:");
  journal.plain(`   k3s ${command} - ${command === "agent" ? "Run node agent" : "Run management server"}`);
  journal.plain("");
  journal.plain("USAGE:");
  journal.plain(`   k3s ${command} [OPTIONS]`);
  return new Fatal(why);
}

/** `--name=value`, `--name value`, `--name`; given more than once, a list. */
function flagsOf(command: Command, args: string[]): Map<string, string[]> {
  const flags = new Map<string, string[]>();
  for (let at = 0; at < args.length; at += 1) {
    const [, name = "", glued] = /^--?([^=]+)(?:=(.*))?$/s.exec(args[at] ?? "") ?? [];
    if (!knownFlags[command].has(name)) continue;
    const next = args[at + 1];
    const hasNext = glued === undefined && next !== undefined && !next.startsWith("-");
    if (hasNext) at += 1;
    flags.set(name, [...(flags.get(name) ?? []), glued ?? (hasNext ? next : "true")]);
  }
  return flags;
}

/** What both commands understand. */
const shared = `config debug data-dir token token-file server node-name with-node-id node-label node-taint node-ip node-external-ip
node-internal-dns node-external-dns image-credential-provider-bin-dir image-credential-provider-config docker
container-runtime-endpoint default-runtime image-service-endpoint pause-image snapshotter private-registry
disable-default-registry-endpoint airgap-extra-registry system-default-registry resolv-conf flannel-iface flannel-conf
flannel-cni-conf kubelet-arg kube-proxy-arg protect-kernel-defaults selinux lb-server-port rootless prefer-bundled-bin
vpn-auth vpn-auth-file bind-address disable-apiserver-lb enable-pprof nonroot-devices log alsologtostderr v vmodule`;

const serverOnly = `advertise-address advertise-port tls-san tls-san-security https-listen-port cluster-cidr service-cidr
service-node-port-range cluster-dns cluster-domain flannel-backend flannel-ipv6-masq flannel-external-ip
egress-selector-mode servicelb-namespace write-kubeconfig write-kubeconfig-mode write-kubeconfig-group
write-kubeconfig-name helm-job-image helm-controller-arg agent-token agent-token-file cluster-init cluster-reset
cluster-reset-restore-path kube-apiserver-arg etcd-arg kube-controller-manager-arg kube-controller-arg kube-scheduler-arg
kube-cloud-controller-manager-arg kube-cloud-controller-arg datastore-endpoint datastore-cafile datastore-certfile
datastore-keyfile kine-tls etcd-expose-metrics etcd-disable-snapshots etcd-snapshot-name etcd-snapshot-schedule-cron
etcd-snapshot-retention etcd-snapshot-dir etcd-snapshot-compress etcd-s3 etcd-s3-endpoint etcd-s3-endpoint-ca
etcd-s3-skip-ssl-verify etcd-s3-access-key etcd-s3-secret-key etcd-s3-session-token etcd-s3-bucket
etcd-s3-bucket-lookup-type etcd-s3-region etcd-s3-folder etcd-s3-retention etcd-s3-proxy etcd-s3-config-secret
etcd-s3-insecure etcd-s3-timeout default-local-storage-path disable disable-scheduler disable-cloud-controller
disable-kube-proxy disable-network-policy disable-helm-controller disable-apiserver disable-controller-manager
disable-etcd disable-agent embedded-registry supervisor-metrics secrets-encryption secrets-encryption-provider`;

const words = (text: string): string[] => text.split(/\s+/);

/** By command. */
const knownFlags = {
  server: new Set([...words(shared), ...words(serverOnly)]),
  agent: new Set(words(shared)),
} as const;
