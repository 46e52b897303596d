/** Machines and images on Proxmox VE: how they are found, compared, made and removed, and what must be true before. */
import type { Provider } from "../../plan/index.ts";
import { talosImage } from "../../images/index.ts";
import { describeLeftovers, describeMachines, machineStep } from "./describe.ts";
import { describeHa, describeLeavingHa } from "./describe-ha.ts";
import { proxmoxHa } from "./ha.ts";
import { hostBook, type Connect } from "./host-book.ts";
import { proxmoxImage } from "./image.ts";
import { factorySchematic, type OpenFactory } from "./image-schematic.ts";
import { proxmoxMachine } from "./machine.ts";
import { apartCheck, imageChecks, preflightChecks } from "./preflight/index.ts";
import { surveyHosts } from "./survey.ts";
import { surveyMemory } from "./survey-memory.ts";

export interface ProxmoxProviderOptions {
  /** Opens the server of a host. Called often, so it should keep what it has opened. */
  connect: Connect;
  /** Version of Slipway, written into the mark of every machine. */
  slipway?: string;
  /** Opens an image factory. Left out: nothing is registered there, and nobody asks it. */
  openFactory?: OpenFactory;
}

export function proxmoxProvider(options: ProxmoxProviderOptions): Provider {
  const book = hostBook(options.connect);
  const memory = surveyMemory();
  const { openFactory } = options;
  return {
    resources: [
      proxmoxImage(book),
      proxmoxMachine({ book, memory, slipway: options.slipway ?? "" }),
      proxmoxHa(book),
      ...(openFactory ? [factorySchematic(book, openFactory)] : []),
    ],

    survey(ctx, hosts) {
      book.add(hosts);
      return surveyHosts(ctx, book, memory, hosts);
    },

    describe(cluster, placed, { survey }) {
      book.add(placed.map(({ host }) => host));
      return [
        ...describeMachines(cluster, placed, { canRegister: openFactory !== undefined, survey }),
        ...describeHa(cluster, placed, survey),
      ];
    },

    describeLeftovers(survey, isUnwanted, keepImages) {
      const leaving = describeLeavingHa(survey, book.all(), isUnwanted);
      // While Proxmox keeps a machine running, it starts again what was stopped to be removed.
      const before = leaving.map((node) => node.id);
      const rest = describeLeftovers(survey, isUnwanted, keepImages);
      return [...leaving, ...rest.map((node) => ({ ...node, after: [...node.after, ...before] }))];
    },
    imagesOf: (clusters) => [
      ...new Set(clusters.map((cluster) => talosImage(cluster.distribution).fileName)),
    ],

    preflight(cluster, placed, survey) {
      book.add(placed.map(({ host }) => host));
      return [
        ...preflightChecks(book, cluster, placed, survey),
        ...apartCheck(placed),
        ...imageChecks({ cluster, placed, survey, ...(openFactory && { openFactory }) }),
      ];
    },

    machineStep,
  };
}
