import { given } from "../../lib/index.ts";
import { secretRef, type WrittenJumpHost } from "../schema/host.ts";
import type { Jump } from "../model/jump.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import type { Path } from "../source/positions.ts";

/** Absent when the file names none. */
export function completeJump(
  written: WrittenJumpHost | WrittenJumpHost[] | undefined,
  document: LocatedDocument,
  path: Path,
): { jump?: Jump[] } {
  if (written === undefined) return {};
  if (!Array.isArray(written)) return { jump: [completeJumpHost(written, document, path)] };
  return { jump: written.map((each, index) => completeJumpHost(each, document, [...path, index])) };
}

function completeJumpHost(written: WrittenJumpHost, document: LocatedDocument, path: Path): Jump {
  const at = document.locate(path);
  if (!("to" in written)) return { ...written, at };
  const { to, keyFile, passphrase, knownHosts, hostKey, transport } = written;
  return {
    ...to,
    ...given({
      keyFile,
      passphrase: passphrase && secretRef(passphrase),
      knownHostsFile: knownHosts,
      acceptsNew: hostKey === "accept-new" ? (true as const) : undefined,
      transport,
    }),
    at,
  };
}
