import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startSshd, type TestSshd } from "./sshd.ts";

/** A real sshd that stands for a guest: what is asked of the system is answered by programs of the test. */
export interface SshdGuest {
  sshd: TestSshd;
  /** `.slipway`, with the keys of `cluster` and its machine `node` where they belong. */
  folder: string;
  /** Replaces a program of the guest; a shell script without its first line. */
  program(name: string, script: string): void;
  stop(): void;
}

export async function startSshdGuest(
  cluster: string,
  node: string,
  { lines = [], ...place }: { host?: string; port?: number; lines?: string[] } = {},
): Promise<SshdGuest> {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-guest-"));
  const programs = path.join(folder, "programs");
  mkdirSync(programs);
  const sshd = await startSshd({ ...place, lines: [`SetEnv PATH=${programs}:/usr/bin:/bin`, ...lines] });
  const keys = path.join(folder, ".slipway", cluster, "ssh");
  mkdirSync(keys, { recursive: true });
  cpSync(sshd.keyFile, path.join(keys, "id_ed25519"));
  cpSync(path.join(sshd.folder, "host_ed25519"), path.join(keys, `host-${node}`));
  return {
    sshd,
    folder: path.join(folder, ".slipway"),
    program(name, script) {
      const file = path.join(programs, name);
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
    },
    stop() {
      sshd.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
