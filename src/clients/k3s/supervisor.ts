import type { Dial } from "../../lib/index.ts";

export interface SupervisorOptions {
  /** A name or address, with a port where it is not 6443. */
  address: string;
  dial: Dial;
  /** PEM of the authority it has to show; only `caCerts` looks further. */
  ca: string;
  /** Of a token: `server` or `node`, and what stands behind it. */
  credentials?: { user: "server" | "node"; password: string };
  /** For every single call; 5 s if not given. */
  timeoutMs?: number;
}

export interface ServedAuthority {
  /** The text as it is served. */
  pem: string;
  /** It is the authority this client trusts, and the server proves itself by it. */
  isOurs: boolean;
}

export interface EtcdMember {
  id: string;
  name: string;
  peerUrls: string[];
  clientUrls: string[];
  isLearner: boolean;
}

export interface Supervisor {
  /** True when it answers; false while it starts. */
  ping(signal?: AbortSignal): Promise<boolean>;
  /** What it serves to whoever asks, trusted or not. Throws only where nothing answers, or something else than K3s. */
  caCerts(signal?: AbortSignal): Promise<ServedAuthority>;
  /** Undefined when it is ready, else what it is waiting for. Needs credentials. */
  readyz(signal?: AbortSignal): Promise<string | undefined>;
  /** Of etcd. Needs the credentials of a server. */
  members(signal?: AbortSignal): Promise<EtcdMember[]>;
  close(): void;
}

/** A client for one server. Nothing is sent before the first call. */
export function connectSupervisor(options: SupervisorOptions): Supervisor {
  throw new Error(`not there yet: ${options.address}`);
}
