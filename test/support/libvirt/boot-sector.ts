/** What a machine without any system says on its serial port. */
export const greeting = "hello from the boot sector";

/**
 * The smallest disk that can be talked to: a boot sector which says its greeting on the first serial port and then says
 * every key back. Between keys it sleeps, so that it costs next to nothing.
 */
export function bootSectorDisk(): Buffer {
  const code = Buffer.from(
    [
      "31c08ed8fc", // xor ax, ax; mov ds, ax; cld
      "baf803be267c", // mov dx, 0x3f8; mov si, text
      "ac84c07403eeebf8", // next: lodsb; test al, al; jz keys; out dx, al; jmp next
      "fbf4bafd03eca80174f6", // keys: sti; hlt; mov dx, 0x3fd; in al, dx; test al, 1; jz keys
      "baf803eceeebef", // mov dx, 0x3f8; in al, dx; out dx, al; jmp keys
    ].join(""),
    "hex",
  );
  const textAt = 0x26;
  const disk = Buffer.alloc(2 ** 20);
  code.copy(disk);
  disk.write(`\r\n${greeting}\r\n\0`, textAt, "latin1");
  disk.writeUInt16LE(0xaa55, 510);
  if (code.length > textAt) throw new Error(`the code takes ${code.length} bytes`);
  return disk;
}
