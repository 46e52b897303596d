const intel =
  "486 Broadwell Broadwell-IBRS Broadwell-noTSX Broadwell-noTSX-IBRS Cascadelake-Server Cascadelake-Server-noTSX " +
  "Cascadelake-Server-v2 Cascadelake-Server-v4 Cascadelake-Server-v5 Conroe Cooperlake Cooperlake-v2 GraniteRapids " +
  "Haswell Haswell-IBRS Haswell-noTSX Haswell-noTSX-IBRS Icelake-Client Icelake-Client-noTSX Icelake-Server " +
  "Icelake-Server-noTSX Icelake-Server-v3 Icelake-Server-v4 Icelake-Server-v5 Icelake-Server-v6 IvyBridge " +
  "IvyBridge-IBRS KnightsMill Nehalem Nehalem-IBRS Penryn SandyBridge SandyBridge-IBRS SapphireRapids " +
  "SapphireRapids-v2 Skylake-Client Skylake-Client-IBRS Skylake-Client-noTSX-IBRS Skylake-Client-v4 Skylake-Server " +
  "Skylake-Server-IBRS Skylake-Server-noTSX-IBRS Skylake-Server-v4 Skylake-Server-v5 Westmere Westmere-IBRS " +
  "core2duo coreduo pentium pentium2 pentium3";
const intelSince9 =
  "ClearwaterForest GraniteRapids-v2 GraniteRapids-v3 Icelake-Server-v7 SapphireRapids-v3 SapphireRapids-v4 " +
  "SierraForest SierraForest-v2 SierraForest-v3";
const amd =
  "EPYC EPYC-Genoa EPYC-IBPB EPYC-Milan EPYC-Milan-v2 EPYC-Rome EPYC-Rome-v2 EPYC-Rome-v3 EPYC-Rome-v4 EPYC-v3 " +
  "EPYC-v4 Opteron_G1 Opteron_G2 Opteron_G3 Opteron_G4 Opteron_G5 athlon phenom";
const amdSince9 = "EPYC-Genoa-v2 EPYC-Milan-v3 EPYC-Rome-v5 EPYC-Turin EPYC-v5";
const anyVendor = "host kvm32 kvm64 max qemu32 qemu64";
/** Models that stand for a set of abilities, not for a processor. */
const abstract = "x86-64-v2 x86-64-v2-AES x86-64-v3 x86-64-v4";

/** The processors a guest can be given. */
export function cpuModels(version: 8 | 9): Record<string, unknown>[] {
  const of = (names: string, vendor: string, more: object = {}) =>
    names.split(" ").map((name) => ({ name, vendor, custom: 0, ...more }));
  return [
    ...of(intel, "GenuineIntel"),
    ...of(amd, "AuthenticAMD"),
    ...(version === 9 ? [...of(intelSince9, "GenuineIntel"), ...of(amdSince9, "AuthenticAMD")] : []),
    ...of(anyVendor, "default"),
    ...of(abstract, "default", version === 9 ? { abstract: 1 } : {}),
  ];
}

const flagNames =
  "nested-virt md-clear pcid spec-ctrl ssbd ibpb virt-ssbd amd-ssbd amd-no-ssb pdpe1gb hv-tlbflush hv-evmcs aes";

/** Abilities a machine may be given or denied one by one; 9 names them in the order of the alphabet. */
export const flagsOfMachines = (version: 8 | 9): string[] =>
  version === 9 ? flagNames.split(" ").toSorted() : flagNames.split(" ");
