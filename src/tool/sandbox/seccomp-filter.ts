import { arch, endianness } from "node:os";

/** The system calls of one architecture that the filter checks, by their kernel numbers. */
interface SystemCalls {
  /** `AUDIT_ARCH_…` of linux/audit.h. */
  audit: number;
  socket: number;
  /** Other calls that create sockets, which are refused entirely. */
  refused: readonly number[];
}

/** Each architecture with the 32-bit one that its kernel also executes. */
const architectures: Readonly<Record<string, readonly SystemCalls[]>> = {
  x64: [
    { audit: 0xc0_00_00_3e, socket: 41, refused: [425] },
    { audit: 0x40_00_00_03, socket: 359, refused: [102, 425] },
  ],
  arm64: [
    { audit: 0xc0_00_00_b7, socket: 198, refused: [425] },
    { audit: 0x40_00_00_28, socket: 281, refused: [102, 425] },
  ],
};

// Instructions and results of linux/bpf_common.h and linux/seccomp.h.
const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const finish = 0x06;
const allow = 0x7f_ff_00_00;
const refuse = 0x00_05_00_00 + 13; // EACCES
const kill = 0x80_00_00_00;
const unixFamily = 1;
/** The offsets of a call's number, its architecture and the lower half of its first argument. */
const [numberAt, architectureAt, argumentAt] = [0, 4, 16];
/** The first number of the x32 calls of x86-64. */
const x32Calls = 0x40_00_00_00;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * Creates a filter program (`struct sock_filter[]`) that prevents unix sockets, so that no listening one can be reached. It refuses
 * `socket(AF_UNIX)` and the ways around it, `socketcall` and `io_uring`. Pairs (`socketpair`), which programs use to talk to
 * their children, work. `null` for an unknown processor.
 */
export function createSeccompFilter(): Buffer | null {
  const known = architectures[arch()];
  if (known === undefined || endianness() !== "LE") return null;
  const blocks = known.flatMap((calls) => blockOf(calls));
  return encode([...blocks, [finish, 0, 0, kill]]);
}

/** Returns the instructions for the calls of one architecture; calls of others fall through. */
function blockOf({ audit, socket, refused }: SystemCalls): Instruction[] {
  const refusals = refused.map((call): Instruction[] => [
    [jumpIfEqual, 0, 1, call],
    [finish, 0, 0, refuse],
  ]);
  const body: Instruction[] = [
    [load, 0, 0, numberAt],
    [jumpIfAtLeast, 0, 1, x32Calls],
    [finish, 0, 0, refuse],
    ...refusals.flat(),
    [jumpIfEqual, 1, 0, socket],
    [finish, 0, 0, allow],
    [load, 0, 0, argumentAt],
    [jumpIfEqual, 0, 1, unixFamily],
    [finish, 0, 0, refuse],
    [finish, 0, 0, allow],
  ];
  return [[load, 0, 0, architectureAt], [jumpIfEqual, 0, body.length, audit], ...body];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(value >>> 0, at + 4);
  }
  return bytes;
}
