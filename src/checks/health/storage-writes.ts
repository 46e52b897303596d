import type { KubeStorageClass } from "../../clients/kube/index.ts";
import { errorData } from "../../errors/index.ts";
import type { Check, Finding } from "../../plan/index.ts";
import { claimNotWritten } from "./errors.ts";
import { needsWrites, type HealthFacts } from "./health-facts.ts";
import type { ClaimWish, Probes } from "./probes.ts";

const defaultKey = "storageclass.kubernetes.io/is-default-class";

/** A claim of the default class, and of every class that an add-on made, is bound and written to. */
export const storageWrites = (facts: HealthFacts, wishes: ClaimWish[], probes: Probes): Check => ({
  id: "storage-writes",
  title: "Storage takes data",
  failing: "Storage takes no data",
  needs: needsWrites,
  async run(ctx): Promise<Finding> {
    const kube = await facts.kube();
    const query = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
    const { items } = await kube.list<KubeStorageClass>(query, ctx.signal);
    const usual = items.find(({ metadata }) => metadata.annotations?.[defaultKey] === "true")?.metadata.name;
    const claims = withDefault(wishes, usual);
    const needed = "a volume of every class, written by a pod";
    if (claims.length === 0)
      return { status: "skipped", needed, found: "no default class, and no add-on that makes one" };
    const tried = await Promise.all(
      claims.map(async (wish) => ({ ...wish, why: await probes.claim(wish, ctx) })),
    );
    const bad = tried.filter(({ why }) => why !== undefined);
    const count = `${tried.length - bad.length} of ${tried.length}`;
    const [first] = bad;
    if (!first) {
      const names = tried.map(({ storageClass }) =>
        storageClass === usual ? `${storageClass} (default)` : storageClass,
      );
      return { status: "ok", needed, found: `${count} written: ${names.join(", ")}` };
    }
    const why = bad.map((each) => each.why ?? "").join("; ");
    const error = errorData(
      claimNotWritten({ cluster: facts.cluster.name, storageClass: first.storageClass, why }),
    );
    return { status: "failed", needed, found: `${count} written: ${why}`, error };
  },
});

const withDefault = (wishes: ClaimWish[], usual: string | undefined): ClaimWish[] =>
  usual === undefined || wishes.some(({ storageClass }) => storageClass === usual)
    ? wishes
    : [{ storageClass: usual, access: "ReadWriteOnce" }, ...wishes];
