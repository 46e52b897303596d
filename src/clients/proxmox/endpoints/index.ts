/**
 * The Proxmox VE calls Slipway knows, as data: paths, parameters, and who may call them. The client takes its types from
 * here, the simulated server its checks. The table is made from the schema of real servers: a call is added to
 * `scripts/proxmox/calls.json`, and `scripts/generate-proxmox.ts` does the rest.
 */
import { endpoints } from "../gen/endpoints.ts";
import type { CallParams } from "../gen/call-params.ts";
import type { ParamTable } from "./schema.ts";

/** A call as method and path template: `POST /nodes/{node}/qemu`. */
export type Call = keyof typeof endpoints;

/** The parameters of a call: those of its path, its query and its body together. */
export type Params<C extends Call> = { [Name in keyof CallParams[C]]: CallParams[C][Name] };

/** Every key of a VM's configuration. */
export const configParams: ParamTable = without(endpoints["PUT /nodes/{node}/qemu/{vmid}/config"].params, [
  "node",
  "vmid",
  "delete",
  "revert",
  "force",
  "digest",
  "skiplock",
]);

/** Options of the whole datacenter. */
export const datacenterParams: ParamTable = without(endpoints["PUT /cluster/options"].params, ["delete"]);

function without(table: ParamTable, names: string[]): ParamTable {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !names.includes(name)));
}

export { endpoints };
export type {
  Check,
  Endpoint,
  EndpointTable,
  Param,
  ParamTable,
  Property,
  PropertyAlias,
  PropertyTable,
} from "./schema.ts";
