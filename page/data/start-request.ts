/** Conversion of the forms that start runs and evals to requests. */

import type { EvalStartRequest } from "../../src/client.ts";
import type { Delegation } from "../../src/run/delegation.ts";

const texts = ["task", "model", "mode", "label", "cwd"];
const numbers = ["timeoutSeconds", "maxTurns", "retries"];
const values = {
  input: "Input",
  parameters: "Parameters",
  outputSchema: "Schema of the output",
  others: "Other options",
};
/** The prefix of the names of recipe parameter fields. */
export const parameterPrefix = "parameter:";

type Fields = [string, unknown][];

/**
 * Returns the request for the fields of a form. Omits empty fields. `others` may set any option by its name and takes precedence over
 * the other fields. @throws Error for invalid JSON.
 */
export async function readStartForm(agent: string, form: FormData): Promise<Delegation> {
  const tools = readList(form, "tools");
  const images = await readImages(form);
  const json = Object.keys(values).filter((name) => name !== "others");
  const entries: Fields = [
    ...readTexts(form, texts),
    ...readNumbers(form, numbers),
    ...readTexts(form, json).map(([name, text]): [string, unknown] => [
      name,
      parse(name, String(text)),
    ]),
  ];
  // The server checks the request and reports the problem of each field.
  return {
    agent,
    ...readParameters(form),
    ...Object.fromEntries(entries),
    ...(tools.length > 0 && { tools }),
    ...(images.length > 0 && { images }),
    ...readBudget(form),
    ...readOthers(form),
  };
}

/** Returns the options that have no field. */
function readOthers(form: FormData): Record<string, unknown> {
  const text = textOf(form, "others");
  const others = text === "" ? {} : parse("others", text);
  if (typeof others === "object" && others !== null && !Array.isArray(others)) return { ...others };
  throw new Error(`${values.others}: expected a JSON object, with the names of options.`);
}

async function readImages(form: FormData): Promise<{ data: string }[]> {
  // An empty file field still contains an empty file.
  const files = form.getAll("images").filter((file) => file instanceof File && file.size > 0);
  return await Promise.all(files.map(async (file) => ({ data: await readBase64(file as File) })));
}

async function readBase64(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    // The content of a data URL begins after the comma.
    resolve(typeof reader.result === "string" ? reader.result.replace(/^[^,]*,/, "") : "");
  });
  reader.addEventListener("error", () => {
    reject(new Error(`${file.name} cannot be read.`, { cause: reader.error }));
  });
  reader.readAsDataURL(file);
  return await promise;
}

/** Returns the request for a graph. */
export function readGraphRequest(form: FormData): { file: string } & Record<string, unknown> {
  return {
    file: textOf(form, "file"),
    ...Object.fromEntries(readTexts(form, ["label", "model"])),
    ...Object.fromEntries(readNumbers(form, ["timeoutSeconds"])),
    ...readBudget(form),
    ...readOthers(form),
  };
}

/** Returns the request for an eval. */
export function readEvalRequest(form: FormData): EvalStartRequest {
  const models = readList(form, "models");
  return {
    files: readList(form, "files"),
    ...Object.fromEntries(readTexts(form, ["filter"])),
    ...(models.length > 0 && { models }),
    ...Object.fromEntries(readNumbers(form, ["repeat", "concurrency"])),
    ...readBudget(form),
  };
}

function readParameters(form: FormData): { parameters?: Record<string, string> } {
  const names = [...form.keys()].filter((name) => name.startsWith(parameterPrefix));
  const given = readTexts(form, names).map(([name, text]): [string, string] => [
    name.slice(parameterPrefix.length),
    String(text),
  ]);
  return given.length === 0 ? {} : { parameters: Object.fromEntries(given) };
}

function readBudget(form: FormData): { budget?: Record<string, number> } {
  const limits = readNumbers(form, ["tokens", "usd"]) as [string, number][];
  return limits.length === 0 ? {} : { budget: Object.fromEntries(limits) };
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

function readTexts(form: FormData, names: readonly string[]): Fields {
  return names.flatMap((name): Fields => {
    const text = textOf(form, name);
    return text === "" ? [] : [[name, text]];
  });
}

function readNumbers(form: FormData, names: readonly string[]): Fields {
  return readTexts(form, names).map(([name, text]) => [name, Number(text)]);
}

function readList(form: FormData, name: string): string[] {
  return textOf(form, name)
    .split(/[\s,]+/)
    .filter((one) => one !== "");
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const title = Object.entries(values).find(([key]) => key === name)?.[1] ?? name;
    throw new Error(`${title}: expected JSON. ${(error as Error).message}`, { cause: error });
  }
}
