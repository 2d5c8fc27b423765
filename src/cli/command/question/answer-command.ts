import type { Command } from "commander";
import { UsageError } from "../../arguments/usage-error.ts";
import { saveRule } from "../../run/save-rule.ts";
import { withCadre } from "../../run/open-cadre.ts";
import { cleanLine } from "../../terminal/clean-text.ts";
import { writeError, writeJson, writeLine } from "../../terminal/output.ts";
import { askApproval, type RuleScope } from "../../terminal/question.ts";
import { createQuestionTerminal, type QuestionTerminal } from "../../terminal/question-terminal.ts";
import type { ApprovalAnswer, Cadre, Question } from "../../../host.ts";
import { omitUndefined } from "../../../omit-undefined.ts";
import { describeWait } from "../../run/report-waiting.ts";

const examples = `
Examples:
  cadre answer                                 asks you each open question
  cadre answer last yes                        answers the only question of a run
  cadre answer 7f3q01c:tool/3/0 yes
  cadre answer 7f3q01c:tool/3/0 no --reason "use npm ci"
  cadre answer 7f3q01c:tool/3/0 rule --for project
  cadre answer 7f3q01c:tool/3/0 rule --rule "Bash(npm test*)"

yes      allow this call
always   allow exactly this call in this family of runs
rule     allow what a rule covers: the proposed one, or that of --rule
no       deny the call; the agent reads the reason`;

const words = ["yes", "always", "rule", "no"] as const;
const scopes = ["family", "project", "user"] as const;

interface AnswerOptions {
  rule?: string;
  for?: RuleScope;
  reason?: string;
  json?: boolean;
}

/** `cadre answer`. */
export function defineAnswer(command: Command, setExit: (code: number) => void): void {
  command
    .argument(
      "[question]",
      "its id, as `cadre questions` lists it; or a run with one question; none: each that waits",
    )
    .addArgument(command.createArgument("[answer]", "the answer").choices(words))
    .option(
      "--rule <rule>",
      "the rule to allow, such as `Bash(npm test*)` (default: the proposed one)",
    )
    .addOption(
      command
        .createOption(
          "--for <scope>",
          "where the rule applies: this family of runs, the project, or you",
        )
        .choices(scopes)
        .default("family"),
    )
    .option("--reason <text>", "the reason, which the agent reads")
    .option("--json", "write JSON: { question, answer, taken }")
    .addHelpText("after", examples)
    .action(async (id: string | undefined, word: Word | undefined, options: AnswerOptions) => {
      refuseInsideRun();
      await withCadre(async (cadre) => {
        if (id === undefined) return setExit(await answerAll(cadre));
        if (word === undefined) throw missingWord(id);
        await answerOne(cadre, { id: await findId(cadre, id), word, options });
      });
    });
}

type Word = (typeof words)[number];

function missingWord(given: string): UsageError {
  if (!words.some((word) => word === given))
    return new UsageError(`Expected an answer: ${words.join(", ")}.`);
  return new UsageError(
    `Expected a question before the answer: cadre answer last ${given}. \`cadre questions\` lists them.`,
  );
}

/**
 * Returns the id of a question: `given` itself, or the only question of the family of the run that it names.
 *
 * @throws CadreError `run-not-found`; UsageError when no question or several questions are open.
 */
async function findId(cadre: Cadre, given: string): Promise<string> {
  if (given.includes(":")) return given;
  const { rootId } = await (await cadre.find(given)).state();
  const ids = (await cadre.questions()).flatMap((one) => (one.rootId === rootId ? one.id : []));
  const [id, ...others] = ids;
  if (id !== undefined && others.length === 0) return id;
  const found = id === undefined ? "none is open" : `open are: ${ids.join(", ")}`;
  throw new UsageError(`Expected one question of the run ${given} and its sub-agents; ${found}.`);
}

/** Only the user may answer, not the agent that asks. A sandboxed command cannot reach the registry in any case. */
function refuseInsideRun(): void {
  if (process.env["CADRE_RUN_STEP"] === undefined) return;
  throw new UsageError("A command of a run cannot answer questions: the user answers them.");
}

async function answerOne(
  cadre: Cadre,
  { id, word, options }: { id: string; word: Word; options: AnswerOptions },
): Promise<void> {
  const question = (await cadre.questions()).find((one) => one.id === id);
  const answer = readAnswer(word, options, question);
  const scope = options.for ?? "family";
  const isSaved = answer.decision === "allow" && answer.scope === "rule" && scope !== "family";
  // The call may be a command; the configuration must not change while it runs.
  if (isSaved) writeError(cleanLine(await saveRule(answer.rule, scope)));
  const taken = await cadre.answer(id, answer);
  if (options.json === true) return writeJson({ question: id, answer, taken });
  writeLine(await describeTaken(cadre, id, taken));
}

/** Parses the answer. @throws UsageError for options that do not belong to it. */
function readAnswer(
  word: Word,
  { rule, for: scope, reason }: AnswerOptions,
  question: Question | undefined,
): ApprovalAnswer {
  if (word !== "rule" && (rule !== undefined || scope !== "family")) {
    throw new UsageError("--rule and --for belong to the answer `rule`.");
  }
  if (word !== "no" && reason !== undefined) {
    throw new UsageError("--reason belongs to the answer `no`.");
  }
  if (word === "no") return { decision: "deny", ...omitUndefined({ reason }) };
  if (word !== "rule") return { decision: "allow", scope: word === "yes" ? "once" : "always" };
  const chosen = rule ?? question?.proposal;
  if (chosen === undefined) throw new UsageError("No rule is proposed. Give one with --rule.");
  return { decision: "allow", scope: "rule", rule: chosen };
}

async function describeTaken(cadre: Cadre, id: string, taken: boolean): Promise<string> {
  if (taken) return `The run has the answer to ${id}.`;
  const [run = ""] = id.split(":");
  const waiting = await cadre.waiting(run);
  const next =
    waiting === undefined
      ? `No process executes the run: cadre resume ${run}`
      : describeWait(waiting);
  return `The answer to ${id} is recorded. ${next}`;
}

/** Asks the user each waiting question. Returns the exit code. */
async function answerAll(cadre: Cadre): Promise<number> {
  const stop = new AbortController();
  const terminal = createQuestionTerminal({
    input: process.stdin,
    output: process.stderr,
    onInterrupt: () => stop.abort(new Error("interrupted")),
  });
  const questions = await cadre.questions();
  if (questions.length === 0) {
    writeError("No question waits for an answer.");
    return 0;
  }
  if (terminal === undefined) {
    const message = `Open questions: ${questions.length}. Without a terminal, name one with its answer: cadre answer ${questions[0]?.id ?? ""} yes`;
    throw new UsageError(message);
  }
  for (const [index, question] of questions.entries()) {
    const waiting = questions.length - index - 1;
    const answer = await askUnlessStopped(question, { terminal, signal: stop.signal, waiting });
    if (answer === undefined) return 130;
    await giveOne(cadre, question, answer);
  }
  return 0;
}

/** Returns `undefined` when the user presses Ctrl-C; the question stays open. */
async function askUnlessStopped(
  question: Question,
  options: { terminal: QuestionTerminal; signal: AbortSignal; waiting: number },
): Promise<ApprovalAnswer | undefined> {
  const answer = await askApproval(question, { ...options, saveRule });
  return options.signal.aborted ? undefined : answer;
}

/** Gives one answer. Another terminal may have answered in the meantime. */
async function giveOne(cadre: Cadre, { id }: Question, answer: ApprovalAnswer): Promise<void> {
  const { CadreError } = await import("../../../host.ts");
  try {
    writeError(await describeTaken(cadre, id, await cadre.answer(id, answer)));
  } catch (error) {
    if (!(error instanceof CadreError)) throw error;
    writeError(cleanLine(error.message));
  }
}
