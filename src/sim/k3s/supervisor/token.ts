import { createHash, X509Certificate } from "node:crypto";

/** A token in its parts. */
export interface Token {
  /** Of the authority it pins; absent in the short form. */
  caHash?: string;
  /** Absent in the short form. */
  user?: string;
  password: string;
  /** `abcdef.0123456789abcdef`: one that kubeadm would understand. */
  isBootstrap?: true;
}

const bootstrapShape = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

/** Throws what the real program says of a broken one. */
export function parseToken(text: string): Token {
  if (text === "") throw new Error("token must not be empty");
  if (!text.startsWith("K10"))
    return bootstrapShape.test(text) ? { password: text, isBootstrap: true } : { password: text };
  const body = text.slice("K10".length);
  const at = body.indexOf("::");
  const caHash = at < 0 ? "" : body.slice(0, at);
  if (caHash !== "" && caHash.length !== 64) throw new Error("invalid token CA hash length");
  const credentials = at < 0 ? body : body.slice(at + 2);
  const pinned = caHash === "" ? {} : { caHash };
  if (bootstrapShape.test(credentials)) return { ...pinned, password: credentials, isBootstrap: true };
  const colon = credentials.indexOf(":");
  if (colon < 0 || colon === credentials.length - 1) throw new Error("invalid token format");
  return { ...pinned, user: credentials.slice(0, colon), password: credentials.slice(colon + 1) };
}

export const writeToken = (user: "server" | "node", password: string, ca: string): string =>
  `K10${hashOfCa(ca)}::${user}:${password}`;

/** Of one certificate the bytes of its file; of several the root that the first one leads to. */
export function hashOfCa(pem: string): string {
  const [first, ...others] = certificatesIn(pem);
  const root = first === undefined || others.length === 0 ? undefined : rootOf(first, others);
  return sha256(root?.raw ?? pem);
}

/** How the database knows a token without keeping it. */
export const hashOfToken = (password: string): string => sha256(password).slice(0, 12);

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");

export const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []).map(
    (block) => new X509Certificate(block),
  );

function rootOf(first: X509Certificate, others: X509Certificate[]): X509Certificate | undefined {
  const above = others.find((other) => first.checkIssued(other) && first.verify(other.publicKey));
  if (above === undefined) return undefined;
  const rest = others.filter((other) => other !== above);
  return above.checkIssued(above) ? above : rootOf(above, rest);
}
