import { afterAll } from "vitest";
import { endFile } from "./at-file-end.ts";

// Vitest executes a setup file for each test file, even where a worker executes several of them.
afterAll(endFile);
