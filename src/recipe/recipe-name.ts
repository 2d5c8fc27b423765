const maxCharacters = 64;

/**
 * Returns the agent name of a recipe: the name of its file, as in goose, or its title when the file is just
 * `recipe.yaml`. It consists of words of `a-z 0-9` separated by single hyphens.
 */
export function toRecipeName(fileName: string, title: string): string {
  const stem = toWords(fileName.replace(/(\.recipe)?\.(ya?ml|json)$/i, ""));
  const name = stem === "" || stem === "recipe" ? toWords(title) : stem;
  return name === "" ? "recipe" : name;
}

function toWords(text: string): string {
  const words = text
    .normalize("NFKD")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? []).join("-").slice(0, maxCharacters).replace(/-$/, "");
}
