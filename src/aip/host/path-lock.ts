/** The latest pending work on each path. */
const latest = new Map<string, Promise<void>>();

/**
 * Does `work` after all earlier work on any of `paths` has ended, so that each file has one writer at a time. Inputs and agents
 * of one process wait for each other; other processes are not locked out.
 *
 * @param paths absolute, symlinks resolved.
 */
export async function withPathLock<Value>(
  paths: readonly string[],
  work: () => Promise<Value>,
): Promise<Value> {
  const earlier = paths.flatMap((path) => latest.get(path) ?? []);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  for (const path of paths) latest.set(path, ended);
  try {
    await Promise.all(earlier);
    return await work();
  } finally {
    for (const path of paths) if (latest.get(path) === ended) latest.delete(path);
    end();
  }
}
