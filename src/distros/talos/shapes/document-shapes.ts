import type { MachineConfigDocument } from "../config-document.ts";
import { kubernetesShapes } from "./kubernetes-shapes.ts";
import { linkShapes } from "./link-shapes.ts";
import { mainShape } from "./main-shape.ts";
import { networkShapes } from "./network-shapes.ts";
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

export const shapeOf = (document: MachineConfigDocument): StructShape =>
  document["kind"] === undefined ? mainShape : (byKind.get(String(document["kind"])) ?? unknownKind);

export const isNamedKind = (kind: string): boolean =>
  Object.hasOwn((byKind.get(kind) ?? unknownKind).fields, "name");
