import type { WrittenCluster } from "./cluster-schema.ts";
import { imageSource } from "./complete-talos.ts";
import { given } from "./given.ts";
import type { GuestFile, GuestSystem, LoginKey } from "./linux-model.ts";
import { publicKeyPattern, type WrittenLinux } from "./linux-schema.ts";
import type { LocatedDocument } from "./located-document.ts";
import type { Path } from "./text-places.ts";

/** The system of machines that start from a cloud image; `path` leads to where it is written. */
export function completeGuests(
  written: WrittenLinux,
  image: WrittenCluster["image"],
  document: LocatedDocument,
  path: Path,
): GuestSystem {
  const { architecture, user, packages, commands, timezone } = written;
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
  };
}
