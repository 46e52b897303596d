import { given } from "./given.ts";
import { secretRef, type WrittenHop } from "./host-schema.ts";
import type { Jump } from "./jump-model.ts";
import type { LocatedDocument } from "./located-document.ts";
import type { Path } from "./text-places.ts";

/** Absent when the file names none. */
export function completeJump(
  written: WrittenHop | WrittenHop[] | undefined,
  document: LocatedDocument,
  path: Path,
): { jump?: Jump[] } {
  if (written === undefined) return {};
  if (!Array.isArray(written)) return { jump: [completeHop(written, document, path)] };
  return { jump: written.map((each, index) => completeHop(each, document, [...path, index])) };
}

function completeHop(written: WrittenHop, document: LocatedDocument, path: Path): Jump {
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
