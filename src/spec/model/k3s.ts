import type { FilePart } from "./file-part.ts";
import type { GuestSystem } from "./linux.ts";
import type { Registry } from "./talos.ts";

/** Kubernetes by K3s, on machines from a cloud image: servers are the control planes, agents the workers. */
export interface K3sDistribution extends GuestSystem {
  kind: "k3s";
  /** Full, without a leading v: `1.36.3+k3s1`. */
  version: string;
  /** Where its files come from; absent: where its makers publish them. */
  artifacts?: K3sArtifacts;
  /** The images it starts with are brought along, for sites without a way out. */
  hasImages?: true;
  settings: K3sSettings;
}

/** A mirror that keeps them as the release page does, or a folder of this machine with the files of one version. */
export type K3sArtifacts = { url: string } | { folder: string };

/** How its servers and agents run. Everything absent is as K3s has it. */
export interface K3sSettings extends Pick<FilePart<"k3s">, "embeddedRegistry" | "snapshots" | "certSANs"> {
  /** Packaged parts left out. */
  disable: string[];
  flannel: FlannelBackend;
  encryption: boolean;
  /** By the host of the registry; `*` stands for all. */
  registries?: Record<string, Registry> | undefined;
  /** Flags as K3s spells them, without dashes; those of servers are for servers only. */
  serverFlags: Record<string, K3sFlag>;
  agentFlags: Record<string, K3sFlag>;
}

export type FlannelBackend = NonNullable<FilePart<"k3s">["flannel"]>;
export type K3sFlag = string | number | boolean | string[];
