import { parentPort } from "node:worker_threads";
import type { Environment } from "minijinja-js/dist/web/minijinja_js.js";
import type { JsonObject } from "../../source/json.ts";
import { tokenOf } from "./hold-values.ts";
import { createEnvironment, isBreakdown, maxSteps } from "./template-engine.ts";
import { errorMessage } from "../../error-message.ts";

/** A request to the worker. */
export interface TemplateWork {
  /** `check` parses the templates without filling them. */
  task: "check" | "render";
  /** The included templates, by name. */
  files: readonly { name: string; text: string }[];
  templates: readonly string[];
  values: JsonObject;
  /** Whether a name without a value is an error. Otherwise it and all its fields are empty. */
  isStrict: boolean;
  /** The mark in the tokens of held values. */
  mark: string;
}

/** The problem of a template that cannot be parsed or filled. */
export interface TemplateProblem {
  /** The included template with the problem; `null`: the template itself. */
  file: string | null;
  /** 1-based. */
  line: number;
  message: string;
}

/** The outcome of a template. */
export type TemplateOutcome =
  | { text: string; held: string[]; problem?: undefined }
  | { problem: TemplateProblem };

/** The answer of the worker. */
export interface TemplateAnswer {
  outcomes: TemplateOutcome[];
  /** Whether the engine is no longer usable. */
  isBroken: boolean;
}

/** The name of the filled template, which distinguishes it from included ones. */
const main = "recipe";
const maxOutputCharacters = 1024 * 1024;

parentPort?.on("message", (work: TemplateWork) => parentPort?.postMessage(perform(work), []));

function perform(work: TemplateWork): TemplateAnswer {
  const outcomes: TemplateOutcome[] = [];
  for (const template of work.templates) {
    try {
      outcomes.push(fill(template, work));
    } catch (error) {
      if (!isBreakdown(error)) throw error;
      const message = "The template needs too much memory: its text is too long.";
      const problem = { file: null, line: 1, message };
      const rest = work.templates.slice(outcomes.length).map(() => ({ problem }));
      return { outcomes: [...outcomes, ...rest], isBroken: true };
    }
  }
  return { outcomes, isBroken: false };
}

function fill(template: string, work: TemplateWork): TemplateOutcome {
  const environment = createEnvironment();
  let outcome: TemplateOutcome;
  try {
    outcome = fillIn(environment, template, work);
  } catch (error) {
    if (isBreakdown(error)) throw error;
    outcome = { problem: explain(error, environment, work) };
  }
  environment.free();
  return outcome;
}

function fillIn(environment: Environment, template: string, work: TemplateWork): TemplateOutcome {
  const held: string[] = [];
  let heldCharacters = 0;
  environment.undefinedBehavior = work.isStrict ? "strict" : "chainable";
  environment.addFilter("hold", (value: unknown): string => {
    const text = String(value);
    heldCharacters += text.length;
    return tokenOf(work.mark, held.push(text) - 1);
  });
  const broken = addFiles(environment, work.files);
  if (broken !== null) return { problem: broken };
  environment.addTemplate(main, template);
  if (work.task === "check") return { text: "", held };
  const filled = environment.renderTemplate(main, work.values);
  // The engine drops the last line break of a template.
  const text = template.endsWith("\n") ? `${filled}\n` : filled;
  return text.length + heldCharacters > maxOutputCharacters ? tooLong() : { text, held };
}

/** Adds the included files without escaping. The engine would choose escaping by their extension. */
function addFiles(environment: Environment, files: TemplateWork["files"]): TemplateProblem | null {
  for (const { name, text } of files) {
    try {
      environment.addTemplate(name, `{% autoescape false %}${text}{% endautoescape %}`);
    } catch (error) {
      if (isBreakdown(error)) throw error;
      return readProblem(error);
    }
  }
  return null;
}

/** Describes an error. The engine describes an error in an included file only when it renders that file itself. */
function explain(
  error: unknown,
  environment: Environment,
  { values, files }: TemplateWork,
): TemplateProblem {
  let problem = readProblem(error);
  for (let depth = 0; depth <= files.length; depth += 1) {
    const inner = /^could not render include: error in "(.*)"$/.exec(problem.message)?.[1];
    if (inner === undefined) break;
    try {
      environment.renderTemplate(inner, values);
      break;
    } catch (cause) {
      if (isBreakdown(cause)) throw cause;
      problem = readProblem(cause);
    }
  }
  return problem;
}

function readProblem(error: unknown): TemplateProblem {
  const [firstLine = ""] = errorMessage(error).split("\n");
  const [, reason = firstLine, file = main, line = "1"] =
    /^(.*) \(in (.*):(\d+)\)$/.exec(firstLine) ?? [];
  const message = reason.includes("ran out of fuel")
    ? `The template takes more than ${maxSteps} steps: it contains a loop that is too long or never ends.`
    : reason;
  return { file: file === main ? null : file, line: Number(line), message };
}

function tooLong(): TemplateOutcome {
  const message = `Expected at most ${maxOutputCharacters} characters of filled template, got more.`;
  return { problem: { file: null, line: 1, message } };
}
