import { decryptAge, isAgeFile } from "./age-file.ts";
import type { AgeKeys } from "./file-key.ts";
import { fileLocked, fileNotEncrypted, fileTampered } from "../errors.ts";

/** The content of an age file, or an error that names the file and never what is in it. */
export async function openAge(bytes: Buffer, file: string, keys: AgeKeys): Promise<Buffer> {
  if (!isAgeFile(bytes)) throw fileNotEncrypted({ file, how: "age" });
  const content = await decryptAge(bytes, keys).catch(() => {
    throw fileTampered({ file, why: "its content does not match its checksum (MAC)" });
  });
  if (!content) throw fileLocked({ file, readers: [], places: keys.places });
  return content;
}
