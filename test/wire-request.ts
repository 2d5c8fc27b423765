/** The wire formats that the checker knows. */
export type Wire = "anthropic" | "openai-chat" | "openai-responses" | "gemini";

/** Reports a problem. */
export type ReportProblem = (problem: string) => void;

type Json = Record<string, unknown>;

/** The content of a request in any format, reduced to the parts that the common rules of all providers need. */
export interface WireRequest {
  tools: { name: unknown; schema: unknown }[];
  /** The turns in order. Consecutive messages of one role are one turn where the format allows it. */
  turns: Turn[];
}

/** The messages of one side before the other side replies. */
export interface Turn {
  role: "user" | "model";
  calls: { id: string; name: unknown; input: unknown }[];
  answers: { id: string }[];
  /** Other content, and whether it precedes an answer. */
  blocks: { text: unknown; beforeAnswer: boolean }[];
  images: { mediaType: unknown; data: unknown }[];
}

/** Reads the body of a request and reports problems of its format. */
export function readWireRequest(
  wire: Wire,
  body: Record<string, unknown>,
  report: ReportProblem,
): WireRequest {
  return readers[wire](body, report);
}

const readers: Readonly<Record<Wire, (body: Json, report: ReportProblem) => WireRequest>> = {
  anthropic: readAnthropic,
  "openai-chat": readChat,
  "openai-responses": readResponses,
  gemini: readGemini,
};

function readAnthropic(body: Json, report: ReportProblem): WireRequest {
  if (typeof body["max_tokens"] !== "number") report("max_tokens is missing");
  for (const block of listOf(body["system"])) {
    if (String(block["text"]).trim() === "") report("the system prompt has an empty block");
  }
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > 4) report(`${marks} cache marks, and 4 are allowed`);
  const turns = listOf(body["messages"]).map((message) => {
    const turn = newTurn(message["role"] === "assistant" ? "model" : "user");
    const content = message["content"];
    const blocks =
      typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
    for (const block of blocks) addAnthropicBlock(turn, block, report);
    return turn;
  });
  const tools = listOf(body["tools"]).map((tool) => ({
    name: tool["name"],
    schema: tool["input_schema"],
  }));
  return { tools, turns };
}

function addAnthropicBlock(turn: Turn, block: Json, report: ReportProblem): void {
  switch (block["type"]) {
    case "text":
      return addText(turn, block["text"]);
    case "thinking":
      if (typeof block["signature"] !== "string") report("a thought without its signature");
      return;
    case "redacted_thinking":
      return;
    case "tool_use":
      return void turn.calls.push({
        id: String(block["id"]),
        name: block["name"],
        input: block["input"],
      });
    case "tool_result": {
      addAnswer(turn, block["tool_use_id"]);
      const content = block["content"];
      const parts =
        typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
      for (const part of parts) {
        if (part["type"] === "image") addAnthropicImage(turn, part);
        else if (String(part["text"]).trim() === "") report("an empty tool result");
      }
      return;
    }
    case "image":
      return addAnthropicImage(turn, block);
    default:
      report(`a block of type ${String(block["type"])}`);
  }
}

function addAnthropicImage(turn: Turn, block: Json): void {
  const source = tableOf(block["source"]);
  turn.images.push({ mediaType: source["media_type"], data: source["data"] });
}

function readChat(body: Json, report: ReportProblem): WireRequest {
  const turns: Turn[] = [];
  for (const message of listOf(body["messages"])) {
    const role = message["role"];
    if (role === "system" || role === "developer") continue;
    const turn = turnFor(turns, role === "assistant" ? "model" : "user");
    if (role === "tool") {
      if (typeof message["content"] !== "string") report("a tool result that is not a string");
      if (String(message["content"]).length > 100_000) report("a picture sent as text");
      addAnswer(turn, message["tool_call_id"]);
      continue;
    }
    for (const call of listOf(message["tool_calls"])) {
      const called = tableOf(call["function"]);
      const input = parse(called["arguments"], report);
      turn.calls.push({ id: String(call["id"]), name: called["name"], input });
    }
    const content = message["content"];
    if (typeof content === "string" && (content !== "" || turn.calls.length === 0))
      addText(turn, content);
    for (const part of listOf(content)) {
      if (part["type"] === "image_url") addDataUrl(turn, tableOf(part["image_url"])["url"]);
      else addText(turn, part["text"]);
    }
  }
  const functions = listOf(body["tools"]).map((tool) => tableOf(tool["function"]));
  return {
    tools: functions.map((tool) => ({ name: tool["name"], schema: tool["parameters"] })),
    turns,
  };
}

function readResponses(body: Json, report: ReportProblem): WireRequest {
  const turns: Turn[] = [];
  for (const item of listOf(body["input"])) {
    const role = item["role"];
    if (role === "system" || role === "developer") continue;
    switch (item["type"]) {
      case "function_call": {
        const input = parse(item["arguments"], report);
        const id = String(item["call_id"]);
        turnFor(turns, "model").calls.push({ id, name: item["name"], input });
        break;
      }
      case "function_call_output": {
        const turn = turnFor(turns, "user");
        addAnswer(turn, item["call_id"]);
        for (const part of listOf(item["output"])) {
          if (part["type"] === "input_image") addDataUrl(turn, part["image_url"]);
        }
        break;
      }
      case "reasoning":
        if (body["store"] === false && typeof item["encrypted_content"] !== "string") {
          report("a thought that the server has not stored");
        }
        break;
      case "item_reference":
        if (body["store"] === false) report("a reference to what the server has not stored");
        break;
      default:
        addMessageItem(turnFor(turns, role === "assistant" ? "model" : "user"), item);
    }
  }
  const tools = listOf(body["tools"]);
  return {
    tools: tools.map((tool) => ({ name: tool["name"], schema: tool["parameters"] })),
    turns,
  };
}

function addMessageItem(turn: Turn, item: Json): void {
  const content = item["content"];
  if (typeof content === "string") addText(turn, content);
  for (const part of listOf(content)) {
    if (part["type"] === "input_image") addDataUrl(turn, part["image_url"]);
    else addText(turn, part["text"]);
  }
}

/** Reads a request of Gemini. Its calls do not always have ids: an answer belongs to the call at the same position. */
function readGemini(body: Json, report: ReportProblem): WireRequest {
  const turns: Turn[] = [];
  for (const [index, content] of listOf(body["contents"]).entries()) {
    const turn = turnFor(turns, content["role"] === "model" ? "model" : "user");
    for (const part of listOf(content["parts"])) {
      const call = isTable(part["functionCall"]) ? part["functionCall"] : null;
      const result = isTable(part["functionResponse"]) ? part["functionResponse"] : null;
      const inline = isTable(part["inlineData"]) ? part["inlineData"] : null;
      if (call !== null) {
        const given = call["id"];
        const id = typeof given === "string" ? given : `${index}_${turn.calls.length}`;
        turn.calls.push({ id, name: call["name"], input: call["args"] });
      } else if (result !== null) {
        const position = turns.at(-2)?.calls[turn.answers.length]?.id;
        if (result["name"] === undefined) report("an answer without the tool's name");
        addAnswer(turn, result["id"] ?? position);
        for (const nested of listOf(result["parts"]))
          addInline(turn, tableOf(nested["inlineData"]));
      } else if (inline !== null) addInline(turn, inline);
      else addText(turn, part["text"]);
    }
  }
  const declared = listOf(body["tools"]).flatMap((tool) => listOf(tool["functionDeclarations"]));
  return {
    tools: declared.map((tool) => ({
      name: tool["name"],
      schema: tool["parameters"] ?? { type: "object" },
    })),
    turns,
  };
}

function addInline(turn: Turn, inline: Json): void {
  turn.images.push({ mediaType: inline["mimeType"], data: inline["data"] });
}

function addText(turn: Turn, text: unknown): void {
  turn.blocks.push({ text, beforeAnswer: turn.answers.length === 0 });
}

function addAnswer(turn: Turn, id: unknown): void {
  turn.answers.push({ id: String(id) });
  // Content between two answers precedes an answer.
  if (turn.blocks.length > 0)
    turn.blocks = turn.blocks.map((block) => ({ ...block, beforeAnswer: true }));
}

function addDataUrl(turn: Turn, url: unknown): void {
  const match = /^data:([^;]+);base64,(.*)$/s.exec(String(url));
  turn.images.push({ mediaType: match?.[1], data: match?.[2] });
}

function newTurn(role: Turn["role"]): Turn {
  return { role, calls: [], answers: [], blocks: [], images: [] };
}

/** Returns the turn for a role. Formats that list results or items one by one combine them into one turn. */
function turnFor(turns: Turn[], role: Turn["role"]): Turn {
  const last = turns.at(-1);
  if (last?.role === role) return last;
  const turn = newTurn(role);
  turns.push(turn);
  return turn;
}

function parse(text: unknown, report: ReportProblem): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    report("arguments that are not JSON");
    return {};
  }
}

/** Reports whether `value` is an object with keys. */
export function isTable(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tableOf(value: unknown): Json {
  return isTable(value) ? value : {};
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isTable) : [];
}
