import type { SshConnection } from "../../clients/ssh/index.ts";
import type { SshKeyPair } from "../../lib/index.ts";
import type { RenewedCredential } from "../../plan/index.ts";
import type { HostKey } from "./first-contact/printed-host-keys.ts";
import { hostCommandFailed } from "./host-errors.ts";
import type { Guest, LinuxAccess } from "./linux-access.ts";

const timeoutMs = 20_000;
const never = new AbortController().signal;

/** Whoever has this key may log in from now on, beside those who may already. */
export const letIn = (
  to: SshConnection,
  guest: Guest,
  key: string,
  signal: AbortSignal = never,
): Promise<void> =>
  changeKeys(to, guest, signal, (lines) => (lines.includes(key) ? undefined : [...lines, key]));

const shutOut = (to: SshConnection, guest: Guest, key: string): Promise<void> =>
  changeKeys(to, guest, never, (lines) =>
    lines.includes(key) ? lines.filter((line) => line !== key) : undefined,
  );

async function changeKeys(
  to: SshConnection,
  guest: Guest,
  signal: AbortSignal,
  change: (lines: string[]) => string[] | undefined,
): Promise<void> {
  const file = `${await homeOf(to, guest.user, signal)}/.ssh/authorized_keys`;
  const { stdout: known } = await to.run(["cat", file], { signal });
  const lines = change(known.split("\n").filter((line) => line.trim() !== ""));
  if (lines === undefined) return;
  const command = ["install", "-D", "-m", "0600", "/dev/stdin", file];
  const stdin = lines.map((line) => `${line}\n`).join("");
  const { code, stderr } = await to.run(command, { stdin, signal });
  if (code !== 0)
    throw hostCommandFailed({ ...guest, command, code, said: stderr.trim().split("\n")[0] ?? "" });
}

async function homeOf(to: SshConnection, user: string, signal: AbortSignal): Promise<string> {
  const { code, stdout } = await to.run(["pwd"], { signal });
  if (code === 0 && stdout.startsWith("/")) return stdout.trim();
  return user === "root" ? "/root" : `/home/${user}`;
}

/** Read over a connection that is proven, so they are its own. */
export async function hostKeysOf(to: SshConnection, signal: AbortSignal = never): Promise<HostKey[]> {
  const files = ["ed25519", "ecdsa", "rsa"].map((type) => `/etc/ssh/ssh_host_${type}_key.pub`);
  const texts = await Promise.all(files.map((file) => to.run(["cat", file], { signal })));
  return texts.flatMap(({ code, stdout }) => {
    const [type, key] = stdout.trim().split(" ");
    return code === 0 && type !== undefined && key !== undefined ? [{ type, key }] : [];
  });
}

/**
 * Another key to log in with on all machines of a cluster. Each lets both in until all of them have been logged in on with the
 * new one; only then it takes the place of the old. Safe to run again: a key that waits is used, one that is left is shut out.
 */
export async function renewLogin(access: LinuxAccess, guests: Guest[]): Promise<RenewedCredential[]> {
  const [first] = guests;
  if (!first) return [];
  const { cluster } = first;
  const { keys } = access.world;
  // One that is kept as the former before it has been replaced is still the one to log in with.
  const kept = await keys.formerLogin(cluster);
  if (kept === undefined || kept === (await keys.findLogin(cluster))?.public) {
    const next = await keys.nextLogin(cluster);
    for (const guest of guests) await inside(access, guest, (to) => letIn(to, guest, next.public));
    for (const guest of guests) await inside(access, guest, () => Promise.resolve(), next);
    await keys.promoteLogin(cluster);
  }
  const former = await keys.formerLogin(cluster);
  if (former !== undefined)
    for (const guest of guests) await inside(access, guest, (to) => shutOut(to, guest, former));
  await keys.forgetFormerLogin(cluster);
  return [
    { credential: "SSH login key", file: keys.loginFile(cluster), old: "let in by no machine any more" },
  ];
}

async function inside<T>(
  access: LinuxAccess,
  guest: Guest,
  work: (to: SshConnection) => Promise<T>,
  login?: SshKeyPair,
): Promise<T> {
  const to = await access.open(guest, undefined, timeoutMs, login);
  try {
    return await work(to);
  } finally {
    to.close();
  }
}

/** Over a login of somebody else: the cluster's own key is let in, and the machine is known by its keys again. */
export async function takeLoginBack(access: LinuxAccess, to: SshConnection, guest: Guest): Promise<void> {
  const { cluster, node, user } = guest;
  const { keys } = access.world;
  await letIn(to, guest, (await keys.login(cluster)).public);
  if (!(await access.isMet(guest))) await access.meet(guest, await hostKeysOf(to));
  if (guest.firstContact !== undefined || (await keys.find(cluster, node))) return;
  const command = ["cat", "/etc/ssh/ssh_host_ed25519_key"];
  const { code, stdout } = await to.run(user === "root" ? command : ["sudo", "-n", ...command]);
  if (code === 0) await keys.adoptHost(cluster, node, stdout);
}
