import { tested } from "../../spec/index.ts";

export const rancherVersions = [
  tested("2.15.2", "1.34", "1.36"),
  tested("2.14.4", "1.33", "1.35"),
  tested("2.13.8", "1.32", "1.34"),
  tested("2.12.12", "1.31", "1.33"),
];
