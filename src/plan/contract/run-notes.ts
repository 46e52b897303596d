import type { Host } from "../../spec/index.ts";
import type { ReadContext } from "../resource.ts";

/** Who works on a cluster, as it stands on a hypervisor. */
export interface RunNote {
  text: string;
  /** Of this very writing: another one has another version. */
  version: string;
}

/** Notes on a hypervisor, at most one for each cluster, seen by everybody who can reach it. */
export interface RunNotes<H extends Host = Host> {
  read(ctx: ReadContext, host: H, cluster: string): Promise<RunNote | undefined>;
  /** Of several at the same time one succeeds. False: there is one already. */
  create(ctx: ReadContext, host: H, cluster: string, text: string): Promise<boolean>;
  /** Writes one's own anew. False: it is no longer the one that was read. */
  renew(ctx: ReadContext, host: H, cluster: string, text: string, version: string): Promise<boolean>;
  /** In place of one that somebody else left; of several at the same time one succeeds. False: as above. */
  takeOver(ctx: ReadContext, host: H, cluster: string, text: string, version: string): Promise<boolean>;
  /** Ends well when it is gone already or another one. */
  remove(ctx: ReadContext, host: H, cluster: string, version: string): Promise<void>;
}
