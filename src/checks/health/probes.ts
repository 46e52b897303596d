import {
  closeProbeNamespace,
  openProbeNamespace,
  probeImage,
  removeExpiredNamespaces,
  whyNotWritten,
  type ClaimAccess,
  type KubeClient,
} from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Clock, Random } from "../../lib/index.ts";
import type { ReadContext } from "../../plan/index.ts";
import type { HealthFacts } from "./health-facts.ts";
import { tryNetwork, type NetworkReport } from "./try-network.ts";

export interface ProbeOptions {
  /** A busybox; a small one of Kubernetes' own if not given. */
  image?: string | undefined;
  /** How long pods may take to come up; a claim gets twice as long. */
  waitMs: number;
  /** Tells the time others agree on. */
  wall: Pick<Clock, "now">;
  random: Random;
}

/** What is tried with pods of ours, in one namespace that goes when this is closed. */
export interface Probes {
  image: string;
  /** Tried once, for all checks that ask. */
  network(ctx: ReadContext): Promise<NetworkReport>;
  /** Undefined when a pod wrote to a volume of the class, else why not. */
  claim(wish: ClaimWish, ctx: ReadContext): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface ClaimWish {
  storageClass: string;
  access: ClaimAccess;
}

const ours = { "app.kubernetes.io/managed-by": "slipway", "slipway.dev/verify": "probe" };
/** Longer than any run takes. */
const lifeSeconds = 900;

export function openProbes(facts: HealthFacts, options: ProbeOptions): Probes {
  const namespace = `slipway-verify-${options.random.bytes(3).toString("hex")}`;
  let opened: Promise<Clock> | undefined;
  let tried: Promise<NetworkReport> | undefined;
  let log: ReadContext["log"] | undefined;
  const open = async (kube: KubeClient, { signal, clock, ...ctx }: ReadContext): Promise<Clock> => {
    log = ctx.log;
    const nowMs = options.wall.now();
    for (const left of await removeExpiredNamespaces(kube, ours, nowMs, { clock, signal }))
      ctx.log("info", `removed what an earlier run left: namespace ${left}`);
    const untilMs = nowMs + lifeSeconds * 1000;
    await openProbeNamespace(kube, { name: namespace, labels: ours, untilMs }, { clock, signal });
    return clock;
  };
  const ready = async (ctx: ReadContext): Promise<KubeClient> => {
    const kube = await facts.kube();
    await (opened ??= open(kube, ctx));
    return kube;
  };
  const { image = probeImage, waitMs } = options;
  return {
    image,
    network: (ctx) =>
      (tried ??= ready(ctx).then((kube) =>
        tryNetwork(kube, facts, { namespace, labels: ours, image, lifeSeconds, waitMs }, ctx),
      )),
    async claim({ storageClass, access }, ctx) {
      const kube = await ready(ctx);
      const { signal, clock } = ctx;
      const probe = { namespace, labels: ours, image, storageClass, access };
      return whyNotWritten(
        kube,
        { ...probe, name: `claim-${storageClass}` },
        { tryMs: waitMs * 2, clock, signal },
      );
    },
    async close() {
      if (!opened) return;
      try {
        await closeProbeNamespace(await facts.kube(), await opened, namespace);
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        const fate = "its pods end by themselves, a later run removes it";
        log?.("warn", `namespace ${namespace} could not be removed: ${thrown.why}; ${fate}`);
      }
    },
  };
}
