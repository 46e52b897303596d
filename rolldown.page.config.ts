import { defineConfig } from "rolldown";
import { pageStyles } from "./scripts/page-styles.ts";
import { sbom } from "./scripts/sbom.ts";
import { thirdPartyNotices } from "./scripts/third-party-notices.ts";

/** The page of the dashboard: one script and one style sheet, which `slipway ui` serves, and nothing from elsewhere. */
export default defineConfig({
  input: { app: "src/dashboard/app/main.tsx" },
  platform: "browser",
  tsconfig: "src/dashboard/app/tsconfig.json",
  transform: { target: "es2022" },
  // What other packages do for rooms that the page shares is shaken off; a test holds that nothing of them is left.
  external: (id) => !/^(?:[./]|preact|@preact\/)/.test(id),
  // Only the beginning of the page does anything by being loaded, so that doors of whole folders bring what is called.
  treeshake: {
    moduleSideEffects: [{ test: /\/src\/(?!dashboard\/app\/main\.tsx)/, sideEffects: false }],
  },
  plugins: [
    pageStyles("src/dashboard/app/styles", "app.css"),
    thirdPartyNotices("THIRD-PARTY.txt"),
    sbom("sbom.cdx.json"),
  ],
  output: { dir: "dist/dashboard", format: "esm", minify: true, entryFileNames: "[name].js" },
});
