import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRooms, renderRooms } from "./rooms.ts";

/** `npm run rooms`: writes `docs/rooms.md`. */
writeFileSync(join(import.meta.dirname, "../docs/rooms.md"), renderRooms(readRooms()));
