import { isMaster } from "./authentication.ts";
import { fieldsOfBody, type ApiRequest, type Reply, type Route } from "./request.ts";

/** Questions about oneself: `kubectl auth whoami` and `kubectl auth can-i`. */
export function answerReview(route: Route, request: ApiRequest): Reply {
  const body = fieldsOfBody(request);
  const status =
    route.kind.kind === "SelfSubjectReview"
      ? { userInfo: { username: request.user.name, groups: request.user.groups } }
      : { allowed: isMaster(request.user) };
  return { code: 201, body: { ...body, metadata: { creationTimestamp: null }, status } };
}
