import { formatCost } from "../../view/format-value.ts";
import type { Cadre } from "../../../host.ts";

/** Returns what the conversation of a run has cost, as text; empty when a price is unknown. */
export async function readCost(cadre: Pick<Cadre, "conversations">, run: string): Promise<string> {
  const [conversation] = await cadre.conversations({ run });
  const cost = conversation?.cost ?? null;
  return cost === null ? "" : formatCost(cost);
}
