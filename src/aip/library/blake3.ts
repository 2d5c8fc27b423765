// BLAKE3 as its specification describes it (hash mode, 32 bytes): Node has no BLAKE3, and packs compare files by it.

const initial: Uint32Array = Uint32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);
const order = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8] as const;
const flags = { chunkStart: 1, chunkEnd: 2, parent: 4, root: 8 } as const;
const chunkBytes = 1024;
const blockBytes = 64;

/** What one compression takes. */
interface Node {
  chaining: Uint32Array;
  block: Uint32Array;
  counter: number;
  length: number;
  flags: number;
}

/** The message words of each of the seven rounds. */
const schedule: readonly Uint8Array[] = createSchedule();

function createSchedule(): Uint8Array[] {
  const rounds = [Uint8Array.from({ length: 16 }, (_, index) => index)];
  for (let round = 1; round < 7; round += 1) {
    const before = rounds[round - 1] ?? new Uint8Array(16);
    rounds.push(Uint8Array.from(order, (index) => before[index] ?? 0));
  }
  return rounds;
}

function rotate(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

/** The places of a state that one quarter of a round mixes: four columns, then four diagonals. */
const quarters = Uint8Array.from(
  "0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15 0 5 10 15 1 6 11 12 2 7 8 13 3 4 9 14".split(" "),
  Number,
);

/** The sixteen words a compression ends with, the first eight of them folded. */
function compress({ chaining, block, counter, length, flags: bits }: Node): Uint32Array {
  const state = new Uint32Array(16);
  state.set(chaining);
  state.set(initial.subarray(0, 4), 8);
  state[12] = counter >>> 0;
  state[13] = Math.floor(counter / 2 ** 32);
  state[14] = length;
  state[15] = bits;
  for (const words of schedule) {
    for (let quarter = 0; quarter < 8; quarter += 1) mix(state, block, words, quarter);
  }
  for (let index = 0; index < 8; index += 1)
    state[index] = (state[index] ?? 0) ^ (state[index + 8] ?? 0);
  return state;
}

function mix(state: Uint32Array, block: Uint32Array, words: Uint8Array, quarter: number): void {
  const a = quarters[quarter * 4] ?? 0;
  const b = quarters[quarter * 4 + 1] ?? 0;
  const c = quarters[quarter * 4 + 2] ?? 0;
  const d = quarters[quarter * 4 + 3] ?? 0;
  const first = block[words[quarter * 2] ?? 0] ?? 0;
  const second = block[words[quarter * 2 + 1] ?? 0] ?? 0;
  // All in 32-bit integers, which is what makes it fast.
  let va = (state[a] ?? 0) | 0;
  let vb = (state[b] ?? 0) | 0;
  let vc = (state[c] ?? 0) | 0;
  let vd = (state[d] ?? 0) | 0;
  va = (va + vb + first) | 0;
  vd = rotate(vd ^ va, 16);
  vc = (vc + vd) | 0;
  vb = rotate(vb ^ vc, 12);
  va = (va + vb + second) | 0;
  vd = rotate(vd ^ va, 8);
  vc = (vc + vd) | 0;
  vb = rotate(vb ^ vc, 7);
  state[a] = va;
  state[b] = vb;
  state[c] = vc;
  state[d] = vd;
}

/** The words of `bytes`, padded with zeros to whole blocks. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const blocks = Math.max(Math.ceil(bytes.length / blockBytes), 1);
  const padded = new Uint8Array(blocks * blockBytes);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  const words = new Uint32Array(padded.length / 4);
  for (let index = 0; index < words.length; index += 1)
    words[index] = view.getUint32(index * 4, true);
  return words;
}

/** The last compression of a chunk, which is done later: only then it is known whether it is the root. */
function chunkNode(words: Uint32Array, counter: number, length: number): Node {
  let chaining = initial;
  const start = (counter * chunkBytes) / 4;
  const blocks = Math.max(Math.ceil(length / blockBytes), 1);
  for (let index = 0; ; index += 1) {
    const at = start + (index * blockBytes) / 4;
    const bits = index === 0 ? flags.chunkStart : 0;
    const left = Math.min(length - index * blockBytes, blockBytes);
    const node = { chaining, block: words.subarray(at, at + 16), counter, length: left };
    if (index === blocks - 1) return { ...node, flags: bits | flags.chunkEnd };
    chaining = compress({ ...node, flags: bits }).subarray(0, 8);
  }
}

function parentNode(left: Uint32Array, right: Uint32Array): Node {
  const block = new Uint32Array(16);
  block.set(left);
  block.set(right, 8);
  return { chaining: initial, block, counter: 0, length: blockBytes, flags: flags.parent };
}

/** The BLAKE3 hash of `bytes`, 32 bytes. */
export function blake3(bytes: Uint8Array): Buffer {
  const words = wordsOf(bytes);
  const chunks = Math.max(Math.ceil(bytes.length / chunkBytes), 1);
  /** The finished subtrees, largest first; each is twice the next or more. */
  const stack: Uint32Array[] = [];
  for (let index = 0; index < chunks - 1; index += 1) {
    let value = compress(chunkNode(words, index, chunkBytes)).subarray(0, 8);
    for (let total = index + 1; total % 2 === 0; total /= 2) {
      value = compress(parentNode(stack.pop() ?? initial, value)).subarray(0, 8);
    }
    stack.push(value);
  }
  let node = chunkNode(words, chunks - 1, bytes.length - (chunks - 1) * chunkBytes);
  for (let left = stack.pop(); left !== undefined; left = stack.pop()) {
    node = parentNode(left, compress(node).subarray(0, 8));
  }
  const result = compress({ ...node, flags: node.flags | flags.root });
  const output = Buffer.alloc(32);
  for (let index = 0; index < 8; index += 1) output.writeUInt32LE(result[index] ?? 0, index * 4);
  return output;
}
