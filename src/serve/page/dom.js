// Elements and calls. Everything that comes from runs is set as text, never as HTML.

const state = document.querySelector("#state");

/** Creates an element. `content` are elements and texts. */
export function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
}

/** Calls the API. A problem is shown, and thrown. */
export async function call(path, body) {
  const options =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  const response = await fetch(`/api/v1${path}`, options);
  const answer = await response.json();
  if (response.ok) return answer;
  const hint =
    response.status === 401 ? "Open the link that `cadre serve` printed." : answer.detail;
  tell(hint, true);
  throw new Error(hint);
}

export function tell(text, isProblem = false) {
  state.textContent = text;
  state.className = isProblem ? "problem" : "faint";
}

/** A button whose work may fail, which `call` has told then. */
export function button(title, work) {
  const click = async (event) => {
    event.target.disabled = true;
    await Promise.resolve(work()).catch((error) => tell(error.message, true));
    event.target.disabled = false;
    document.dispatchEvent(new Event("outdated"));
  };
  return make("button", { type: "button", click }, title);
}
