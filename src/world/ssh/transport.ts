import { needsOpenssh } from "../../clients/ssh/index.ts";
import type { Jump } from "../../spec/index.ts";
import type { OwnSettings, SshSettings } from "./settings.ts";

/** A host with the question answered who logs in there. */
export type SettledJump = Jump & { transport: "builtin" | "openssh"; because?: string | undefined };

export interface JumpHostTransportOptions {
  settings: SshSettings;
  ownOf(jump: Jump): OwnSettings;
  say(text: string): void;
}

export const isByProgram = (jump: readonly SettledJump[]): boolean =>
  jump.every(({ transport }) => transport === "openssh");

/**
 * Decides for each host of a way whether we log in ourselves or the user's own ssh program does. That one can be started
 * here only: where a host needs it, all before it are left to it as well.
 */
export function jumpHostTransport({ settings, ownOf, say }: JumpHostTransportOptions) {
  const said = new Set<string>();

  /** Empty where the file says so itself. */
  async function whyProgram(jumpHost: Jump, isNearest: boolean): Promise<string | undefined> {
    if (jumpHost.transport === "openssh") return "";
    const { proxyCommand } = await settings.about(jumpHost.host);
    if (proxyCommand !== undefined && isNearest) return "your ~/.ssh/config says ProxyCommand for it";
    return jumpHost.transport === "builtin"
      ? undefined
      : settings.onlyByProgram(jumpHost.host, ownOf(jumpHost));
  }

  function sayOnce(reason: string | undefined, host: string): void {
    if (reason === undefined || reason === "" || said.has(host)) return;
    said.add(host);
    say(`${host} is reached with your own ssh program: ${reason}`);
  }

  return async (jump: readonly Jump[]): Promise<SettledJump[]> => {
    const reasons = await Promise.all(jump.map((jumpHost, index) => whyProgram(jumpHost, index === 0)));
    const last = reasons.findLastIndex((reason) => reason !== undefined);
    return jump.map((jumpHost, index): SettledJump => {
      if (index > last) return { ...jumpHost, transport: "builtin" };
      const because = reasons.slice(index).find((reason) => reason !== undefined && reason !== "");
      if (jumpHost.transport === "builtin")
        throw needsOpenssh({
          host: jumpHost.host,
          because: because ?? "a host behind it is reached by openssh",
        });
      sayOnce(reasons[index], jumpHost.host);
      return { ...jumpHost, transport: "openssh", because };
    });
  };
}
