import { exitCodeOf } from "../error/exit-code.ts";
import { findConversation } from "../run/continue-run.ts";
import { openCadre } from "../run/open-cadre.ts";
import { saveRule } from "../run/save-rule.ts";
import { createForms } from "../terminal/answer-form.ts";
import { createParameterQuestions } from "../terminal/ask-parameter.ts";
import { type Interrupts, listenForInterrupts } from "../terminal/interrupts.ts";
import { writeError } from "../terminal/output.ts";
import { createQuestions } from "../terminal/question.ts";
import { shortRunId } from "../../short-run-id.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { ChatRequest } from "./chat-request.ts";
import { type ChatConversation, createChatConversation } from "./dialog/chat-conversation.ts";
import { prepareInput } from "./prepare-input.ts";
import { type ChatKeys, createKeys } from "./screen/chat-keys.ts";
import { captureOutput } from "./screen/capture-output.ts";
import { type ChatScreen, createChatScreen } from "./screen/chat-screen.ts";
import type { Theme } from "./screen/theme.ts";
import type { ChatWindow } from "./screen/window.ts";
import { type Cadre, type CadreOptions, killAllProcesses } from "../../host.ts";

/** A conversation and the screen for it. */
export interface TalkPlace {
  request: ChatRequest;
  window: ChatWindow;
  theme: Theme;
  setKeys: (keys: ChatKeys) => void;
}

/** Opens Cadre, and talks until the user ends it. Returns the exit code of the last turn. */
export async function talk({ request, window, theme, setKeys }: TalkPlace): Promise<number> {
  const ending = Promise.withResolvers<void>();
  const quit = (): void => ending.resolve();
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
    setKeys(createKeys({ screen, conversation, window, quit }));
    const { resume } = await prepareInput({ cadre, conversation, screen, window, quit });
    if (request.continue === undefined) screen.state.setAgent(request.agent ?? "main");
    else await resume((await findConversation(cadre, request.continue)).id);
    await ending.promise;
    const status = screen.lastStatus();
    return status === undefined ? 0 : exitCodeOf(status);
  } finally {
    stopCapture();
    interrupts.stop();
    window.close();
    await endTalk(cadre, conversation);
  }
}

/** A signal ends the command as its user does; a second one at once. */
function listen(quit: () => void): Interrupts {
  return listenForInterrupts({
    onFirst: quit,
    onSecond() {
      killAllProcesses();
      process.exit(1);
    },
  });
}

/** Leaves a turn that is at work to be taken up again, and says how to go on. */
async function endTalk(
  cadre: Cadre | undefined,
  conversation: ChatConversation | undefined,
): Promise<void> {
  const last = conversation?.last;
  const isAtWork = conversation?.active !== undefined;
  await cadre?.close({ leaveRuns: true });
  if (last === undefined) return;
  const unfinished = isAtWork ? "\nThe turn is unfinished, and goes on then." : "";
  writeError(`Go on with: cadre chat --continue=${shortRunId(last.id)}${unfinished}`);
}

/** Questions appear on the screen, unless they wait for answers from elsewhere. */
function askOn(screen: ChatScreen, { onApproval }: CadreOptions): CadreOptions {
  const { terminal } = screen.questions;
  return {
    onApproval: onApproval ?? createQuestions({ terminal, rootOf: screen.rootOf, saveRule }),
    onElicit: createForms(terminal),
    onParameter: createParameterQuestions(terminal),
  };
}
