import path from "node:path";
import { needsOpenssh, SharedHop } from "./clients/ssh/index.ts";
import { dialDirect, type Dial } from "./lib/index.ts";
import { opensshDial, type OpensshHop } from "./openssh-dial.ts";
import type { Jump, SecretRef } from "./spec/index.ts";
import { sshSettings } from "./ssh-settings.ts";

export interface HopWorldOptions {
  env: NodeJS.ProcessEnv;
  /** How the nearest host is reached. Left out: directly. */
  dial?: Dial;
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
}

export interface HopWorld {
  /** Through these hosts, or directly where there are none. Ways that begin alike share their connections. */
  dialOver(jump: readonly Jump[] | undefined): Dial;
  /** What a program says on the last of them; undefined where it fails, or where the user's own ssh would have to run it. */
  runOn(jump: readonly Jump[], command: readonly string[]): Promise<string | undefined>;
  close(): void;
}

/** The jump hosts of a cluster file, each logged in to once, when it is first needed. */
export function hopWorld({ env, dial = dialDirect, resolveSecret }: HopWorldOptions): HopWorld {
  const settings = sshSettings(env);
  const hops = new Map<string, SharedHop>();
  const byProgram = new Map<string, Dial>();

  function dialOver(jump: readonly Jump[] | undefined, seen: readonly string[] = []): Dial {
    if (jump === undefined || jump.length === 0) return dial;
    const key = keyOf(jump, seen);
    if (jump.every((hop) => hop.isOpenssh)) {
      const known = byProgram.get(key) ?? opensshDial(jump.map(forOpenssh), env);
      byProgram.set(key, known);
      return known;
    }
    return hopOf(jump, seen).dial;
  }

  const keyOf = (jump: readonly Jump[], seen: readonly string[]): string =>
    JSON.stringify([jump.map(({ at: _at, ...hop }) => hop), seen]);

  function hopOf(jump: readonly Jump[], seen: readonly string[]): SharedHop {
    const key = keyOf(jump, seen);
    const known = hops.get(key) ?? sharedHop(jump, seen);
    hops.set(key, known);
    return known;
  }

  function sharedHop(jump: readonly Jump[], seen: readonly string[]): SharedHop {
    const before = jump.slice(0, -1);
    const [last] = jump.slice(-1) as [Jump];
    return new SharedHop({
      async hop() {
        const { proxyCommand } = await settings.about(last.host);
        if (proxyCommand !== undefined && before.length === 0)
          throw needsOpenssh({ host: last.host, setting: "ProxyCommand" });
        return settings.hop(last.host, ownOf(last));
      },
      dial: before.length > 0 ? dialOver(before, seen) : nearest(last, seen),
    });
  }

  /** The first host may itself have to be reached as the user's own settings say. */
  const nearest =
    ({ host }: Jump, seen: readonly string[]): Dial =>
    async (to, signal) => {
      const { jumps } = await settings.about(host);
      // `Host *` may name a jump host for the jump host itself.
      const further = jumps.filter((hop) => ![...seen, host].includes(hop.host));
      return dialOver(
        further.map((hop): Jump => ({ ...hop, at: { file: "~/.ssh/config", line: 0, column: 0 } })),
        [...seen, host],
      )(to, signal);
    };

  const beside = (jump: Jump, file: string): string =>
    file.startsWith("~") ? file : path.resolve(path.dirname(jump.at.file), file);

  function ownOf(jump: Jump) {
    const { user, port, keyFile, knownHostsFile, passphrase, acceptsNew } = jump;
    return {
      ...(user !== undefined && { user }),
      ...(port !== undefined && { port }),
      ...(keyFile !== undefined && { keyFile: beside(jump, keyFile) }),
      ...(knownHostsFile !== undefined && { knownHostsFile: beside(jump, knownHostsFile) }),
      ...(acceptsNew && { acceptsNew }),
      ...(passphrase && {
        passphrase: () => resolveSecret(passphrase, `the passphrase of the key for "${jump.host}"`),
      }),
    };
  }

  function forOpenssh(jump: Jump): OpensshHop {
    const { passphrase: _passphrase, ...own } = ownOf(jump);
    return { host: jump.host, ...own };
  }

  return {
    dialOver: (jump) => dialOver(jump),
    async runOn(jump, command) {
      if (jump.length === 0 || jump.some((hop) => hop.isOpenssh)) return undefined;
      const outcome = await hopOf(jump, [])
        .run(command)
        .catch(() => undefined);
      return outcome?.code === 0 ? outcome.stdout : undefined;
    },
    close: () => {
      for (const hop of hops.values()) hop.close();
    },
  };
}
