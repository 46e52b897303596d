import manifest from "../../package.json" with { type: "json" };

export const slipwayVersion: string = manifest.version;
