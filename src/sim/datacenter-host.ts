import { z } from "zod";

const modernFlags =
  "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx " +
  "pdpe1gb rdtscp lm constant_tsc nopl cpuid pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx " +
  "f16c rdrand hypervisor lahf_lm svm abm 3dnowprefetch bmi1 avx2 smep bmi2 rdseed adx smap clflushopt sha_ni xsaveopt";

/** The processors of a host, as its kernel names them and what they can do. */
const cpu = z.strictObject({
  model: z.string().default("AMD EPYC 7543 32-Core Processor"),
  /** Without `svm` or `vmx` it has no hardware virtualization. */
  flags: z.array(z.string()).default(modernFlags.split(" ")),
});

const bridge = z.strictObject({
  /** Without a port, tagged guests cannot start, as on a real bridge. */
  ports: z.array(z.string()).default(["eno1"]),
  /** Only such a bridge takes guests with trunks. */
  isVlanAware: z.boolean().default(false),
});

type Bridge = z.output<typeof bridge>;

const plainBridge = (): Bridge => ({ ports: ["eno1"], isVlanAware: false });

export const bridges = z
  .union([
    z
      .array(z.string())
      .transform((names) => Object.fromEntries(names.map((name): [string, Bridge] => [name, plainBridge()]))),
    z.record(z.string(), bridge),
  ])
  .default({ vmbr0: plainBridge() });

/** What a host is like beside its size. */
export const hostTraits = {
  cpu: cpu.default(() => cpu.parse({})),
  /** How far its clock is ahead of the others; behind when negative. */
  clockSkewSeconds: z.number().default(0),
  /** Whether it can fetch anything from outside. */
  hasInternet: z.boolean().default(true),
};
