import { CallTrace, type Clock, type Dial } from "../../lib/index.ts";
import { callSupervisor, type Answer, type SupervisorWire } from "./call.ts";
import { answerStrange, isStranger, isUntimely, notAllowed } from "./errors.ts";

export interface SupervisorOptions {
  /** A name or address, with a port where it is not 6443. */
  address: string;
  dial: Dial;
  clock: Clock;
  /** Where calls are traced. Left out: nowhere. */
  calls?: CallTrace | undefined;
  /** PEM of the authority it has to show; only `caCerts` looks further. */
  ca: string;
  /** Of a token: `server` or `node`, and what stands behind it. */
  credentials?: { user: "server" | "node"; password: string } | undefined;
  /** For every single call; 5 s if not given. */
  timeoutMs?: number;
}

export interface ServedAuthority {
  /** The text as it is served; empty while the server starts. */
  pem: string;
  /** The server proves itself by the authority this client trusts, under whatever name and at whatever time. */
  isOurs: boolean;
}

export interface Supervisor {
  /** `https://HOST:PORT`, as those who join write it. */
  readonly url: string;
  /** True when it answers; false while it starts. */
  ping(signal?: AbortSignal): Promise<boolean>;
  /** What it serves to whoever asks, trusted or not. Throws only where nothing answers, or something else than K3s. */
  caCerts(signal?: AbortSignal): Promise<ServedAuthority>;
  /** Undefined when it is ready, else what it is waiting for. Needs the credentials of an agent: servers' are refused. */
  readyz(signal?: AbortSignal): Promise<string | undefined>;
  /** Of etcd. Needs the credentials of a server. */
  members(signal?: AbortSignal): Promise<EtcdMember[]>;
  /** Another password for servers to join with. The server locks with it what it hands to them; the others have to be told. */
  replaceToken(password: string, signal?: AbortSignal): Promise<void>;
  /** How Secrets are encrypted in its database. Needs the credentials of a server. */
  encryption(signal?: AbortSignal): Promise<SecretsEncryption>;
  /** A new key for them, with which all are written again; `encryption` tells when that is over. */
  rotateEncryptionKeys(signal?: AbortSignal): Promise<void>;
}

export interface SecretsEncryption {
  isOn: boolean;
  /** `start`, `reencrypt_active`, `reencrypt_finished`, … */
  stage: string;
  /** The name of the key that is written with. */
  activeKey: string;
  /** All servers encrypt the same way. */
  isSameEverywhere: boolean;
}

/** A client for one server. Every call has a connection of its own: servers come and go while they are looked at. */
export function connectSupervisor(options: SupervisorOptions): Supervisor {
  const { host, port } = placeOf(options.address);
  const url = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { dial, clock, calls = new CallTrace(), ca, credentials, timeoutMs = 5_000 } = options;
  const wire: SupervisorWire = { host, port, url, dial, clock, calls, timeoutMs };
  const trusted = { ...wire, ca, credentials };

  const read = async (what: string, path: string, signal?: AbortSignal): Promise<Answer> => {
    const answer = await callSupervisor(trusted, { what, path, signal });
    if (answer.code === 401 || answer.code === 403)
      throw notAllowed({ what, server: url }, { user: credentials?.user, ...answer });
    return answer;
  };

  const put = async (
    what: string,
    path: string,
    body: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<void> => {
    const answer = await callSupervisor(trusted, { what, path, body, signal });
    if (answer.code === 401 || answer.code === 403)
      throw notAllowed({ what, server: url }, { user: credentials?.user, ...answer });
    if (answer.code < 200 || answer.code > 299) throw answerStrange({ what, server: url }, answer);
  };

  return {
    url,
    async ping(signal) {
      const answer = await read("ask K3s whether it is there", "/ping", signal);
      return answer.code === 200 && answer.text.trim() === "pong";
    },
    async caCerts(signal) {
      const what = "ask K3s for its authority";
      const answer = await callSupervisor(wire, { what, path: "/cacerts", signal });
      const isServed = answer.code === 200 && answer.text.includes("-----BEGIN CERTIFICATE-----");
      if (!isServed && answer.code !== 503) throw answerStrange({ what, server: url }, answer);
      return {
        pem: isServed ? answer.text : "",
        isOurs: await isProven({ ...wire, ca, isNameFree: true }, what, signal),
      };
    },
    async readyz(signal) {
      const answer = await read("ask K3s whether it is ready", "/v1-k3s/readyz", signal);
      return answer.code === 200 ? undefined : answer.message;
    },
    async members(signal) {
      const what = "list the members of etcd";
      const answer = await read(what, "/db/info", signal);
      const members = answer.code === 200 ? readMembers(answer.text) : undefined;
      if (!members) throw answerStrange({ what, server: url }, answer);
      return members;
    },
    replaceToken: (newToken, signal) =>
      put("replace the server token of K3s", "/v1-k3s/token", { newToken }, signal),
    async encryption(signal) {
      const what = "ask K3s how it encrypts Secrets";
      const answer = await read(what, "/v1-k3s/encrypt/status", signal);
      const found = answer.code === 200 ? readEncryption(answer.text) : undefined;
      if (!found) throw answerStrange({ what, server: url }, answer);
      return found;
    },
    rotateEncryptionKeys: (signal) =>
      put(
        "rotate the encryption keys of K3s",
        "/v1-k3s/encrypt/config",
        { stage: "rotate_keys", force: false, skip: false },
        signal,
      ),
  };
}

/** Whoever copies our certificates still cannot prove them: only the handshake counts. */
async function isProven(wire: SupervisorWire, what: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await callSupervisor(wire, { what, path: "/cacerts", signal });
    return true;
  } catch (error) {
    if (isStranger(error)) return false;
    if (isUntimely(error instanceof Error ? error.cause : undefined)) return true;
    throw error;
  }
}

function placeOf(address: string): { host: string; port: number } {
  const [, six, four, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(address) ?? [];
  const host = six ?? four ?? address;
  return { host, port: Number(port ?? 6443) };
}

export interface EtcdMember {
  /** A number that JavaScript cannot hold, as text. */
  id: string;
  /** The node's name and eight hex digits; empty until it has started. */
  name: string;
  peerUrls: string[];
  clientUrls: string[];
  /** It has no vote yet. */
  isLearner: boolean;
}

interface WireMember {
  ID?: string;
  name?: string;
  peerURLs?: string[];
  clientURLs?: string[];
  isLearner?: boolean;
}

/** Undefined for a text that is no such answer. */
function readEncryption(text: string): SecretsEncryption | undefined {
  try {
    const { enable, stage, activekey, hashmatch } = JSON.parse(text) as Record<string, unknown>;
    return {
      isOn: enable === true,
      stage: typeof stage === "string" ? stage : "",
      activeKey: typeof activekey === "string" ? activekey : "",
      isSameEverywhere: hashmatch === true,
    };
  } catch {
    return undefined;
  }
}

/** Undefined for a text that lists no members. */
function readMembers(text: string): EtcdMember[] | undefined {
  // Ids take up to 64 bits: as numbers they would be rounded.
  const exact = text.replaceAll(/"ID":\s*(\d+)/g, '"ID":"$1"');
  try {
    const { members } = JSON.parse(exact) as { members?: WireMember[] };
    return members?.map((member) => ({
      id: member.ID ?? "0",
      name: member.name ?? "",
      peerUrls: member.peerURLs ?? [],
      clientUrls: member.clientURLs ?? [],
      isLearner: member.isLearner ?? false,
    }));
  } catch {
    return undefined;
  }
}
