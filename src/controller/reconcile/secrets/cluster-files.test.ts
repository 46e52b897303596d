import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { KubeClient } from "../../../clients/kube/index.ts";
import type { SlipwayCluster } from "../../objects/index.ts";
import { clusterFiles } from "./cluster-files.ts";

test("no key of a Secret or a ConfigMap leads out of the folder of its cluster", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-cluster-files-"));
  const object = {
    metadata: { name: "lab" },
    spec: { hosts: "rack", cluster: {}, secrets: { documents: { configMap: "documents" } } },
  } as unknown as SlipwayCluster;
  const holding = (secret: object, documents: object) =>
    clusterFiles({
      ...{ object, namespace: "slipway-system", folder },
      client: {
        get: async ({ kind }: { kind: string }) =>
          kind === "Secret" ? { metadata: { resourceVersion: "1" }, data: secret } : { data: documents },
      } as unknown as KubeClient,
    });
  const unfit = { code: "FLEET_SECRET_KEY_UNFIT" };
  try {
    await expect(holding({ "..__stolen": "eA==" }, {}).layOut()).rejects.toMatchObject(unfit);
    await expect(holding({}, { "..__stolen.age": "x" }).layOut()).rejects.toMatchObject(unfit);
    expect(existsSync(path.join(folder, "stolen"))).toBe(false);
    await holding({ nodes__a: "eA==" }, {}).layOut();
    expect(existsSync(path.join(folder, "lab/nodes/a"))).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
