import type { AnyAuthMethod, ParsedKey } from "ssh2";
import { keyEncrypted, keyNotUnderstood, passphraseWrong } from "./errors.ts";
import { plainText } from "./plain-text.ts";
import { loadKey, type KeySource } from "./private-key.ts";

/** What may be tried to log in, in this order: keys, the agent, the password. */
export interface Credentials {
  keys?: readonly KeySource[] | undefined;
  /** The socket of an ssh-agent. */
  agent?: string | undefined;
  /** Certificates the user has, which are not spoken here: for the error when nothing worked. */
  certificates?: readonly string[];
  /** Fetched only when it comes to that. */
  password?: () => Promise<string>;
}

/** @internal */
type ParseKey = (text: string, passphrase?: string) => ParsedKey | ParsedKey[] | Error;

/** @internal */
interface Attempt {
  /** What the server must still accept for it. */
  needs: "publickey" | "password" | "keyboard-interactive";
  /** For the error when nothing worked; names the key, never shows it. */
  title: string;
  method(): Promise<AnyAuthMethod>;
}

/**
 * A protected key without its passphrase is left out as long as there is something else: the agent may well hold it.
 *
 * @internal
 */
export async function loginAttempts(
  { keys = [], agent, password }: Credentials,
  username: string,
  parseKey: ParseKey,
): Promise<{ attempts: Attempt[]; locked: string[] }> {
  const attempts: Attempt[] = [];
  const locked: string[] = [];
  for (const source of keys) {
    const { name, text, passphrase, isLocked } = await loadKey(source);
    if (isLocked) {
      locked.push(name);
      continue;
    }
    const key = onlyKey(name, parseKey(text, passphrase), passphrase !== undefined);
    const method: AnyAuthMethod = { type: "publickey", username, key };
    attempts.push({ needs: "publickey", title: `key ${name}`, method: () => Promise.resolve(method) });
  }
  if (agent !== undefined) {
    const method: AnyAuthMethod = { type: "agent", username, agent };
    attempts.push({ needs: "publickey", title: "ssh-agent", method: () => Promise.resolve(method) });
  }
  if (password) {
    const type = "password" as const;
    const method = async (): Promise<AnyAuthMethod> => ({ type, username, password: await password() });
    attempts.push({ needs: type, title: "the password", method });
    attempts.push({
      needs: "keyboard-interactive",
      title: "the password as an answer",
      method: async () => answering(username, await password()),
    });
  }
  const [name] = locked;
  if (attempts.length === 0 && name !== undefined) throw keyEncrypted({ name });
  return { attempts, locked };
}

/** Hosts with PAM often take a password only as the answer to a question. Other questions get no answer. */
const answering = (username: string, password: string): AnyAuthMethod => ({
  type: "keyboard-interactive",
  username,
  prompt: (_name, _instructions, _language, prompts, finish) =>
    finish(prompts.length === 1 && prompts[0]?.echo !== true ? [password] : []),
});

/**
 * Hands the attempts to the SSH library one by one, and remembers what was tried and what would be accepted.
 *
 * @internal
 */
export class LoginRecord {
  readonly tried: string[] = [];
  accepted: string[] = [];
  failure: unknown;
  readonly locked: string[];
  private readonly left: Attempt[];

  constructor(attempts: readonly Attempt[], locked: string[]) {
    this.left = [...attempts];
    this.locked = locked;
  }

  next(accepted: readonly string[] | null, give: (method: AnyAuthMethod | false) => void): void {
    if (accepted) this.accepted = accepted.map(plainText);
    const attempt = this.left.shift();
    if (!attempt) give(false);
    else if (accepted && !accepted.includes(attempt.needs)) this.next(accepted, give);
    else {
      this.tried.push(attempt.title);
      attempt.method().then(give, (failure: unknown) => {
        this.failure = failure;
        give(false);
      });
    }
  }
}

function onlyKey(name: string, parsed: ReturnType<ParseKey>, isProtected: boolean): ParsedKey {
  if (parsed instanceof Error) {
    throw isProtected ? passphraseWrong({ name }) : keyNotUnderstood({ name, reason: parsed.message });
  }
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key?.isPrivateKey()) return key;
  throw keyNotUnderstood({ name, reason: "it is a public key; the private one is needed" });
}
