import type { KubeObject } from "../object.ts";
import type { Reply } from "../request.ts";
import type { KubeStore } from "../store.ts";
import { answerRancher } from "./rancher-api.ts";
import { rancherNamespace } from "./rancher-version.ts";

/** The page at `path` of what stands behind a service: Rancher's own, else the name of the pod that answers. */
export const answerService = (store: KubeStore, service: KubeObject, pod: string, path: string): Reply =>
  service.metadata.namespace === rancherNamespace && service.metadata.name === "rancher"
    ? answerRancher(store, path)
    : { code: 200, body: pod, contentType: "text/plain" };
