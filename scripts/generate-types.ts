/** Writes the types that are made from tables: run it with "npm run docs" after changing the schema or the endpoints. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fleetFileType } from "./fleet-file-type.ts";
import { proxmoxCallsType, proxmoxParamsType } from "./proxmox-params-type.ts";

const src = fileURLToPath(new URL("../src/", import.meta.url));

writeFileSync(`${src}spec/gen/fleet-file.ts`, fleetFileType());
writeFileSync(`${src}clients/proxmox/gen/params.ts`, proxmoxParamsType());
writeFileSync(`${src}clients/proxmox/gen/call-params.ts`, proxmoxCallsType());
