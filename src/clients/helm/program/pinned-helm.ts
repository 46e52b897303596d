/** A release of helm as its makers publish it. */
export interface HelmDownload {
  /** `4.2.4` */
  version: string;
  /** What stands before `helm-v…tar.gz`. */
  baseUrl: string;
  /** SHA-256 of the archive, by system and processor as in its name. */
  sha256: Record<string, string>;
}

/** Fetched where the machine has no helm. Checksums are those of the release notes. */
export const pinnedHelm: HelmDownload = {
  version: "4.2.4",
  baseUrl: "https://get.helm.sh",
  sha256: {
    "darwin-amd64": "6c163d687ca03c3b5c01928e53bbbcf9518278f47ce7a2f249a5a08e8bdaa2bc",
    "darwin-arm64": "d747eb4e28bd2727173d15b759fa0a17822291ec09db7ced3d55af290a3661a2",
    "linux-386": "45297aeac0c65173a89e8de832997f952ba5115c2db09b2e3f2c23a601e70583",
    "linux-amd64": "c306b46f719b0a4da32d0f78ee21bf90ce8d602f15b22ab753f0674d1670a7f3",
    "linux-arm": "894e901f7daaf9b458baad7b5c685bfeef49070d7d53f99687bd5846a6c13639",
    "linux-arm64": "564de2191b881e9f71b5606b25345821ea1682f06ab90499d3ab22b530176da1",
    "linux-loong64": "faafbfecc1a06196e650c3ce0c74d5ac32cb1c0c0a855fa76e59dd100cb8d4c4",
    "linux-ppc64le": "5c00073e9d493de201384bb7eb19d60615bd7c39db52148473e8ce6da84bc70a",
    "linux-riscv64": "d8532a3524ca842887b15ab794377dc9c8ced8f26264c84171b4b0aafff05411",
    "linux-s390x": "5396a35fca5fa46e5614140363f389ce66f96886c1b25f256d9e3028299422fa",
  },
};

/** Node's names for processors, as the makers of helm call them. */
const processors: Record<string, string> = { x64: "amd64", ia32: "386", ppc64: "ppc64le" };

export const platformName = (machine: { platform: string; arch: string }): string =>
  `${machine.platform}-${processors[machine.arch] ?? machine.arch}`;
