// BLAKE3 as its specification describes it (hash mode, 32 bytes): Node has no BLAKE3, and packs compare files by it.

const initial = Uint32Array.of(
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
const quarters: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

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
    for (const [index, [a, b, c, d]] of quarters.entries()) {
      const first = block[words[index * 2] ?? 0] ?? 0;
      const second = block[words[index * 2 + 1] ?? 0] ?? 0;
      let [va, vb, vc, vd] = [state[a] ?? 0, state[b] ?? 0, state[c] ?? 0, state[d] ?? 0];
      va = (va + vb + first) >>> 0;
      vd = rotate(vd ^ va, 16);
      vc = (vc + vd) >>> 0;
      vb = rotate(vb ^ vc, 12);
      va = (va + vb + second) >>> 0;
      vd = rotate(vd ^ va, 8);
      vc = (vc + vd) >>> 0;
      vb = rotate(vb ^ vc, 7);
      state[a] = va;
      state[b] = vb;
      state[c] = vc;
      state[d] = vd;
    }
  }
  for (let index = 0; index < 8; index += 1)
    state[index] = (state[index] ?? 0) ^ (state[index + 8] ?? 0);
  return state;
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const padded = new Uint8Array(blockBytes);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  return Uint32Array.from({ length: 16 }, (_, index) => view.getUint32(index * 4, true));
}

/** The last compression of a chunk, which is done later: only then it is known whether it is the root. */
function chunkNode(chunk: Uint8Array, counter: number): Node {
  let chaining = initial;
  const blocks = Math.max(Math.ceil(chunk.length / blockBytes), 1);
  for (let index = 0; ; index += 1) {
    const bytes = chunk.subarray(index * blockBytes, (index + 1) * blockBytes);
    const start = index === 0 ? flags.chunkStart : 0;
    const node = { chaining, block: wordsOf(bytes), counter, length: bytes.length };
    if (index === blocks - 1) return { ...node, flags: start | flags.chunkEnd };
    chaining = compress({ ...node, flags: start }).slice(0, 8);
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
  const chunks = Math.max(Math.ceil(bytes.length / chunkBytes), 1);
  /** The finished subtrees, largest first; each is twice the next or more. */
  const stack: Uint32Array[] = [];
  for (let index = 0; index < chunks - 1; index += 1) {
    const chunk = bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes);
    let value = compress(chunkNode(chunk, index)).slice(0, 8);
    for (let total = index + 1; total % 2 === 0; total /= 2) {
      value = compress(parentNode(stack.pop() ?? initial, value)).slice(0, 8);
    }
    stack.push(value);
  }
  let node = chunkNode(bytes.subarray((chunks - 1) * chunkBytes), chunks - 1);
  for (let left = stack.pop(); left !== undefined; left = stack.pop()) {
    node = parentNode(left, compress(node).slice(0, 8));
  }
  const words = compress({ ...node, flags: node.flags | flags.root });
  const output = Buffer.alloc(32);
  for (let index = 0; index < 8; index += 1) output.writeUInt32LE(words[index] ?? 0, index * 4);
  return output;
}
