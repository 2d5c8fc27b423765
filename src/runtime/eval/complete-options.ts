import { resolve } from "node:path";
import { isFileModel } from "../../delegate/settings/choose-model.ts";
import { CadreError } from "../../errors.ts";
import type { LoadedCase } from "../../eval/eval-file.ts";
import { quoteWord } from "../../source/shell/quote-word.ts";
import type { EvalStart, Recordings } from "./eval-record.ts";
import { readEvalStart } from "./recorded-evals.ts";
import type { RunEvalsOptions } from "./run-evals-options.ts";

/** The cases of an eval, and all its options. */
export interface CompleteOptions extends RunEvalsOptions {
  cases: readonly LoadedCase[];
}

/**
 * Completes the cases and options of an eval with those of the eval `resume`. Its file is trusted as the project is: in an untrusted
 * one it can choose neither commands nor models or folders for files.
 *
 * @throws CadreError `not-trusted` when only that file names a model or folder for files, and `invalid-argument` for an unknown
 * `resume`, without cases, and for other recordings than those of the resumed eval.
 */
export async function completeOptions(
  stateFolder: string,
  cases: readonly LoadedCase[] | undefined,
  given: RunEvalsOptions,
): Promise<CompleteOptions> {
  if (given.resume === undefined) {
    if (cases !== undefined) return { ...given, cases };
    throw new CadreError("invalid-argument", "Expected cases, or an eval to resume; got neither.");
  }
  const earlier = await readEvalStart(stateFolder, given.resume);
  const { id, recordings } = earlier;
  if (given.recordings !== undefined) requireSameRecordings(id, recordings, given.recordings);
  const isTrusted = given.isTrusted(resolve(given.cadreOptions.cwd ?? "."));
  if (!isTrusted) requireNamed(earlier, given);
  return {
    ...(recordings && { recordings }),
    ...earlier.settings,
    ...given,
    resume: id,
    cases: cases ?? earlier.cases,
    isTrusted: (path) => given.isTrusted(path) && (cases !== undefined || isTrusted),
  };
}

/** Requires that the user named each model and folder for files that the file of the eval names. */
function requireNamed({ id, settings, recordings }: EvalStart, given: RunEvalsOptions): void {
  const { models = [] } = settings;
  const file = given.models === undefined ? models.find(isFileModel) : undefined;
  const isFolderNamed = recordings === undefined || given.recordings !== undefined;
  if (file === undefined && isFolderNamed) return;
  const uses = [
    ...(isFolderNamed ? [] : [describeRecordings(recordings)]),
    ...(file === undefined ? [] : [`uses the model ${file}, which reads or writes a file`]),
  ];
  // `--model` replaces all models of the eval.
  const options = [
    ...(isFolderNamed ? [] : [optionOf(recordings)]),
    ...(file === undefined ? [] : models.map((one) => `--model ${quoteWord(one)}`)),
  ];
  const message = `The eval ${id} ${uses.join(" and ")}, and the folder of the project is not trusted. Add \`${options.join(" ")}\` if it may, or trust the folder with \`cadre trust\`.`;
  throw new CadreError("not-trusted", message);
}

function requireSameRecordings(id: string, own: Recordings | undefined, given: Recordings): void {
  // An eval of an earlier version does not tell.
  if (own === undefined || (own.folder === given.folder && own.mode === given.mode)) return;
  const message = `The eval ${id} ${describeRecordings(own)}, and its finished trials are not repeated. Resume it with \`${optionOf(own)}\`, or begin a new eval with \`${optionOf(given)}\`.`;
  throw new CadreError("invalid-argument", message);
}

function describeRecordings({ folder, mode }: Recordings): string {
  return mode === "record" ? `writes its recordings to ${folder}` : `replays ${folder}`;
}

function optionOf({ folder, mode }: Recordings): string {
  return `${mode === "record" ? "--record" : "--replay"} ${quoteWord(folder)}`;
}
