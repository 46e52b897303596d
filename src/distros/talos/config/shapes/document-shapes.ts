import type { MachineConfigDocument } from "../config-document.ts";
import { kubernetesShapes } from "./kubernetes-shapes.ts";
import { linkShapes } from "./link-shapes.ts";
import { mainShape } from "./main-shape.ts";
import { networkShapes, networkShapesBefore14 } from "./network-shapes.ts";
import { open, text, type StructShape } from "./shape.ts";
import { systemShapes } from "./system-shapes.ts";
import { volumeShapes } from "./volume-shapes.ts";

const byKind = new Map(
  [linkShapes, networkShapes, volumeShapes, kubernetesShapes, systemShapes].flatMap(Object.entries),
);

/** A kind that is newer than our list keeps its keys as they are. */
const unknownKind = open({ apiVersion: text, kind: text, name: text });

/** True for the large document, which has no kind. */
export const isMainDocument = (document: MachineConfigDocument): boolean =>
  document["kind"] === undefined &&
  ["machine", "cluster", "debug", "persist"].some((key) => Object.hasOwn(document, key));

/** As nodes of a Talos minor see the document; without one, as the newest do. */
export function shapeOf(document: MachineConfigDocument, minor?: number): StructShape {
  const kind = document["kind"];
  if (kind === undefined) return mainShape;
  const older = minor !== undefined && minor < 14 ? networkShapesBefore14[String(kind)] : undefined;
  return older ?? byKind.get(String(kind)) ?? unknownKind;
}
