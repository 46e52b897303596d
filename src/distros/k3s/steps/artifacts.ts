import { defineResource, same, type FieldChange, type StepContext } from "../../../plan/index.ts";
import {
  demandGoodHost,
  installPackages,
  isStarting,
  missingPackages,
  type Guest,
  type HostSession,
} from "../../linux-hosts/index.ts";
import { findArtifacts, type LocalArtifact, type WantedArtifacts } from "../release/find-artifacts.ts";
import { k3sPaths, stagedBinary } from "../paths.ts";
import { unitName, type K3sRole } from "../files/unit-file.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { installedVersion } from "./node/host-state.ts";

export interface ArtifactsWant extends Guest, WantedArtifacts {
  role: K3sRole;
  /** Of the distribution's own, beside what its image has. */
  packages: string[];
}

interface ArtifactsHave {
  /** What runs, or would; undefined before there is anything. */
  version: string | undefined;
  hasBinary: boolean;
  hasImages: boolean;
  packages: string[];
}

/** Which version the images beside it belong to. */
const imagesMark = `${k3sPaths.configFolder}/.slipway-images`;
const uploadsAtOnce = 4;

/** What has to lie on a machine before K3s can start there. Nothing of it is started or put into place yet. */
export const k3sArtifacts = (access: K3sAccess) =>
  defineResource<ArtifactsWant, ArtifactsHave>({
    kind: "k3s/artifacts",

    async read(ctx, want) {
      try {
        const have = await access.using(want, (host) => look(host, want, ctx.signal));
        return have.version === undefined && !have.hasBinary ? undefined : have;
      } catch (thrown) {
        if (isStarting(thrown)) return undefined;
        throw thrown;
      }
    },

    compare(want, have) {
      const fields: FieldChange[] = [
        ...(have.hasBinary
          ? []
          : [{ field: "K3s on the machine", from: have.version ?? "none", to: want.version }]),
        ...(have.hasImages ? [] : [{ field: "images", from: "missing", to: `of ${want.version}` }]),
        ...(have.packages.length === 0
          ? []
          : [{ field: "packages", from: "missing", to: have.packages.join(", ") }]),
      ];
      return fields.length === 0 ? same : { same: false, action: "update", consequence: "hot", fields };
    },

    create: (ctx, want) => access.using(want, (host) => prepare(access, ctx, host, want)),
    update: (ctx, want) => access.using(want, (host) => prepare(access, ctx, host, want)),

    // They go with the disk they are on.
    remove: async () => {},

    out: ({ version }) => ({ ...(version !== undefined && { version }) }),
  });

async function look(host: HostSession, want: ArtifactsWant, signal: AbortSignal): Promise<ArtifactsHave> {
  const [version, isStaged, imagesOf, packages] = await Promise.all([
    installedVersion(host, signal),
    host.exists(stagedBinary(want.version), signal),
    want.hasImages ? host.read(imagesMark, signal) : want.version,
    missingPackages(host, want.packages, signal),
  ]);
  return {
    version,
    hasBinary: version === want.version || isStaged,
    hasImages: imagesOf?.trim() === want.version,
    packages,
  };
}

const ports: Record<K3sRole, number[]> = { server: [2379, 2380, 6443, 6444, 10250], agent: [6444, 10250] };

const loadOf = ({ architecture, role }: ArtifactsWant) => ({
  software: "K3s",
  architecture,
  ports: ports[role],
});

async function prepare(
  access: K3sAccess,
  ctx: StepContext,
  host: HostSession,
  want: ArtifactsWant,
): Promise<ArtifactsHave> {
  const { signal } = ctx;
  const unit = await host.unit(unitName(want.role), signal);
  if (unit.active !== "active") await demandGoodHost(ctx, host, want, loadOf(want));
  const have = await look(host, want, signal);
  if (have.packages.length > 0) await installPackages(ctx, host, want, have.packages);
  if (!have.hasBinary || !have.hasImages) {
    const { binary, images } = await findArtifacts(want, access.world);
    if (!have.hasBinary) await bring(ctx, host, want, binary, stagedBinary(want.version), "0755");
    if (!have.hasImages && images) {
      await bring(ctx, host, want, images, `${k3sPaths.imagesFolder}/${images.name}`, "0644");
      // With this file only archives that have changed are read at a start, not all of them.
      if (!(await host.exists(`${k3sPaths.imagesFolder}/.cache.json`, signal)))
        await host.write(`${k3sPaths.imagesFolder}/.cache.json`, "", "0644", signal);
      await host.run(["mkdir", "-p", "-m", "0700", k3sPaths.configFolder], { signal });
      await host.write(imagesMark, `${want.version}\n`, "0600", signal);
    }
  }
  return { version: want.version, hasBinary: true, hasImages: true, packages: [] };
}

/** Many nodes at once would only slow each other down. */
const bring = (
  ctx: StepContext,
  host: HostSession,
  want: ArtifactsWant,
  { file, bytes, sha256 }: LocalArtifact,
  to: string,
  mode: string,
): Promise<void> =>
  ctx.holding(`${want.cluster}/uploads`, uploadsAtOnce, () =>
    host.upload({ file, bytes, sha256, to, mode }, (sent) => ctx.progress(sent, bytes, "bytes"), ctx.signal),
  );
