import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ageKeyMissing } from "../errors.ts";
import type { SlipwayCluster, SlipwayHosts } from "../objects/index.ts";
import { clusterIn, loadGroup, type GroupOptions } from "./fleet-of.ts";

const recipient = "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg";
const other = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const hosts = {
  metadata: { name: "rack" },
  spec: {
    hosts: {
      hydra: {
        proxmox: {
          url: "https://10.0.0.5:8006",
          token: { id: "slipway@pve!main", secret: { secret: { name: "pve", key: "token" } } },
        },
      },
    },
  },
} as unknown as SlipwayHosts;
const cluster = (number: number, more: Record<string, unknown>, hasDocuments = true) =>
  ({
    metadata: { name: `c${number}` },
    spec: {
      hosts: "rack",
      cluster: {
        network: { cidr: `10.${number}.0.0/24` },
        controlPlanes: { count: 1, address: `10.${number}.0.10` },
        ...more,
      },
      ...(hasDocuments && { secrets: { documents: { configMap: "git" } } }),
    },
  }) as unknown as SlipwayCluster;

async function load(clusters: SlipwayCluster[], documentKeys: GroupOptions["documentKeys"]) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-fleet-of-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const readSecret = async () => ({ token: "5117a400-0000-4000-8000-000000000001" });
  return loadGroup({ hosts, clusters, documentKeys, folder, readSecret });
}

test("what is written for a cluster with documents is closed to the controller's key, unless it says to whom", async () => {
  const own = { encryption: "sops", recipients: [other] };
  const clusters = [cluster(1, {}), cluster(2, { secrets: own }), cluster(3, {}, false)];
  const { fleet, problems } = await load(clusters, { value: { recipient } });
  expect([...problems.values()]).toEqual([]);
  expect(fleet.clusters.map(({ secrets }) => secrets)).toEqual([
    { encryption: "age", recipients: [recipient] },
    own,
    undefined,
  ]);
});

test("a key that cannot be told troubles clusters with documents, and no others", async () => {
  const clusters = [cluster(1, {}), cluster(2, {}, false)];
  const error = ageKeyMissing({ hosts: "rack", why: "there is no age key" });
  const group = await load(clusters, { error });
  expect(clusterIn(group, clusters[0] as SlipwayCluster)).toBe(error);
  expect(clusterIn(group, clusters[1] as SlipwayCluster)).toMatchObject({ name: "c2" });
});
