/** What a person can do when a wait for a cluster took too long: let doctor look why. */
export const seeDoctor = (cluster: string): string =>
  `See why with "slipway doctor ${cluster}"; "slipway up ${cluster}" then goes on from here`;
