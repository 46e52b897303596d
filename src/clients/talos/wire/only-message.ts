import { Code, ConnectError } from "@connectrpc/connect";

interface Answered {
  metadata?: { error: string; status?: { code: number; message: string } | undefined } | undefined;
}

/**
 * The one message of an answer. An answer that came through another node succeeds as a call even when the node behind
 * it failed: the failure stands inside.
 */
export function onlyMessage<M extends Answered>(answer: { messages: M[] }): M | undefined {
  const [message] = answer.messages;
  const { error, status } = message?.metadata ?? { error: "" };
  if (error !== "") throw new ConnectError(status?.message || error, status?.code ?? Code.Unknown);
  return message;
}
