/** Which part of libvirt says no, by its number. */
export const speakers = { rpc: 7, qemu: 10, storage: 18, network: 19, domain: 20, interface: 26 } as const;

type Speaker = keyof typeof speakers;

/** The daemon says no, in libvirt's own words and with its number. */
export class Refusal extends Error {
  readonly code: number;
  readonly speaker: Speaker;

  constructor(code: number, speaker: Speaker, message: string) {
    super(message);
    this.code = code;
    this.speaker = speaker;
  }
}

const saying =
  (code: number, begin: string) =>
  (speaker: Speaker, text: string): Refusal =>
    new Refusal(code, speaker, `${begin}${text}`);

export const internalError = saying(1, "internal error: ");
export const notSupported = saying(3, "this function is not supported by the connection driver: ");
export const invalidArgument = saying(8, "invalid argument: ");
export const operationFailed = saying(9, "operation failed: ");
export const badXml = saying(27, "XML error: ");
export const systemError = saying(38, "");
export const noDomain = saying(42, "Domain not found: ");
export const noNetwork = saying(43, "Network not found: ");
export const noPool = saying(49, "Storage pool not found: ");
export const noVolume = saying(50, "Storage volume not found: ");
export const operationInvalid = saying(55, "Requested operation is not valid: ");
export const noInterface = saying(57, "Interface not found: ");
export const unsupportedConfiguration = saying(67, "unsupported configuration: ");
export const timedOut = saying(68, "Timed out during operation: ");
export const noMetadata = saying(80, "metadata not found: ");
export const agentSilent = saying(86, "Guest agent is not responding: ");
export const volumeExists = (name: string): Refusal =>
  new Refusal(90, "storage", `storage volume '${name}' exists already`);
