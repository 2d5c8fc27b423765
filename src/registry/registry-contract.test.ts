import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openMemoryRegistry } from "../../test/fixtures/registry/memory-registry.ts";
import { createMemoryStore } from "../../test/fixtures/registry/memory-store.ts";
import { testRegistry } from "../../test/fixtures/registry/registry-contract.ts";
import { temporaryFolder } from "../../test/fixtures/tool-call.ts";
import { openRegistry } from "./sqlite/sqlite-registry.ts";

testRegistry("the registry in a file of SQLite", () => {
  const path = join(temporaryFolder(), "cadre.db");
  return {
    open: async () => openRegistry({ path }),
    async lose({ ownerId }) {
      const database = new DatabaseSync(path);
      database.prepare("DELETE FROM owners WHERE id = ?").run(ownerId);
      database.close();
    },
  };
});

testRegistry("a registry that answers every call later", () => {
  const store = createMemoryStore();
  return {
    open: async () => openMemoryRegistry({ store, delayMs: 2 }),
    async lose({ ownerId }) {
      store.owners.delete(ownerId);
    },
  };
});
