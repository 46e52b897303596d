export type Architecture = "amd64" | "arm64";

export interface ImageChecksum {
  algorithm: "sha256" | "sha512" | "md5" | "sha1";
  value: string;
}

/** Where an image of the user's own comes from: fetched by the hosts, or uploaded from this machine. */
export type ImageSource =
  | { url: string; checksum?: ImageChecksum }
  | { file: string; checksum?: ImageChecksum }
  | { folder: string };

/**
 * How a new node is known before it gets its config. console: by what it prints on its serial console · seed: it finds its
 * config on a drive and is never asked · trust: whoever answers first is believed.
 */
export type FirstContact = "console" | "seed" | "trust";
