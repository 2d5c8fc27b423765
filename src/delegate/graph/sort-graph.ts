/** A node of a graph with the names of its predecessors. */
export interface Sortable {
  name: string;
  after: readonly string[];
}

/**
 * Sorts `nodes` so that each follows its predecessors and otherwise keeps its place. Returns a cycle, as a path back to its first
 * node, if there is one.
 */
export function sortGraph<Node extends Sortable>(
  nodes: readonly Node[],
): { sorted: Node[] } | { cycle: string[] } {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const missing = new Map(nodes.map((node) => [node.name, new Set(node.after).size]));
  const followers = new Map<string, string[]>(nodes.map((node) => [node.name, []]));
  for (const { name, after } of nodes) {
    for (const before of new Set(after)) followers.get(before)?.push(name);
  }
  const sorted = nodes.filter(({ name }) => missing.get(name) === 0);
  for (const { name } of sorted) {
    for (const follower of followers.get(name) ?? []) {
      const left = (missing.get(follower) ?? 0) - 1;
      missing.set(follower, left);
      const node = byName.get(follower);
      if (left === 0 && node !== undefined) sorted.push(node);
    }
  }
  if (sorted.length === nodes.length) return { sorted };
  const isStuck = (name: string): boolean => (missing.get(name) ?? 0) > 0;
  return { cycle: findCycle(byName, isStuck) };
}

/** Each node on a cycle follows another one, so walking backwards finds the cycle. */
function findCycle(
  nodes: ReadonlyMap<string, Sortable>,
  isStuck: (name: string) => boolean,
): string[] {
  const path: string[] = [];
  let name = [...nodes.keys()].find(isStuck);
  while (name !== undefined && !path.includes(name)) {
    path.push(name);
    name = nodes.get(name)?.after.find(isStuck);
  }
  return name === undefined ? path : [...path.slice(path.indexOf(name)), name];
}
