import type { ClientCapabilities } from "@agentclientprotocol/sdk";

/** What the editor can do. */
export interface ClientAbilities {
  /** Shows forms for questions. */
  elicitsForms: boolean;
  /** Reads files as it shows them. */
  readsFiles: boolean;
}

/** Reads the capabilities that an editor announced. */
export function findAbilities(capabilities: ClientCapabilities | undefined): ClientAbilities {
  const forms = capabilities?.elicitation?.form;
  return {
    elicitsForms: forms !== undefined && forms !== null,
    readsFiles: capabilities?.fs?.readTextFile === true,
  };
}
