import { declareItems, optionalParameter, required, type RenderCase, whys } from "./render-case.ts";

/** Cases of goose's treatment of parameter names. */
export const namesCases: readonly RenderCase[] = [
  { name: "an undeclared name", recipe: `prompt: "a {{ x }}"\n`, goose: "refused" },
  {
    name: "a declared name that nothing uses",
    recipe: `prompt: "a"\n${declareItems(required("x"))}`,
    values: { x: "1" },
    goose: "refused",
  },
  {
    name: "a name used only in a description",
    recipe: `prompt: "a"\nparameters:\n  - {key: x, input_type: string, requirement: required, description: "see {{ x }}"}\n`,
    values: { x: "1" },
    goose: { prompt: "a" },
  },
  {
    name: "a name used only in a comment",
    recipe: `prompt: "a"\n# {{ x }}\n${declareItems(required("x"))}`,
    values: { x: "1" },
    goose: { prompt: "a" },
  },
  {
    name: "a key twice",
    recipe: `prompt: "{{ x }}"\n${declareItems(optionalParameter("x", "1"), optionalParameter("x", "2"))}`,
    goose: "refused",
  },
  {
    name: "recipe_dir",
    recipe: `prompt: "{% if recipe_dir %}there{% endif %}"\n`,
    goose: { prompt: "there" },
  },
  {
    name: "a key with a dash",
    recipe: `prompt: "{{ a-b }}"\n${declareItems(required("a-b"))}`,
    values: { "a-b": "1" },
    goose: "refused",
  },
  {
    name: "a key in capitals",
    recipe: `prompt: "{{ ABC_1 }}"\n${declareItems(required("ABC_1"))}`,
    values: { ABC_1: "1" },
    goose: { prompt: "1" },
  },
  {
    name: "keys that are words of the language",
    recipe: `prompt: "{{ namespace }} {{ context }} {{ range }} {{ with }} {{ and }}"\n${declareItems(...["namespace", "context", "range", "with", "and"].map((key) => optionalParameter(key, key[0])))}`,
    goose: { prompt: "n c r w a" },
  },
  {
    name: "a key that is a word in a statement",
    recipe: `prompt: "{% if context == 'x' and not with %}a{% elif range %}b{% endif %}"\n${declareItems(optionalParameter("context", "x"), optionalParameter("with", "w"), optionalParameter("range", "r"))}`,
    goose: { prompt: "b" },
  },
  {
    name: "a key that is a constant",
    recipe: `prompt: "{{ none }}"\n${declareItems(optionalParameter("none", "x"))}`,
    goose: "refused",
  },
  {
    name: "a key that is self",
    recipe: `prompt: "{{ self }}"\n${declareItems(optionalParameter("self", "x"))}`,
    goose: "refused",
  },
  {
    name: "a function of the engine",
    recipe: `prompt: "{% for i in range(3) %}{{ i }}{% endfor %}"\n`,
    goose: "refused",
    cadre: { prompt: "012" },
    why: whys.functions,
  },
  {
    name: "loop outside a loop",
    recipe: `prompt: "{{ loop }}{% for a in 'xy' %}{{ loop.index }}{% endfor %}"\n${declareItems(optionalParameter("loop", "L"))}`,
    goose: { prompt: "L12" },
  },
];
