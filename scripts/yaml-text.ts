import { stringify } from "yaml";

/** As people write it: lines are not folded, nothing is named to be repeated. */
export const yamlText = (value: object): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
