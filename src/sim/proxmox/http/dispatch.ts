import type { IncomingHttpHeaders } from "node:http";
import type { FaultKind } from "../../faults.ts";
import { callerOf, demandAccess, demandAll, knownPath, type Caller } from "../access/caller.ts";
import { ApiError, badParameter, refusal } from "../api-error.ts";
import { authenticate, tokenIn } from "../access/authenticate.ts";
import { callContext, Listing, PlainText, type CallContext } from "../call.ts";
import { handlers } from "../calls.ts";
import type { Cluster } from "../cluster.ts";
import { faultInsteadOfCall, faultInTask } from "./faults.ts";
import type { Upload } from "./multipart.ts";
import { demandOnline, isOnline, isQuorate, refuseWithoutQuorum } from "../nodes/quorum.ts";
import { decodePath, findRoute, type Route } from "./router.ts";
import { verifyParams, type CheckedParams, type RawParams } from "../parameters/verify.ts";

/** A request as far as the transport understood it. */
export interface ApiRequest {
  method: string;
  /** Below `/api2/json`, undecoded. */
  path: string;
  headers: IncomingHttpHeaders;
  params: RawParams;
  entry: string;
  upload?: Upload | undefined;
}

/** An answer; without a body where the server puts its words into the reason phrase only. */
export interface ApiAnswer {
  status: number;
  reason: string;
  body?: Record<string, unknown>;
  /** A file instead of a body. */
  text?: string;
}

/** Every 401 is held back this long. */
const refusedDelayMs = 3000;

/** Who uploads needs no token against forgery, but is asked for the right before the file is read. */
const uploadPath = /^\/nodes\/[^/]+\/storage\/([^/]+)\/upload$/;

/** What keeps a request from being read: nobody knows who sends it, or they may not upload. Said late and without a body. */
export async function refuseCaller(
  cluster: Cluster,
  { method, path, headers, entry }: Omit<ApiRequest, "params" | "upload">,
): Promise<ApiAnswer | undefined> {
  const route = findRoute(method, path, cluster.version);
  if (!isOnline(cluster, entry) || route?.endpoint.access === "world") return undefined;
  const [, storage] = (method === "POST" && uploadPath.exec(decodePath(path))) || [];
  try {
    const caller = authenticate(cluster, headers, storage === undefined ? method : "GET");
    if (storage !== undefined) {
      demandAll(cluster, caller, knownPath(`/storage/${storage}`), ["Datastore.AllocateTemplate"]);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await cluster.clock.sleep(refusedDelayMs);
    return { status: error.status, reason: error.message };
  }
}

/** Answers a request, or says that the connection is cut or left hanging. */
export async function answerCall(cluster: Cluster, request: ApiRequest): Promise<ApiAnswer | "cut" | "hang"> {
  const route = findRoute(request.method, request.path, cluster.version);
  const name = route?.call ?? `${request.method} ${request.path}`;
  const fault = cluster.faults.next(`proxmox ${name}`);
  if (fault === "refuse" || !isOnline(cluster, request.entry)) return "cut";
  if (fault === "hang") return "hang";
  const answer = await decide(cluster, request, route, fault);
  return fault === "lost-reply" ? "cut" : answer;
}

async function decide(
  cluster: Cluster,
  request: ApiRequest,
  route: Route | undefined,
  fault: FaultKind | undefined,
): Promise<ApiAnswer> {
  try {
    await cluster.clock.sleep(cluster.latencies.apiCallMs);
    const data = await perform(cluster, request, route, fault);
    if (data instanceof PlainText) return { status: 200, reason: "OK", text: data.text };
    // The length of nothing is not told.
    const body =
      data instanceof Listing ? { data: data.rows, total: data.total || undefined } : { data: data ?? null };
    return { status: 200, reason: "OK", body };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) await cluster.clock.sleep(refusedDelayMs);
    const isSilent = error.status === 595 || (error.status === 401 && !error.message.endsWith("\n"));
    return {
      status: error.status,
      reason: error.message,
      ...(!isSilent && {
        body: { data: null, message: error.message, errors: error.errors },
      }),
    };
  }
}

/** Who calls, what, and may they: in the order of the real server. */
async function perform(
  cluster: Cluster,
  request: ApiRequest,
  route: Route | undefined,
  fault: FaultKind | undefined,
): Promise<unknown> {
  const isOpen = route?.endpoint.access === "world";
  const method = request.upload ? "GET" : request.method;
  const caller = isOpen ? nobody : authenticate(cluster, request.headers, method);
  if (request.method === "GET" && request.path === "/") return rootFolders.map((subdir) => ({ subdir }));
  if (!route) throw notImplemented(request);
  const { call, endpoint } = route;
  demandNoConflict(request.params, route.pathParams);
  if (endpoint.needsTicket && tokenIn(request.headers) !== undefined) throw ticketOnly(request);
  const isHere = route.pathParams["node"] === "localhost";
  const params = { ...request.params, ...route.pathParams, ...(isHere && { node: request.entry }) };
  await faultInsteadOfCall(cluster, fault, call, params);
  const access = (cluster.version === 8 ? endpoint.accessIn8 : undefined) ?? endpoint.access;
  if (typeof access === "object") demandAccess(cluster, caller, access, params);
  demandNode(cluster, route, params);
  if (endpoint.runsOn === "node" || (endpoint.runsOn === "node since 9" && cluster.version === 9))
    await demandOnline(cluster, String(params["node"]));
  const checked = verifyParams(endpoint, params, cluster.version);
  const handler = (handlers as Partial<Record<string, unknown>>)[call] as AnyHandler | undefined;
  if (!handler) throw notImplemented(request);
  const hasQuorum = fault !== "no-quorum" && isQuorate(cluster);
  if (!hasQuorum) await refuseWithoutQuorum(cluster, call, params);
  const context = callContext(cluster, caller, request.entry, {
    upload: request.upload,
    fault: faultInTask(fault),
    hasQuorum,
  });
  return handler(context, checked);
}

const ticketOnly = ({ path }: ApiRequest): ApiError =>
  new ApiError(
    403,
    `Permission check failed (URI '${decodePath(path)}' not available with API token, need proper ticket.\n)\n`,
  );

const notImplemented = ({ method, path }: ApiRequest): ApiError =>
  new ApiError(501, `Method '${method} ${decodePath(path)}' not implemented`);

const nobody: Caller = callerOf("");
const rootFolders = ["version", "cluster", "nodes", "storage", "access", "pools"];

/** Parameters come checked against the very table the handlers are typed by. */
type AnyHandler = (context: CallContext, params: CheckedParams) => unknown;

/** Who is asked looks for the node only to pass the call on: what it can read itself it answers for any name. */
function demandNode(cluster: Cluster, { call, endpoint, pathParams }: Route, params: RawParams): void {
  const isAnsweredHere = endpoint.runsOn === undefined && call.startsWith("GET ");
  if (pathParams["node"] === undefined || isAnsweredHere) return;
  const node = String(params["node"]);
  if (cluster.file.nodes[node]) return;
  throw refusal(
    `hostname lookup '${node}' failed - failed to get address info for: ${node}: Name or service not known`,
  );
}

function demandNoConflict(given: RawParams, fromPath: Record<string, string>): void {
  const clashes = Object.keys(fromPath).filter(
    (name) => given[name] !== undefined && given[name] !== fromPath[name],
  );
  if (clashes.length === 0) return;
  throw badParameter(
    Object.fromEntries(
      clashes.map((name) => [name, "duplicate parameter (already defined in URI) with conflicting values!"]),
    ),
  );
}
