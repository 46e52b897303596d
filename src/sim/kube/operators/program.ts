import type { Reply } from "../api/request.ts";
import type { ClusterProgram } from "../controllers/controller.ts";
import type { KubeObject } from "../store/object.ts";
import type { KubeStore } from "../store/store.ts";

/** The page of what stands behind a service: that of its program, else the name of the pod that answers. */
export function answerService(
  programs: readonly ClusterProgram[],
  { store, service, pod, path }: { store: KubeStore; service: KubeObject; pod: string; path: string },
): Reply {
  for (const program of programs) {
    const answer = program.answerService?.(store, service, path);
    if (answer) return answer;
  }
  return { code: 200, body: pod, contentType: "text/plain" };
}
