/** The names of providers in OpenTelemetry's conventions that differ from Cadre's. */
const names: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  "amazon-bedrock": "aws.bedrock",
  google: "gcp.gemini",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  "google-vertex": "gcp.vertex_ai",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  moonshotai: "moonshot_ai",
  xai: "x_ai",
};

/** Divides `provider:model` into the provider and the model of the conventions. */
export function nameModel(reference: string): { provider: string; model: string } {
  const [provider = "", model = ""] = reference.split(/:(.*)/s, 2);
  return { provider: Object.hasOwn(names, provider) ? (names[provider] ?? "") : provider, model };
}
