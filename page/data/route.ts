/** The view that the address names. */

import { useSyncExternalStore } from "react";

/** A view and its parameters. */
export type PageRoute =
  | { view: "runs" | "questions" | "usage" }
  | { view: "agents"; name: string }
  | {
      view: "run";
      id: string;
      /** The number of the event to show; `null` for the conversation. */
      at: number | null;
    }
  | { view: "start"; agent: string }
  | { view: "evals"; id: string }
  | { view: "compare" | "compare-evals"; ids: readonly [string, string] };

/** Parses the part of an address after `#`. An address that names no view means the list of runs. */
export function readRoute(hash: string): PageRoute {
  const [view, first, second] = partsOf(hash).filter(
    (part, index) => index > 0 || !isProject(part),
  );
  if (view === "runs" && first !== undefined && first !== "") {
    return { view: "run", id: first, at: /^\d{1,9}$/.test(second ?? "") ? Number(second) : null };
  }
  if (view === "start") return { view, agent: first ?? "main" };
  if (view === "evals") return { view, id: first ?? "" };
  if (
    (view === "compare" || view === "compare-evals") &&
    first !== undefined &&
    second !== undefined
  ) {
    return { view, ids: [first, second] };
  }
  if (view === "agents") return { view, name: first ?? "" };
  if (view === "questions" || view === "usage") return { view };
  return { view: "runs" };
}

/** Returns the project in an address: `#/@shop/runs`. The empty string means the server's first project. */
export function readProject(hash: string): string {
  const [first = ""] = partsOf(hash);
  return isProject(first) ? first.slice(1) : "";
}

function partsOf(hash: string): string[] {
  return hash.replace(/^#\/?/, "").split("/").map(decode);
}

function isProject(part: string): boolean {
  return part.startsWith("@");
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the address of a view of the shown project. */
export function addressOf(...parts: readonly string[]): string {
  return addressIn(readProject(globalThis.location.hash), ...parts);
}

/** Returns the address of a view of a project. */
export function addressIn(project: string, ...parts: readonly string[]): string {
  const all = project === "" ? parts : [`@${project}`, ...parts];
  return `#/${all.map(encodeURIComponent).join("/").replace("%40", "@")}`;
}

/** Shows another view. */
export function goTo(...parts: readonly string[]): void {
  location.hash = addressOf(...parts);
}

/** The view in the current address. */
export function useRoute(): PageRoute {
  return readRoute(useSyncExternalStore(onHash, () => location.hash));
}

/** The project in the current address. */
export function useProject(): string {
  return readProject(useSyncExternalStore(onHash, () => location.hash));
}

function onHash(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
