/**
 * Writes the tables of Proxmox calls from the schemas of a 9 and an 8: `npx tsx scripts/generate-proxmox.ts DIR` with
 * `proxmox-api.json.gz` and `proxmox-api-8.json.gz` in DIR, then `npm run docs` for the types.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { furtherEndpoints, proxmoxEndpoints } from "./proxmox/endpoints-file.ts";

const dir = process.argv[2];
if (dir === undefined) throw new Error("say where the schemas are");
const file = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url));
writeFileSync(file("clients/proxmox/gen/endpoints.ts"), proxmoxEndpoints(dir));
writeFileSync(file("sim/proxmox/gen/further-endpoints.ts"), furtherEndpoints(dir));
