/** A string of the SSH protocol: its length, then its bytes. */
export function sshString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The string that begins here, and where the next one does. Cut-off bytes give what there is. */
export function readSshString(bytes: Buffer, at = 0): { content: Buffer; end: number } {
  const begin = at + 4;
  const end = bytes.length < begin ? bytes.length : begin + bytes.readUInt32BE(at);
  return { content: bytes.subarray(begin, end), end };
}
