export { blake3 } from "@noble/hashes/blake3.js";
