import { parse } from "yaml";
import { kubeconfigUnusable } from "./errors.ts";

/** What is needed to talk to a cluster; certificates and key as PEM. */
export interface KubeAccess {
  /** `https://host:port` */
  server: string;
  ca: string;
  /** The client certificate and its key, or a token instead. */
  cert?: string;
  key?: string;
  token?: string;
  /** The name the server's certificate must carry when it is not the host of `server`. */
  serverName?: string | undefined;
}

interface Cluster {
  server?: string;
  "certificate-authority-data"?: string;
  "certificate-authority"?: string;
  "tls-server-name"?: string;
}

interface User {
  "client-certificate-data"?: string;
  "client-key-data"?: string;
  token?: string;
  exec?: { command?: string };
}

interface Kubeconfig {
  "current-context"?: string;
  contexts?: { name: string; context: { cluster: string; user: string } }[];
  clusters?: { name: string; cluster: Cluster }[];
  users?: { name: string; user: User }[];
}

/** Reads the current context of a kubeconfig that holds all it needs in itself, as Slipway and Talos write them. */
export function readKubeconfig(text: string): KubeAccess {
  const config = parsed(text);
  const name = config["current-context"];
  const context = config.contexts?.find((entry) => entry.name === name)?.context;
  if (!context) throw kubeconfigUnusable(`its current context "${name ?? ""}" is not among its contexts`);
  const cluster = config.clusters?.find((entry) => entry.name === context.cluster)?.cluster;
  const user = config.users?.find((entry) => entry.name === context.user)?.user;
  return {
    server: present(cluster?.server, `cluster "${context.cluster}" has no server`),
    ca: embedded(
      cluster?.["certificate-authority-data"],
      `cluster "${context.cluster}"`,
      "certificate-authority-data",
    ),
    serverName: cluster?.["tls-server-name"],
    ...identityOf(user ?? {}, `user "${context.user}"`),
  };
}

function identityOf(user: User, owner: string): Pick<KubeAccess, "cert" | "key" | "token"> {
  if (user.exec !== undefined)
    throw kubeconfigUnusable(`${owner} wants the program "${user.exec.command ?? ""}" to be run for a token`);
  const hasToken = user.token !== undefined && user.token !== "";
  if (hasToken && user["client-certificate-data"] === undefined) return { token: user.token ?? "" };
  return {
    cert: embedded(user["client-certificate-data"], owner, "client-certificate-data"),
    key: embedded(user["client-key-data"], owner, "client-key-data"),
  };
}

function parsed(text: string): Kubeconfig {
  try {
    const config: unknown = parse(text);
    if (typeof config === "object" && config !== null) return config;
  } catch {
    // The parser's message quotes the text around the mistake, and that may be a key.
    throw kubeconfigUnusable("it is not YAML");
  }
  throw kubeconfigUnusable("it is not a YAML mapping");
}

function present(value: string | undefined, why: string): string {
  if (value === undefined || value === "") throw kubeconfigUnusable(why);
  return value;
}

const embedded = (value: string | undefined, owner: string, field: string): string =>
  Buffer.from(present(value, `${owner} has no ${field}`), "base64").toString("utf8");
