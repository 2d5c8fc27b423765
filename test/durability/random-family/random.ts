/** A source of numbers that are always the same for the same seed. */
export interface Random {
  /** Returns an integer from 0 up to, and excluding, `end`. */
  below(end: number): number;
  /** Returns true with the given probability. */
  chance(probability: number): boolean;
  /** Returns one of `choices`. */
  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice;
}

/** Creates a {@link Random} with the generator mulberry32. */
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
