import { button, call, make, tell } from "./dom.js";

function describeQuestion(question) {
  const answer = (given) => async () => {
    const { isTaken } = await call("/answers", { question: question.id, answer: given });
    tell(
      isTaken
        ? "Answered"
        : "Recorded: no process executes the run, which gets it when it is resumed",
    );
  };
  const buttons = [
    button("Allow", answer({ decision: "allow", scope: "once" })),
    button("Always in this family", answer({ decision: "allow", scope: "always" })),
    button("Deny", answer({ decision: "deny" })),
  ];
  if (question.proposal !== undefined) {
    const rule = { decision: "allow", scope: "rule", rule: question.proposal };
    buttons.push(button(`Allow ${question.proposal}`, answer(rule)));
  }
  return make(
    "li",
    {},
    make("strong", {}, question.title),
    make("div", { class: "faint" }, `${question.chain.join(" > ")}: ${question.reason}`),
    make(
      "details",
      {},
      make("summary", {}, "Input"),
      make("pre", {}, JSON.stringify(question.input, null, 2)),
    ),
    make("a", { href: `#/runs/${encodeURIComponent(question.runId)}` }, "Open the run"),
    make("div", { class: "actions" }, ...buttons),
  );
}

export async function drawQuestions(main, isCurrent) {
  const list = make("ul");
  let shown = "";
  const draw = async () => {
    const { questions } = await call("/questions");
    const ids = JSON.stringify(questions.map(({ id }) => id));
    if (!isCurrent() || ids === shown) return;
    shown = ids;
    const rows = questions.map(describeQuestion);
    list.replaceChildren(...(rows.length > 0 ? rows : [make("li", {}, "No question waits.")]));
  };
  main.replaceChildren(make("h2", {}, "Questions"), list);
  await draw();
  return draw;
}
