import type { TalosCluster, TalosNode } from "../node.ts";

/**
 * Whom a kubelet trusts, and which authority issued what it shows. It trusts what the config says at its start, and keeps
 * its client certificate until that is of no accepted authority: then the one that issues gives it another.
 */
export class KubeletTrust {
  readonly #node: TalosNode;
  readonly #cluster: TalosCluster;
  #trusts: string[] = [];
  #shows: string | undefined;

  constructor(node: TalosNode, cluster: TalosCluster) {
    this.#node = node;
    this.#cluster = cluster;
    this.renew();
  }

  /** It starts again. */
  renew(): void {
    this.#trusts = this.#node.config?.kubeAccepted ?? [];
    if (this.#shows !== undefined && !this.#trusts.includes(this.#shows)) this.#shows = undefined;
    this.#shows ??= this.#servers().find(({ issuer }) => this.#trusts.includes(issuer))?.issuer;
  }

  /** API servers answer, and none of them deals with it. */
  isCut(): boolean {
    const servers = this.#servers();
    if (this.#shows === undefined) this.renew();
    return (
      servers.length > 0 &&
      !servers.some(
        ({ issuer, accepted }) => this.#trusts.includes(issuer) && accepted.includes(this.#shows ?? ""),
      )
    );
  }

  #servers(): NonNullable<TalosNode["apiServerTrust"]>[] {
    return [...this.#cluster.apiServers].flatMap(({ apiServerTrust }) => apiServerTrust ?? []);
  }
}
