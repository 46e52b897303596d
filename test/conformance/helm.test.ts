import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  decodeRelease,
  packRelease,
  recoverRelease,
  splitManifests,
  unpackRelease,
  type HelmClient,
  type ReleaseWant,
} from "../../src/clients/helm/index.ts";
import { standInCharts } from "../support/addons/stand-ins.ts";
import type { SimChart } from "../../src/sim/charts/index.ts";
import { helmLab, type HelmLab } from "../support/addons/helm-lab.ts";
import { findHelm, howToGetKubectl } from "../support/kube/kubectl.ts";
import { tinyChart as tiny } from "../support/addons/tiny-chart.ts";
import { peers } from "../support/peers.ts";

const signal = new AbortController().signal;
const secret = "hunter2-is-not-for-the-process-list";

const names = ["real", "standIn"] as const;
const others = { real: "standIn", standIn: "real" } as const;

describe.skipIf(findHelm() === undefined)(
  `helm and its stand-in on the simulated cluster; ${howToGetKubectl}`,
  peers,
  () => {
    let lab: HelmLab;
    beforeAll(async () => {
      lab = await helmLab("127.66.7.2", { charts: [tiny, ...standInCharts] });
      for (const name of ["longhorn-system", "cert-manager"])
        lab.store.create({
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name, labels: { "pod-security.kubernetes.io/enforce": "privileged" } },
        });
    });
    afterAll(() => lab[Symbol.asyncDispose]());

    const want = (which: "real" | "standIn", name: string, more: Partial<ReleaseWant> = {}): ReleaseWant => ({
      name,
      namespace: "default",
      chart: lab.chartFor(which, tiny),
      values: {},
      // Twenty of these seconds pass in half of one of ours; a busy machine needs more than that.
      timeoutMs: 120_000,
      ...more,
    });
    const settings = (name: string) =>
      lab.store.find({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: `${name}-settings` });
    const stored = (name: string, revision: number) =>
      decodeRelease(
        (
          lab.store.get({
            apiVersion: "v1",
            kind: "Secret",
            namespace: "default",
            name: `sh.helm.release.v1.${name}.v${revision}`,
          })["data"] as { release: string }
        ).release,
      );

    function setSchedulable(isWanted: boolean): void {
      const kind = { apiVersion: "v1", kind: "Node" };
      for (const { metadata } of lab.store.list(kind))
        lab.store.patch({ ...kind, name: metadata.name ?? "" }, "merge", {
          spec: { unschedulable: isWanted ? null : true },
        });
    }

    for (const one of names) {
      const other = others[one];

      test(`what ${one} installs, ${other} lists, upgrades and removes`, async () => {
        const name = `mixed-${one.toLowerCase()}`;
        const labels = { "slipway.dev/addon": name };
        const installed = await lab[one].upgradeInstall(
          want(one, name, { labels, values: { word: "on" } }),
          signal,
        );
        expect(installed).toMatchObject({ revision: 1, status: "deployed", chart: "tiny", version: "1.0.0" });
        expect(settings(name)).toMatchObject({ data: { word: "on" } });
        expect(settings(name)?.metadata.managedFields).toMatchObject([
          { manager: "helm", operation: "Apply" },
        ]);

        const found = await lab[other].list({ labels: `slipway.dev/addon=${name}` }, signal);
        expect(found).toMatchObject([
          { name, namespace: "default", revision: 1, status: "deployed", appVersion: "1.0" },
        ]);
        expect(found[0]?.updatedAt).toBeGreaterThan(Date.UTC(2026));

        const upgraded = await lab[other].upgradeInstall(
          want(other, name, { labels, values: { word: "stormy", extra: true } }),
          signal,
        );
        expect(upgraded).toMatchObject({ revision: 2, status: "deployed" });
        expect(settings(name)).toMatchObject({ data: { word: "stormy" } });
        const third = await lab[one].upgradeInstall(want(one, name, { labels }), signal);
        expect(third.revision).toBe(3);
        expect(settings(name)).toMatchObject({ data: { word: "calm" } });
        const extra = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: `${name}-extra` };
        expect(lab.store.find(extra)).toBeUndefined();

        const history = await lab[other].history({ name, namespace: "default" }, signal);
        expect(history.map(({ revision, status }) => `${revision} ${status}`)).toEqual([
          "1 superseded",
          "2 superseded",
          "3 deployed",
        ]);
        expect(stored(name, 2)).toMatchObject({
          values: { word: "stormy", extra: true },
          applyMethod: "ssa",
        });
        expect(splitManifests(stored(name, 3).manifest)).toHaveLength(2);

        expect(await lab[other].uninstall({ name, namespace: "default", timeoutMs: 120_000 }, signal)).toBe(
          true,
        );
        expect(settings(name)).toBeUndefined();
        expect(await lab[one].status({ name, namespace: "default" }, signal)).toBeUndefined();
        expect(await lab[one].uninstall({ name, namespace: "default", timeoutMs: 120_000 }, signal)).toBe(
          false,
        );
      });

      test(`${one} tells apart why it cannot install`, async () => {
        const helm: HelmClient = lab[one];
        const failure = (more: Partial<ReleaseWant>) =>
          helm
            .upgradeInstall(want(one, `wrong-${one.toLowerCase()}`, more), signal)
            .catch((error: unknown) => error);
        lab.store.apply(
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: `wrong-${one.toLowerCase()}-settings`, namespace: "default" },
            data: { word: "mine" },
          },
          { fieldManager: "kubectl" },
        );
        expect(await failure({})).toMatchObject({ code: "HELM_NOT_OURS" });
        expect(
          await failure({ values: { complaint: `not with ${secret}` }, secrets: [secret] }),
        ).toMatchObject({
          code: "HELM_RENDER_FAILED",
          why: expect.stringMatching(/settings\.yaml:\d+:\d+.*not with \(hidden\)/) as string,
        });
        const missing = { ...lab.chartFor(one, tiny), version: "9.9.9" };
        expect(await failure({ chart: missing })).toMatchObject({ code: "HELM_CHART_NOT_FOUND" });
        expect(await failure({ isTakingOver: true })).toMatchObject({ status: "deployed" });
        expect(settings(`wrong-${one.toLowerCase()}`)).toMatchObject({ data: { word: "calm" } });
      });

      test(`${one} marks a release that never gets ready as failed, and the next try mends it`, async () => {
        const name = `slow-${one.toLowerCase()}`;
        setSchedulable(false);
        const failed = await lab[one]
          .upgradeInstall(want(one, name, { timeoutMs: one === "real" ? 1000 : 20_000 }), signal)
          .catch((error: unknown) => error);
        expect(failed).toMatchObject({
          code: "HELM_NOT_READY",
          why: expect.stringContaining(name) as string,
        });
        expect(await lab[other].status({ name, namespace: "default" }, signal)).toMatchObject({
          status: "failed",
        });
        setSchedulable(true);
        expect(await lab[one].upgradeInstall(want(one, name), signal)).toMatchObject({
          status: "deployed",
          revision: 2,
        });
      });
    }

    for (const one of names) {
      test(`${one} takes fields from others only when it is told to`, async () => {
        const name = `shared-${one.toLowerCase()}`;
        await lab[one].upgradeInstall(want(one, name), signal);
        lab.store.apply(
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: `${name}-settings`, namespace: "default" },
            data: { word: "theirs" },
          },
          { fieldManager: "flux", isForced: true },
        );
        const changed = want(one, name, { values: { word: "ours" } });
        await expect(lab[one].upgradeInstall(changed, signal)).rejects.toMatchObject({
          code: "HELM_CONFLICT",
          why: expect.stringContaining('"flux"') as string,
        });
        expect(settings(name)).toMatchObject({ data: { word: "theirs" } });
        await lab[one].upgradeInstall({ ...changed, isForced: true }, signal);
        expect(settings(name)).toMatchObject({ data: { word: "ours" } });
      });

      test(`${one} that is stopped while it waits leaves no operation under way`, async () => {
        const name = `stopped-${one.toLowerCase()}`;
        setSchedulable(false);
        const stop = new AbortController();
        const running = lab[one].upgradeInstall(want(one, name, { timeoutMs: 600_000 }), stop.signal);
        const unheard = lab.store.onChange(({ object }) => {
          if (object.kind === "Deployment" && object.metadata.name === name)
            setTimeout(() => stop.abort(new Error("stopped by hand")), 300);
        });
        await expect(running).rejects.toThrow("stopped by hand");
        unheard();
        setSchedulable(true);
        expect(await lab[others[one]].status({ name, namespace: "default" }, signal)).toMatchObject({
          status: "failed",
        });
      });

      test(`${one} tells a cluster that does not answer`, async () => {
        const away = lab.elsewhere(one, lab.kubeconfig.replace(":6443", ":6444"));
        await expect(away.list({}, signal)).rejects.toMatchObject({
          code: "HELM_CLUSTER_UNREACHABLE",
          transient: true,
        });
        await expect(lab.elsewhere(one, undefined).list({}, signal)).rejects.toMatchObject({
          code: "HELM_NO_KUBECONFIG",
        });
      });
    }

    test("a release whose operation was killed is freed once it is old enough", async () => {
      const name = "killed";
      await lab.standIn.upgradeInstall(want("standIn", name), signal);
      const ref = { apiVersion: "v1", kind: "Secret", namespace: "default" };
      const first = lab.store.get({ ...ref, name: `sh.helm.release.v1.${name}.v1` });
      const record = unpackRelease((first["data"] as { release: string }).release);
      lab.store.create({
        ...ref,
        metadata: {
          name: `sh.helm.release.v1.${name}.v2`,
          namespace: "default",
          labels: { ...first.metadata.labels, version: "2", status: "pending-upgrade" },
        },
        type: "helm.sh/release.v1",
        data: {
          release: packRelease({
            ...record,
            version: 2,
            info: { ...record.info, status: "pending-upgrade" },
          }),
        },
      });
      for (const which of names)
        await expect(lab[which].upgradeInstall(want(which, name), signal)).rejects.toMatchObject({
          code: "HELM_RELEASE_PENDING",
        });
      const recovery = {
        ...{ name, namespace: "default", helm: lab.real, timeoutMs: 5000 },
        forget: (secretRef: { namespace: string; name: string }) => lab.kube.delete({ ...ref, ...secretRef }),
      };
      const updatedAt = (await lab.real.status({ name, namespace: "default" }, signal))?.updatedAt ?? 0;
      await expect(
        recoverRelease({ ...recovery, now: updatedAt + 1000, quietMs: 60_000 }, signal),
      ).rejects.toMatchObject({
        code: "HELM_RELEASE_PENDING",
        why: "it is pending-upgrade for 1 s: another operation may be under way",
      });
      expect(await recoverRelease({ ...recovery, now: updatedAt + 61_000, quietMs: 60_000 }, signal)).toBe(
        "forgotten",
      );
      expect(await recoverRelease({ ...recovery, now: updatedAt, quietMs: 0 }, signal)).toBe("nothing");
      expect(await lab.real.upgradeInstall(want("real", name), signal)).toMatchObject({
        revision: 2,
        status: "deployed",
      });
    });

    test("hooks run to their end, also when what they belong to is removed by the other", async () => {
      const [certManager, longhorn] = ["cert-manager", "longhorn"].map(
        (name) => standInCharts.find((chart) => chart.name === name) as SimChart,
      ) as [SimChart, SimChart];
      const seen: string[] = [];
      const stop = lab.store.onChange(({ type, object }) => {
        if (object.kind === "Job") seen.push(`${type} ${object.metadata.name}`);
      });
      await lab.real.upgradeInstall(
        want("real", "cert-manager", {
          namespace: "cert-manager",
          chart: lab.chartFor("real", certManager),
          values: { crds: { enabled: true } },
        }),
        signal,
      );
      await lab.standIn.upgradeInstall(
        want("standIn", "longhorn", {
          namespace: "longhorn-system",
          chart: lab.chartFor("standIn", longhorn),
        }),
        signal,
      );
      // Its makers ask for this word before everything is deleted.
      lab.store.patch(
        {
          apiVersion: "longhorn.io/v1beta2",
          kind: "Setting",
          namespace: "longhorn-system",
          name: "deleting-confirmation-flag",
        },
        "merge",
        { value: "true" },
      );
      await lab.real.uninstall(
        { name: "longhorn", namespace: "longhorn-system", timeoutMs: 120_000 },
        signal,
      );
      await lab.standIn.uninstall(
        { name: "cert-manager", namespace: "cert-manager", timeoutMs: 120_000 },
        signal,
      );
      stop();
      const jobs = (type: string) =>
        seen.filter((line) => line.startsWith(type)).map((line) => line.split(" ")[1]);
      expect(new Set(jobs("ADDED"))).toEqual(new Set(["cert-manager-startupapicheck", "longhorn-uninstall"]));
      expect(new Set(jobs("DELETED"))).toEqual(new Set(jobs("ADDED")));
      const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
      expect(lab.store.find({ ...crd, name: "issuers.cert-manager.io" })).toBeDefined();
      expect(lab.store.find({ ...crd, name: "volumes.longhorn.io" })).toBeUndefined();
    });

    test("nothing secret stands on a command line or stays in a file", async () => {
      await lab.real.upgradeInstall(want("real", "private", { values: { word: secret } }), signal);
      expect(settings("private")).toMatchObject({ data: { word: secret } });
      const lines = lab.commandLines.join("\n");
      expect(lines).toContain("--values -");
      expect(lines).not.toContain(secret);
      expect(lines).not.toContain("--set");
      const left = readdirSync(lab.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      const texts = left.map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"));
      expect(texts.filter((text) => text.includes(secret) || text.includes("client-key-data"))).toEqual([]);
      expect(readdirSync(path.join(lab.folder, "real")).filter((name) => name.startsWith("call-"))).toEqual(
        [],
      );
    });
  },
);
