import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { callerKey, type ApiCaller } from "./caller.ts";
import type { TalosNode } from "../node.ts";

/** The caller of a call that passed the guard. */
export function callerOf(context: HandlerContext): ApiCaller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new ConnectError("no caller", Code.Internal);
  return caller;
}

/** The node that shall answer: the dialled one, or the one named in the metadata field `node`. */
export function targetOf(context: HandlerContext): TalosNode {
  const { node: dialled } = callerOf(context);
  const name = context.requestHeader.get("node");
  if (context.requestHeader.get("nodes") !== null && dialled.config !== undefined) {
    throw new ConnectError("one-2-many proxying is not supported for this API", Code.InvalidArgument);
  }
  return name === null ? dialled : findNode(dialled, name);
}

type Answer = {
  metadata?: { hostname: string; error?: string; status?: { code: number; message: string } };
};

/** A call whose answer is one message, or one per node when the metadata field `nodes` lists several. */
export function unary<Request, Message extends object>(
  handle: (
    node: TalosNode,
    request: Request,
    caller: ApiCaller,
    signal: AbortSignal,
  ) => Message | Promise<Message>,
) {
  return async (request: Request, context: HandlerContext): Promise<{ messages: (Message & Answer)[] }> => {
    const caller = callerOf(context);
    const names = fanOut(context);
    if (names === undefined) {
      return { messages: [await handle(targetOf(context), request, caller, context.signal)] };
    }
    const messages = await Promise.all(
      names.map(async (hostname) => {
        try {
          const message = await handle(findNode(caller.node, hostname), request, caller, context.signal);
          return { ...message, metadata: { hostname } };
        } catch (error) {
          const { code, rawMessage } = ConnectError.from(error);
          const text = `rpc error: code = ${Code[code]} desc = ${rawMessage}`;
          // Talos answers such a call with success and tells each node's failure inside.
          return { metadata: { hostname, error: text, status: { code, message: rawMessage } } } as Message &
            Answer;
        }
      }),
    );
    return { messages };
  };
}

/** A call that takes a stream: whoever is named first receives it. */
export function receiving<Part, Message extends object>(
  handle: (node: TalosNode, parts: AsyncIterable<Part>) => Promise<Message>,
) {
  return async (parts: AsyncIterable<Part>, context: HandlerContext): Promise<{ messages: Message[] }> => {
    const name = fanOut(context)?.[0];
    const node = name === undefined ? targetOf(context) : findNode(callerOf(context).node, name);
    return { messages: [await handle(node, parts)] };
  };
}

/** The same for a call that answers with a stream. */
export function streaming<Request, Message extends object>(
  handle: (
    node: TalosNode,
    request: Request,
    signal: AbortSignal,
  ) => AsyncIterable<Message> | Iterable<Message>,
) {
  return async function* (request: Request, context: HandlerContext): AsyncGenerator<Message & Answer> {
    const names = fanOut(context);
    if (names === undefined) {
      const target = targetOf(context);
      yield* whileRunning(target, context, (signal) => handle(target, request, signal));
      return;
    }
    const { node: dialled } = callerOf(context);
    for (const hostname of names) {
      const target = findNode(dialled, hostname);
      const messages = whileRunning(target, context, (signal) => handle(target, request, signal));
      for await (const message of messages) yield { ...message, metadata: { hostname } };
    }
  };
}

/** A stream ends in an error when the node that feeds it goes down, also when another node passes it on. */
export async function* whileRunning<Message>(
  target: TalosNode,
  context: HandlerContext,
  open: (signal: AbortSignal) => AsyncIterable<Message> | Iterable<Message>,
): AsyncGenerator<Message> {
  const { running } = target;
  yield* open(AbortSignal.any([context.signal, running]));
  if (running.aborted) throw new ConnectError("error reading from server: EOF", Code.Unavailable);
}

/** Never answers; rejects when the caller has gone. */
export const untilCallerLeaves = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const gone = () => reject(new ConnectError("the caller has gone", Code.Canceled));
    if (signal.aborted) gone();
    else signal.addEventListener("abort", gone, { once: true });
  });

/** Nodes in maintenance mode do not look at the metadata. */
function fanOut(context: HandlerContext): string[] | undefined {
  if (callerOf(context).node.config === undefined) return undefined;
  const value = context.requestHeader.get("nodes");
  return value === null ? undefined : value.split(",").map((name) => name.trim());
}

function findNode(dialled: TalosNode, name: string): TalosNode {
  const isNamed = (node: TalosNode) => node.addresses().includes(name) || node.hostname() === name;
  if (dialled.config === undefined || isNamed(dialled)) return dialled;
  // A worker has no certificate of its own to show to other nodes.
  if (!dialled.isControlPlane) throw new ConnectError("no request forwarding", Code.PermissionDenied);
  const found = [...(dialled.cluster?.nodes ?? [])].find(isNamed);
  if (found !== undefined) return found;
  throw new ConnectError(
    `connection error: desc = "transport: Error while dialing: dial tcp ${name}:50000: connect: connection refused"`,
    Code.Unavailable,
  );
}
