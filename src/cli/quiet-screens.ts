import { withoutSecrets } from "../lib/index.ts";
import type { Screen } from "./views/index.ts";

/** Screens that stay as they are while somebody is asked something. What is written meanwhile comes afterwards. */
export interface QuietScreens {
  over(screen: Screen): Screen;
  during<T>(asking: () => Promise<T>): Promise<T>;
}

export function quietScreens(): QuietScreens {
  const held: (() => void)[] = [];
  let questions = 0;
  const write = (writing: () => void): void => {
    if (questions > 0) held.push(writing);
    else writing();
  };
  return {
    over: (screen) => writingWith(screen, (text) => write(() => screen.write(text))),
    async during(asking) {
      questions++;
      try {
        return await asking();
      } finally {
        questions--;
        if (questions === 0) for (const writing of held.splice(0)) writing();
      }
    },
  };
}

/** Without what this process knows to be secret. */
export const withoutSecretsOn = (screen: Screen): Screen =>
  writingWith(screen, (text) => screen.write(withoutSecrets(text)));

/** Its size stays live: it is read anew for every drawing. */
const writingWith = (screen: Screen, write: (text: string) => void): Screen =>
  Object.create(screen, { write: { value: write } }) as Screen;
