/** The daemon's own name for what is asked of it, the same on every way to it. */
export type Driver = "qemu:///system" | "qemu:///session";

export interface LocalUri {
  transport: "unix";
  driver: Driver;
  socket?: string;
}

export interface SshUri {
  transport: "ssh";
  driver: Driver;
  host: string;
  port?: number;
  user?: string;
  socket?: string;
  keyFile?: string;
  knownHostsFile?: string;
  /** `no_verify=1`: a host that nobody has seen yet will do. One whose key has changed will not. */
  acceptsUnknownHost: boolean;
  /** Which program on the host may lead to the socket when sshd itself does not. */
  proxy: "auto" | "native" | "netcat";
}

export interface TlsUri {
  transport: "tls";
  driver: Driver;
  host: string;
  port: number;
  /** Holds cacert.pem, clientcert.pem and clientkey.pem. */
  pkiFolder?: string;
}

export type LibvirtUri = LocalUri | SshUri | TlsUri;

/** Reads a libvirt connection URI. What is wrong with it is told in plain reasons, all at once. */
export function parseLibvirtUri(text: string): { uri: LibvirtUri } | { problems: string[] } {
  const problems: string[] = [];
  if (!URL.canParse(text)) return { problems: [`it is no URI; write ${examples}`] };
  const url = new URL(text);
  const [driverName, written] = url.protocol.slice(0, -1).split(/\+(.*)/);
  if (driverName !== "qemu") {
    return { problems: [`Slipway drives QEMU/KVM only, not "${driverName}"; write ${examples}`] };
  }
  const transport = written ?? (url.host === "" ? "unix" : "tls");
  const known = parameters[transport];
  if (!known) {
    const hint = transport === "tcp" ? "tcp sends everything in the clear" : `"${transport}" is not known`;
    return { problems: [`${hint}; use ssh, tls or the socket of this machine: ${examples}`] };
  }
  const driver = `qemu://${url.pathname}`;
  if (driver !== "qemu:///system" && driver !== "qemu:///session") {
    problems.push(`after the host comes /system or /session, not "${url.pathname}"`);
  }
  const isRemote = transport !== "unix";
  const host = decoded(url.hostname).replace(/^\[|\]$/g, "");
  if (isRemote && host === "") problems.push(`a host is missing: qemu+${transport}://HOST/system`);
  if (!isRemote && host !== "") problems.push("the socket of this machine needs no host: qemu:///system");
  if (url.password !== "") problems.push("a password does not belong into a URI: use a key or an agent");
  const find = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  for (const name of new Set(url.searchParams.keys())) {
    if (!known.includes(name)) problems.push(`"${name}" is not known here; known are ${known.join(", ")}`);
  }
  for (const name of ["socket", "keyfile", "known_hosts", "pkipath"]) {
    const path = find(name);
    if (path !== undefined && !/^~?\//.test(path))
      problems.push(`${name} must be an absolute path, not "${path}"`);
  }
  const proxy = find("proxy") ?? "auto";
  if (!isProxy(proxy)) problems.push(`proxy is auto, native or netcat, not "${proxy}"`);
  if (problems.length > 0 || !isProxy(proxy)) return { problems };

  const shared = { driver: driver as Driver, ...given("socket", find("socket")) };
  const port = url.port === "" ? undefined : Number(url.port);
  if (transport === "unix") return { uri: { transport, ...shared } };
  if (transport === "tls") {
    const pkiFolder = given("pkiFolder", find("pkipath"));
    return { uri: { transport, driver: shared.driver, host, port: port ?? 16514, ...pkiFolder } };
  }
  return {
    uri: {
      transport: "ssh",
      ...shared,
      host,
      ...given("port", port),
      ...given("user", url.username === "" ? undefined : decoded(url.username)),
      ...given("keyFile", find("keyfile")),
      ...given("knownHostsFile", find("known_hosts")),
      acceptsUnknownHost:
        find("no_verify") === "1" || /^(auto|ignore)$/.test(find("known_hosts_verify") ?? ""),
      proxy,
    },
  };
}

const examples = "qemu:///system or qemu+ssh://USER@HOST/system";

/** no_tty is what we do anyway. With TLS nothing is unverified: that would be talking to anybody. */
const parameters: Record<string, string[] | undefined> = {
  unix: ["socket"],
  ssh: ["socket", "keyfile", "known_hosts", "known_hosts_verify", "no_verify", "no_tty", "proxy"],
  tls: ["pkipath"],
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isProxy = (text: string): text is SshUri["proxy"] => /^(auto|native|netcat)$/.test(text);

const given = <Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } =>
  (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
