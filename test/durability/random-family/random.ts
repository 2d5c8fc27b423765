/** A source of numbers that is the same each time for the same seed. */
export interface Random {
  /** An integer from 0 up to, and without, `end`. */
  below(end: number): number;
  /** Whether something that happens with `probability` happens. */
  chance(probability: number): boolean;
  /** One of `choices`. */
  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice;
}

/** Makes a {@link Random} with the generator mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
  };
}
