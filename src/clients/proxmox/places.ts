/** Lets at most `count` pieces of work run at a time; the others wait in the order they came. */
export function places(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  };
}
