import type { WrittenCluster } from "./cluster-schema.ts";
import { imageSource } from "./complete-talos.ts";
import { given } from "./given.ts";
import type { GuestFile, LinuxDistribution, LoginKey } from "./linux-model.ts";
import { publicKeyPattern, type WrittenLinux } from "./linux-schema.ts";
import type { LocatedDocument } from "./located-document.ts";
import type { Path } from "./text-places.ts";

export function completeLinux(
  written: WrittenLinux,
  image: WrittenCluster["image"],
  document: LocatedDocument,
  path: Path,
): LinuxDistribution {
  const { architecture, user, packages, commands, timezone } = written;
  return {
    kind: "linux",
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
