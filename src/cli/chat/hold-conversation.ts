import { exitCodeOf } from "../error/exit-code.ts";
import { findConversation } from "../run/continue-run.ts";
import { openCadre } from "../run/open-cadre.ts";
import { saveRule } from "../run/save-rule.ts";
import { createForms } from "../terminal/answer-form.ts";
import { createParameterQuestions } from "../terminal/ask-parameter.ts";
import { type Interrupts, listenForInterrupts } from "../terminal/interrupts.ts";
import { createQuestions } from "../terminal/question.ts";
import { shortRunId } from "../../short-run-id.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { ChatRequest } from "./chat-request.ts";
import { type ChatConversation, createChatConversation } from "./dialog/chat-conversation.ts";
import { prepareInput, type Reopening } from "./prepare-input.ts";
import { type ChatKeys, createKeys } from "./screen/chat-keys.ts";
import { captureOutput } from "./screen/capture-output.ts";
import { type ChatScreen, createChatScreen } from "./screen/chat-screen.ts";
import type { Theme } from "./screen/theme.ts";
import type { ChatWindow } from "./screen/window.ts";
import { type Cadre, type CadreOptions, killAllProcesses } from "../../host.ts";

/** A conversation and its screen. */
export interface ConversationSetup {
  request: ChatRequest;
  window: ChatWindow;
  theme: Theme;
  setKeys: (keys: ChatKeys) => void;
}

/** The end of a conversation: the exit code of the last turn with advice for the user, or a request to open it again. */
export type ConversationEnd = { code: number; advice: string } | { again: ChatRequest };

/** Opens Cadre and holds the conversation until the user ends it. */
export async function holdConversation(setup: ConversationSetup): Promise<ConversationEnd> {
  const { request, window, theme, setKeys } = setup;
  const ending = Promise.withResolvers<Reopening | undefined>();
  const quit = (): void => ending.resolve(undefined);
  let cadre: Cadre | undefined;
  let conversation: ChatConversation | undefined;
  const onInterrupt = (): void => void conversation?.interrupt();
  const screen = createChatScreen({ window, theme, onInterrupt });
  const stopCapture = captureOutput(screen.views.note);
  const interrupts = listen(quit);
  try {
    cadre = await openCadre({ ...request.options, ...askOn(screen, request.options) });
    conversation = createChatConversation(cadre, screen.listener);
    Object.assign(conversation.settings, omitUndefined({ agent: request.agent }));
    screen.begin(cadre, conversation);
    const { model } = request.options;
    if (typeof model === "string") screen.state.setFacts({ model });
    setKeys(createKeys({ screen, conversation, window, quit }));
    const input = { cadre, conversation, screen, window, quit, reopen: ending.resolve };
    const { resume } = await prepareInput(input);
    if (request.continue === undefined) screen.state.setAgent(request.agent ?? "main");
    else await resume((await findConversation(cadre, request.continue)).id);
    window.acceptTexts();
    const reopening = await ending.promise;
    if (reopening !== undefined) return { again: toRequest(request, reopening, conversation) };
    const status = screen.lastStatus();
    const code = status === undefined ? 0 : exitCodeOf(status);
    return { code, advice: adviseOn(conversation) };
  } finally {
    stopCapture();
    interrupts.stop();
    screen.state.ended();
    window.clear();
    await cadre?.close({ leaveRuns: true });
  }
}

/** Returns the advice on how to continue, including an unfinished turn. */
function adviseOn({ last, active }: ChatConversation): string {
  if (last === undefined) return "";
  const unfinished = active === undefined ? "" : "\nThe turn is unfinished, and continues then.";
  return `Continue with: cadre chat --continue=${shortRunId(last.id)}${unfinished}`;
}

/** Returns the request that opens the conversation again. */
function toRequest(
  { options, ...request }: ChatRequest,
  { mode = options.mode }: Reopening,
  { last, settings }: ChatConversation,
): ChatRequest {
  const { agent = request.agent, model = options.model } = settings;
  return { agent, continue: last?.id, options: { ...options, ...omitUndefined({ model, mode }) } };
}

/** Ends the command at a signal as the user would; a second signal ends it at once. */
function listen(quit: () => void): Interrupts {
  return listenForInterrupts({
    onFirst: quit,
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
}

/** Shows questions on the screen unless they wait for answers from elsewhere. */
function askOn(screen: ChatScreen, { onApproval }: CadreOptions): CadreOptions {
  const { terminal } = screen.questions;
  return {
    onApproval: onApproval ?? createQuestions({ terminal, rootOf: screen.rootOf, saveRule }),
    onElicit: createForms(terminal),
    onParameter: createParameterQuestions(terminal),
  };
}
