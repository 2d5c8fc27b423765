import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
// In your own project: from "cadre".
import { createCadre, defineTool } from "../../src/index.ts";

/**
 * A program with its own tools: `node examples/05-own-tools/orders.ts`. Without CADRE_MODEL, the model's replies are scripted
 * (script.yaml); the tools, the questions and the journal are real either way.
 */
const orders = new Map([
  ["1042", { customer: "Ada", item: "teapot", price: 30 }],
  ["1043", { customer: "Bob", item: "kettle", price: 55 }],
]);

/** This tool only reads: no permission is needed, and a resume repeats an interrupted call. */
const lookup = defineTool({
  name: "lookup",
  description: "Finds an order by its number.",
  input: z.object({ order: z.string().describe("The number of the order, such as 1042") }),
  access: "read",
  execute({ order }) {
    const found = orders.get(order);
    if (found === undefined) throw new Error(`there is no order ${order}`);
    return found;
  },
});

/** A tool without `access` may do anything: the user allows each call, and a resume repeats none. */
const refund = defineTool({
  name: "refund",
  description: "Pays an order back, and writes to the customer.",
  input: z.object({ order: z.string(), reason: z.string() }),
  async execute({ order, reason }, { ask, delegate, report, stepKey }) {
    const answer = await ask(`What does the letter about order ${order} begin with?`);
    const begin = answer.action === "accept" ? answer.content["answer"] : undefined;
    if (typeof begin !== "string") return "The user does not want to refund it.";
    // A payment service would receive `stepKey`, so that it pays only once whatever happens to this process.
    report(`paying with the key ${stepKey}`);
    const letter = await delegate({
      agent: "writer",
      task: `Begin with ${begin}. The reason: ${reason}.`,
    });
    if (letter.failure !== undefined) throw new Error(letter.failure.message);
    return { refunded: orders.get(order)?.price, letter: letter.text };
  },
});

const state = await mkdtemp(join(tmpdir(), "cadre-example-"));
const cadre = await createCadre({
  cwd: import.meta.dirname,
  registry: state,
  model: process.env["CADRE_MODEL"] ?? "scripted:script.yaml",
  tools: [lookup, refund],
  agents: [
    {
      name: "support",
      description: "Answers customers",
      systemPrompt: "You are support of a shop. Look orders up before you refund them.",
      tools: ["lookup", "refund", "Agent"],
      permissions: { allow: [], ask: [], deny: ["refund(order:1043)"] },
    },
    {
      name: "writer",
      description: "Writes letters",
      systemPrompt: "You are writer of short letters.",
      tools: [],
    },
  ],
  async onApproval({ title }) {
    console.log(`allowed: ${title}`);
    return { decision: "allow", scope: "once" };
  },
  async onElicit({ message }) {
    console.log(`asked: ${message}`);
    return { action: "accept", content: { answer: "Dear Ada" } };
  },
});

const run = await cadre.spawn({
  agent: "support",
  task: "Orders 1042 and 1043 came broken. Refund them.",
});
console.log((await run.result()).text);
for (const { agent, depth, status } of await cadre.tree(run.id)) {
  console.log(`${"  ".repeat(depth)}${agent}: ${status}`);
}
await cadre.close();
await rm(state, { recursive: true });
