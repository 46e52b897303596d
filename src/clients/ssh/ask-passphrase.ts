import { SlipwayError } from "../../errors/index.ts";
import type { SshConnection } from "./connection.ts";
import type { Credentials } from "./login.ts";
import { loadKey, type KeySource } from "./private-key.ts";

/** As often as ssh itself asks. */
const mostAnswers = 3;

/**
 * Logs in with what is open; only where that is refused, a person is asked for the passphrase of each protected key in
 * turn. Not while the host waits: it hangs up on slow typists.
 */
export async function orAskPassphrase<Options extends Credentials>(
  options: Options,
  connect: (options: Omit<Options, "agent">) => Promise<SshConnection>,
): Promise<SshConnection> {
  try {
    return await connect(options);
  } catch (refused) {
    if (!isRefused(refused)) throw refused;
    const { agent: _agent, ...others } = options;
    for (const key of options.keys ?? []) {
      if (key.ask === undefined || !(await loadKey(key)).isLocked) continue;
      const connection = await connectAsking(key, (opened) => connect({ ...others, keys: [opened] }));
      if (connection) return connection;
    }
    throw refused;
  }
}

/** Undefined where the host does not take the key, or nobody wants to open it. */
async function connectAsking(
  key: KeySource,
  connect: (opened: KeySource) => Promise<SshConnection>,
): Promise<SshConnection | undefined> {
  for (let answers = 0; ; answers++) {
    const answer = await key.ask?.(answers > 0);
    if (answer === undefined || answer === "") return undefined;
    try {
      return await connect({ ...key, passphrase: () => Promise.resolve(answer) });
    } catch (thrown) {
      if (isRefused(thrown)) return undefined;
      if (!isCode(thrown, "SSH_KEY_PASSPHRASE_WRONG") || answers + 1 === mostAnswers) throw thrown;
    }
  }
}

const isCode = (thrown: unknown, ...codes: string[]): boolean =>
  thrown instanceof SlipwayError && codes.includes(thrown.code);

const isRefused = (thrown: unknown): boolean => isCode(thrown, "SSH_LOGIN_REFUSED", "SSH_KEY_ENCRYPTED");
