import type { z } from "zod";
import type { Registry } from "../../registry/registry.ts";
import type { RegistrySource } from "../../registry/registry-source.ts";
import { checked, showValue } from "./field.ts";
import { findMissing, type Members } from "./member.ts";

const registryMembers: Members<Registry> = {
  ownerId: "text",
  failed: "object",
  fail: "function",
  append: "function",
  flushed: "function",
  subscribe: "function",
  run: "function",
  findRuns: "function",
  runs: "function",
  family: "function",
  children: "function",
  childOf: "function",
  madeFrom: "function",
  figures: "function",
  usage: "function",
  spec: "function",
  events: "function",
  eventsAfter: "function",
  lastPosition: "function",
  putContent: "function",
  content: "function",
  claim: "function",
  abandoned: "function",
  request: "function",
  requestsTo: "function",
  onRequest: "function",
  changed: "function",
  cache: "object",
  conversations: "object",
  leaders: "object",
  prune: "function",
  close: "function",
};

const sourceMembers: Members<RegistrySource> = { openRegistry: "function" };

/** The option `registry`: a folder, a source of registries, or an opened registry. */
export const registryField: z.ZodType = checked((value) => {
  if (typeof value === "string" && value.trim() !== "") return null;
  if (findMissing(value, sourceMembers)?.length === 0) return null;
  const missing = findMissing(value, registryMembers);
  if (missing?.length === 0) return null;
  const came = missing === null ? showValue(value) : `an object without ${missing.join(", ")}`;
  return `expected a folder, or a registry; got ${came}`;
});
