import type { Architecture, K3sArtifacts } from "../../spec/index.ts";

/** What finding artifacts needs of the world. */
export interface ArtifactWorld {
  /** Where files fetched once are kept. */
  cacheFolder: string;
  fetchFile(url: string, into: string, onProgress?: (bytes: number, total?: number) => void): Promise<void>;
}

export interface WantedArtifacts {
  version: string;
  architecture: Architecture;
  /** Absent: where its makers publish them. A folder is an absolute path. */
  artifacts?: K3sArtifacts | undefined;
  /** The images it starts with, too. */
  hasImages?: boolean | undefined;
}

/** A file on this machine whose content is known to be right. */
export interface LocalArtifact {
  /** As the release calls it. */
  name: string;
  file: string;
  sha256: string;
  bytes: number;
}

export interface FoundArtifacts {
  binary: LocalArtifact;
  images?: LocalArtifact;
}

/** Finds the files of a release, each verified by its checksum; fetched once, also where many ask at the same time. */
export function findArtifacts(wanted: WantedArtifacts, world: ArtifactWorld): Promise<FoundArtifacts> {
  throw new Error(`not there yet: ${wanted.version} in ${world.cacheFolder}`);
}
