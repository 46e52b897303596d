import path from "node:path";
import { SharedJumpHost } from "../../clients/ssh/index.ts";
import { jumpHostTransport, isByProgram, type SettledJump } from "./transport.ts";
import { dialDirect, type Dial } from "../../lib/index.ts";
import { opensshRoute, type OpensshJumpHost, type OpensshRoute } from "./openssh-route.ts";
import type { Jump, SecretRef } from "../../spec/index.ts";
import { sshSettings, type OwnSettings, type SshSettings } from "./settings.ts";

export interface JumpHostsOptions {
  env: NodeJS.ProcessEnv;
  /** The user's own SSH. Left out: as `env` has it, with nobody to ask. */
  settings?: SshSettings;
  /** How the nearest host is reached. Left out: directly. */
  dial?: Dial;
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
  /** What a person should know of the way, each thing once. */
  say?(text: string): void;
}

export interface JumpHosts {
  /** Through these hosts, or directly where there are none. Ways that begin alike share their connections. */
  dialOver(jump: readonly Jump[] | undefined): Dial;
  /** What a program says on the last of them; undefined where it fails. */
  runOn(jump: readonly Jump[], command: readonly string[]): Promise<string | undefined>;
  close(): void;
}

/** The jump hosts of a cluster file, each logged in to once, when it is first needed. */
export function openJumpHosts(options: JumpHostsOptions): JumpHosts {
  const {
    env,
    settings = sshSettings(env),
    dial = dialDirect,
    resolveSecret,
    say = () => undefined,
  } = options;
  const settled = new Map<string, Promise<SettledJump[]>>();
  const jumpHosts = new Map<string, SharedJumpHost>();
  const byProgram = new Map<string, OpensshRoute>();
  const decide = jumpHostTransport({ settings, say, ownOf: (jump) => ownOf(jump) });

  const dialOver = (jump: readonly Jump[] | undefined, seen: readonly string[] = []): Dial =>
    jump === undefined || jump.length === 0
      ? dial
      : async (to, signal) => dialSettled(await settle(jump, seen), seen)(to, signal);

  const dialSettled = (jump: readonly SettledJump[], seen: readonly string[]): Dial =>
    isByProgram(jump) ? programOf(jump).dial : jumpHostOf(jump, seen).dial;

  function settle(jump: readonly Jump[], seen: readonly string[]): Promise<SettledJump[]> {
    const key = keyOf(jump, seen);
    const known = settled.get(key) ?? decide(jump);
    settled.set(key, known);
    // Whatever stood in the way may be mended by the next time.
    known.catch(() => settled.delete(key));
    return known;
  }

  const keyOf = (jump: readonly Jump[], seen: readonly string[]): string =>
    JSON.stringify([jump.map(({ at: _at, ...jumpHost }) => jumpHost), seen]);

  function programOf(jump: readonly SettledJump[]): OpensshRoute {
    const key = keyOf(jump, []);
    const touch = (host: string): void => say(`touch your security key: ${host} waits for it`);
    const known = byProgram.get(key) ?? opensshRoute(jump.map(forOpenssh), env, touch);
    byProgram.set(key, known);
    return known;
  }

  function jumpHostOf(jump: readonly SettledJump[], seen: readonly string[]): SharedJumpHost {
    const key = keyOf(jump, seen);
    const known = jumpHosts.get(key) ?? sharedJumpHost(jump, seen);
    jumpHosts.set(key, known);
    return known;
  }

  function sharedJumpHost(jump: readonly SettledJump[], seen: readonly string[]): SharedJumpHost {
    const before = jump.slice(0, -1);
    const [last] = jump.slice(-1) as [SettledJump];
    return new SharedJumpHost({
      jumpHost: () => settings.jumpHost(last.host, ownOf(last)),
      dial: before.length > 0 ? dialSettled(before, seen) : nearest(last, seen),
    });
  }

  /** The first host may itself have to be reached as the user's own settings say. */
  const nearest =
    ({ host }: Jump, seen: readonly string[]): Dial =>
    async (to, signal) => {
      const { jumps } = await settings.about(host);
      // `Host *` may name a jump host for the jump host itself.
      const further = jumps.filter((jumpHost) => ![...seen, host].includes(jumpHost.host));
      return dialOver(
        further.map((jumpHost): Jump => ({ ...jumpHost, at: { file: "~/.ssh/config", line: 0, column: 0 } })),
        [...seen, host],
      )(to, signal);
    };

  const beside = (jump: Jump, file: string): string =>
    file.startsWith("~") ? file : path.resolve(path.dirname(jump.at.file), file);

  function ownOf(jump: Jump): OwnSettings {
    const { user, port, keyFile, knownHostsFile, passphrase, acceptsNew } = jump;
    return {
      user,
      port,
      keyFile: keyFile === undefined ? undefined : beside(jump, keyFile),
      knownHostsFile: knownHostsFile === undefined ? undefined : beside(jump, knownHostsFile),
      acceptsNew,
      passphrase:
        passphrase && (() => resolveSecret(passphrase, `the passphrase of the key for "${jump.host}"`)),
    };
  }

  function forOpenssh(jump: SettledJump): OpensshJumpHost {
    const { passphrase: _passphrase, ...own } = ownOf(jump);
    return { host: jump.host, ...own, because: jump.because };
  }

  return {
    dialOver: (jump) => dialOver(jump),
    async runOn(jump, command) {
      if (jump.length === 0) return undefined;
      const way = await settle(jump, []).catch(() => undefined);
      if (!way) return undefined;
      const last = isByProgram(way) ? programOf(way) : jumpHostOf(way, []);
      const outcome = await last.run(command).catch(() => undefined);
      return outcome?.code === 0 ? outcome.stdout : undefined;
    },
    close: () => {
      for (const jumpHost of jumpHosts.values()) jumpHost.close();
    },
  };
}
