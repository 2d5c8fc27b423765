/** Tools for tests of programs that use Cadre: models, a clock, faults and matchers (`cadre/testing`). */
// This import comes first: it throws when Node is too old for the others.
export { minimumNode } from "./require-node.ts";
export type { Clock } from "./clock.ts";
export type { ScriptConversation } from "./model/script/script-conversation.ts";
export type { ScriptRule, ScriptWhen, TextCondition } from "./model/script/script-rule.ts";
export type { Script, ScriptFault, ScriptReply } from "./model/script/scripted-model.ts";
export { createFakeClock, type FakeClock, type FakeClockOptions } from "./testing/fake-clock.ts";
export { failTool, faults } from "./testing/faults.ts";
export { journalOf, type NormalisedJournal } from "./testing/journal-of.ts";
export { killAfter } from "./testing/kill-after.ts";
export { cadreMatchers, type CadreMatchers, type SpendingLimits } from "./testing/matchers.ts";
export { recordedModel, type RecordedOptions } from "./testing/recorded-model.ts";
export {
  scriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
} from "./testing/scripted-model.ts";
export { createTestCadre, type TestCadre, type TestCadreOptions } from "./testing/test-cadre.ts";
