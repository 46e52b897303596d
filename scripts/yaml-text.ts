import { stringify } from "yaml";

/**
 * As people write it: lines are not folded, nothing is named to be repeated. Kubernetes reads YAML 1.1, where `on` without
 * quotes is a yes.
 */
export const yamlText = (value: object): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, version: "1.1" });
