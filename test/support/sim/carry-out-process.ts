import { carryOut } from "./carry-out.ts";

/** Carries out a plan that another process has made. */
const [file = "", planFile = ""] = process.argv.slice(2);
const told = await carryOut(file, planFile, process.env);
process.stdout.write(JSON.stringify(told), () => process.exit());
