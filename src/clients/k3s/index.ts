/** The supervisor of K3s: the part of a server that others join through, on the port of the API. */
export { connectSupervisor } from "./supervisor.ts";
export type {
  EtcdMember,
  SecretsEncryption,
  ServedAuthority,
  Supervisor,
  SupervisorOptions,
} from "./supervisor.ts";
