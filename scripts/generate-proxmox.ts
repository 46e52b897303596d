/**
 * Writes the table of Proxmox calls from the schemas of a 9 and an 8: `npx tsx scripts/generate-proxmox.ts DIR` with
 * `proxmox-api.json.gz` and `proxmox-api-8.json.gz` in DIR, then `npm run docs` for the types.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { proxmoxEndpoints } from "./proxmox/endpoints-file.ts";

const dir = process.argv[2];
if (dir === undefined) throw new Error("say where the schemas are");
const file = fileURLToPath(new URL("../src/clients/proxmox/gen/endpoints.ts", import.meta.url));
writeFileSync(file, proxmoxEndpoints(dir));
