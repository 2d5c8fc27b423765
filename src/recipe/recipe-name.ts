const maxCharacters = 64;

/**
 * The name under which a recipe is an agent: its file's, which is what goose's users call it by, or its title where the
 * file is just `recipe.yaml`. Words of `a-z 0-9` with single hyphens between them.
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
