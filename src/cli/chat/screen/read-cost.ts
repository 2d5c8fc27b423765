import { formatCost } from "../../view/format-value.ts";
import type { Cadre } from "../../../host.ts";

/** Returns the cost of a run's conversation as text; empty when a price is unknown. */
export async function readCost(cadre: Pick<Cadre, "conversations">, run: string): Promise<string> {
  const [conversation] = await cadre.conversations({ run });
  const cost = conversation?.cost ?? null;
  return cost === null ? "" : formatCost(cost);
}
