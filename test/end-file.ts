import { afterAll } from "vitest";
import { endFile } from "./at-file-end.ts";

// Vitest executes a setup file for each file of tests, also where a worker executes several of them.
afterAll(endFile);
