/** One message of a stream of server-sent events. */
export interface Message {
  event: string;
  id?: string | undefined;
  data: string;
}

/** Cuts a stream of server-sent events into messages, wherever its pieces were cut before. Comments only show that it lives. */
export class MessageReader {
  private rest = "";

  push(text: string): Message[] {
    const blocks = (this.rest + text).replaceAll("\r\n", "\n").split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap(readBlock);
  }
}

function readBlock(block: string): Message[] {
  let event = "message";
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 && event === "message" ? [] : [{ event, id, data: data.join("\n") }];
}
