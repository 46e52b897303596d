/** The user's own: a chart, or manifests. What they make is watched by helm's own rules; there is no more to know. */
import type { AddonDraft, Problem } from "../../spec/index.ts";
import { defineAddon } from "../common/index.ts";
import {
  completeChart,
  completeManifest,
  ownChartSchema,
  ownManifestSchema,
  type WrittenChart,
} from "./options.ts";

export const ownChart = defineAddon({
  name: "chart",
  ownName: ({ name }) => name,
  versions: [],
  schema: ownChartSchema,
  complete: completeChart,
  facts: ({ after }) => ({ comesAfter: after }),
  check: withoutVersion,
  install: async () => (await import("./install.ts")).chartInstallation,
});

export const ownManifest = defineAddon({
  name: "manifest",
  ownName: ({ name }) => name,
  versions: [],
  schema: ownManifestSchema,
  complete: completeManifest,
  facts: ({ after }) => ({ comesAfter: after }),
  install: async () => (await import("./install.ts")).manifestInstallation,
});

function withoutVersion({ written, place }: AddonDraft<WrittenChart>): Problem[] {
  if (written.version !== undefined || written.chart.path !== undefined) return [];
  return [
    {
      code: "SPEC_MISSING_FIELD",
      what: `Chart "${written.name}" has no version: every run could bring another one`,
      next: "Add version: with all three numbers",
      position: place("chart"),
    },
  ];
}
