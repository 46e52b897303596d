import type { WrittenCluster } from "../schema/cluster.ts";
import { imageSource } from "./talos.ts";
import { given } from "../../lib/index.ts";
import type { GuestFile, GuestSystem, LoginKey } from "../model/linux.ts";
import { publicKeyPattern, type WrittenLinux } from "../schema/linux.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import type { Path } from "../source/positions.ts";

/** The system of machines that start from a cloud image; `path` leads to where it is written. */
export function completeGuests(
  written: WrittenLinux,
  image: WrittenCluster["image"],
  document: LocatedDocument,
  path: Path,
): GuestSystem {
  const { architecture, user, packages, commands, timezone, firstContact } = written;
  return {
    architecture,
    ...given({ image: image && imageSource(image) }),
    user,
    keys: [...new Set(written.keys)].map((key): LoginKey =>
      publicKeyPattern.test(key)
        ? { text: key }
        : { file: key, at: document.locate([...path, "keys", written.keys.indexOf(key)]) },
    ),
    packages: [...new Set(packages)],
    files: written.files.map(({ path: place, mode, content, file }, index): GuestFile => ({
      path: place,
      ...given({ mode }),
      ...(file === undefined
        ? { content: content ?? "" }
        : { file, at: document.locate([...path, "files", index, "file"]) }),
    })),
    commands,
    ...given({ timezone }),
    firstContact,
  };
}
