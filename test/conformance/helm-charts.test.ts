import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packChart } from "../../src/sim/charts/index.ts";
import { helmLab, type HelmLab } from "../support/addons/helm-lab.ts";
import { findHelm, howToGetKubectl } from "../support/kube/kubectl.ts";
import { tinyChart as tiny } from "../support/addons/tiny-chart.ts";
import { peers } from "../support/peers.ts";

const signal = new AbortController().signal;

describe.skipIf(findHelm() === undefined)(
  `charts, wherever helm takes them from; ${howToGetKubectl}`,
  peers,
  () => {
    let lab: HelmLab;
    beforeAll(async () => {
      lab = await helmLab("127.66.7.9", { charts: [tiny] });
    });
    afterAll(() => lab[Symbol.asyncDispose]());

    test("a chart from a repository, from a folder and unpacked is the same chart, and is fetched once", async () => {
      const repo = lab.site.mirrored({ repo: "https://charts.example", chart: "tiny" });
      const folder = path.join(lab.folder, "offline");
      const file = path.join(folder, "tiny-1.0.0.tgz");
      mkdirSync(folder);
      writeFileSync(file, packChart(tiny));
      const fromRepo = await lab.real.fetchChart({ source: repo, version: "1.0.0" }, signal);
      const calls = lab.commandLines.length;
      expect(await lab.real.fetchChart({ source: repo, version: "1.0.0" }, signal)).toEqual(fromRepo);
      expect(lab.commandLines.length).toBe(calls);
      const offline = await lab.real.fetchChart(
        { source: { folder, chart: "tiny" }, version: "v1.0.0" },
        signal,
      );
      expect(offline).toEqual({ path: file, digest: fromRepo.digest });
      await expect(
        lab.real.fetchChart({ source: { path: file }, digest: "sha256:0" }, signal),
      ).rejects.toMatchObject({ code: "HELM_CHART_DIGEST_WRONG" });
      await expect(
        lab.real.fetchChart({ source: { folder, chart: "tiny" }, version: "2.0.0" }, signal),
      ).rejects.toMatchObject({
        code: "HELM_CHART_NOT_FOUND",
        why: expect.stringContaining("tiny-1.0.0.tgz") as string,
      });
      await expect(
        lab.real.fetchChart(
          { source: { repo: "https://127.66.7.2:9/x", chart: "tiny" }, version: "1.0.0" },
          signal,
        ),
      ).rejects.toMatchObject({ code: "HELM_REPOSITORY_UNREACHABLE" });
    });
  },
);
