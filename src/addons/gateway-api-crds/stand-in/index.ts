import type { StandIn } from "../../common/stand-in/index.ts";
import { standInManifest } from "./manifests.ts";

export const standIn: StandIn = { manifest: standInManifest };
