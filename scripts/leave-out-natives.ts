import type { Plugin } from "rolldown";

/** What only makes SSH quicker where a compiler was at hand; it does without. */
const natives = /^cpu-features$|\.node$/;
const stub = "\0left-out-native";

/** Keeps native code out of the bundle: whoever asks for it is told that there is none, on every machine alike. */
export function leaveOutNatives(): Plugin {
  return {
    name: "leave-out-natives",
    resolveId: { filter: { id: natives }, handler: () => stub },
    load: (id) =>
      id === stub ? { code: 'throw new Error("native code is left out");', moduleType: "js" } : null,
  };
}
